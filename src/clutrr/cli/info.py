"""clutrr info: what a file or folder is."""

from clutrr.cli.options import AsJson, Data, DataWorld, SkipBad
from clutrr.cli.show import print_json, print_notes, print_table, progress, say


def info(
    data: Data,
    world: DataWorld = None,
    skip_bad: SkipBad = False,
    as_json: AsJson = False,
) -> None:
    """Say what a data file or folder is: its format, size, subsets and labels, and one sample.

    A folder that clutrr wrote is compared with its manifest: files that are missing or changed are named.
    """
    import textwrap

    from clutrr.data import open_dataset
    from clutrr.data.info import describe

    with progress("puzzles", None) as tick:
        opened = open_dataset(data, world, skip_bad)
        about = describe(opened, tick)
    if as_json:
        print_json(
            {
                "format": about.format,
                "rows": about.rows,
                "world": about.world,
                "assume": about.assume,
                "subsets": about.subsets,
                "roles": about.roles,
                "noise_unread": about.noise_unread,
                "spelt": {f"{word}: {means}": rows for (word, means), rows in opened.notes.spelt.items()},
                "skipped": [one._asdict() for one in opened.notes.skipped],
                "labels": about.labels,
                "damage": about.damage,
                "files": about.files,
                "bytes": about.bytes,
            }
        )
        return
    files = "1 file" if about.files == 1 else f"{about.files} files"
    say(f"{data}: {about.format}, {about.rows:,} puzzles, {files}, {about.bytes / 1e6:,.1f} MB")
    assumed = "" if about.assume is None else f"; made under the assumption `{about.assume}`"
    say(f"{about.world[:1].upper()}{about.world[1:]}{assumed}.")
    for name, wrong in about.damage.items():
        say(f"Not as its manifest says: {name} is {wrong}.")
    splits = list(dict.fromkeys(split for sizes in about.subsets.values() for split in sizes))
    rows = [[name, *(sizes.get(split, 0) for split in splits)] for name, sizes in about.subsets.items()]
    print_table("Subsets", ["subset", *splits], rows)
    if any(counts[role] for counts in about.roles.values() for role in counts if role != "path"):
        names = list(next(iter(about.roles.values())))
        rows = [[name, *(counts[role] for role in names)] for name, counts in about.roles.items()]
        unread = {name: sum(counts.values()) for name, counts in about.noise_unread.items()}
        if any(unread.values()):
            names.append("noise not read")
            rows = [[*row, unread.get(str(row[0]), 0)] for row in rows]
        print_table("Facts by role", ["subset", *names], rows)
    print_notes(opened.notes)
    shares = [f"{label} {count / about.rows:.1%}" for label, count in about.labels.items()]
    say(textwrap.fill(f"{len(shares)} labels: {', '.join(shares)}", 100, break_on_hyphens=False))
    if about.sample is not None:
        head, tail = about.sample.query
        say(f"\n{about.sample.id}, pattern {'-'.join(about.sample.pattern)}:")
        say(textwrap.fill(textwrap.shorten(about.sample.story, 500, placeholder=" ..."), 100))
        say(f"What is {tail} to {head}? {about.sample.target}")
