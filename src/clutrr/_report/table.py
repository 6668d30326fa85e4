"""The table of an experiment as text: for a page, a terminal, and Markdown."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from clutrr import _paper as paper
from clutrr._report.experiment import Experiment, TableEntry
from clutrr._score.paired import Paired, holm
from clutrr._score.result import Result

MISSING = "\N{EN DASH}"
_MINUS = "\N{MINUS SIGN}"


def number(value: float | None) -> str:
    return MISSING if value is None else f"{value:.1f}"


def signed(value: float | None) -> str:
    """Return a difference with its sign."""
    return MISSING if value is None else f"{round(value, 1) + 0.0:+.1f}".replace("-", _MINUS)


def ours(entry: TableEntry) -> str:
    """Return the mean, with the spread over the seeds."""
    return number(entry.accuracy) + ("" if entry.spread is None else f" ±{entry.spread:.1f}")


def bold(entry: TableEntry, text: str | None = None) -> str:
    """Return the figure, in bold if it is the best. text: instead of the mean with its spread."""
    mean, *spread = (text or ours(entry)).split(" ")
    return " ".join([f"**{mean}**" if entry.best else mean, *spread])


def interval(entry: TableEntry) -> str:
    return MISSING if entry.interval is None else "{:.1f} to {:.1f}".format(*entry.interval)


def label(train: str, test: str) -> str:
    """Return the name of a row: what was trained on, if the table tells it apart, and tested on."""
    return f"{train} → {test}" if train else test


def pair_lines(experiment: Experiment) -> dict[tuple[str, str], str]:
    """Return how any two models fare on the same questions; of several, with a correction for their number."""
    several = experiment.pairs
    corrected = holm([found.p for found in several.values()])
    lines = {}
    for (names, found), p in zip(several.items(), corrected, strict=True):
        line = pair_line(names, found)
        if len(several) > 1 and found.questions:
            line = f"{line[:-1]}, {p:.2g} corrected for {len(several)} comparisons (Holm)."
        lines[names] = line
    return lines


def pair_line(names: tuple[str, str], found: Paired) -> str:
    """Return how two models fare on the same questions, as a sentence."""
    first, second = names
    if not found.questions:
        return f"{first} and {second} were not asked the same questions in the same form."
    return (
        f"{first} and {second}: {found.both:,} both right, {len(found.first):,} only {first}, "
        f"{len(found.second):,} only {second}, {found.neither:,} neither; p = {found.p:.2g} (McNemar)."
    )


def detail_lines(result: Result) -> Iterator[str]:
    """Yield what was not asked, and how answers that it cannot be told went wrong, one sentence each."""
    if frozen := result.questions.get("set"):
        yield f"{result.model}: the questions are {frozen}, as it was frozen."
    if left_out := result.questions.get("not_asked"):
        yield f"{result.model}: {left_out:,} questions were not asked or not answered, and do not count."
    yield from figure_lines(result)
    if false := result.details.get("cannot_be_told"):
        yield (
            f"{result.model}: {false['false_abstention']:,} wrong answers say that it cannot be told "
            f"(false abstention); {false['false_certainty']:,} name one where it cannot (false certainty)."
        )


_WORST, _ENOUGH = 3, 5  # answers and patterns that are named, and the questions that they need
_MANY = 100  # questions from which on they are


def figure_lines(result: Result) -> Iterator[str]:
    """Yield what is known beside how many are right: samples, tokens, the weakest answers, calibration."""
    model, details = result.model, result.details
    if samples := details.get("samples"):
        for name, of in (("pass", samples["pass"]), ("majority", samples["majority"])):
            each_k = ", ".join(
                f"@{k} {one['accuracy']:.1f} ({one['interval'][0]:.1f} to {one['interval'][1]:.1f})"
                for k, one in of.items()
            )
            yield f"{model}: {name} {each_k} %."
    if (replies := details.get("replies")) and replies.keys() - {"answers"}:
        listed = ", ".join(f"{times:,} {name}" for name, times in replies.items())
        yield f"{model}: {listed}."
    if tokens := details.get("tokens"):
        right = tokens.get("written_per_right_answer")
        each = "" if right is None else f", {right:,.0f} for each right answer"
        cost = f"; they cost {tokens['cost']:,.2f}" if "cost" in tokens else ""
        if "cost_per_right_answer" in tokens:
            cost += f", {tokens['cost_per_right_answer']:.4f} for each right answer"
        yield f"{model}: {tokens['read']:,} tokens read and {tokens['written']:,} written{each}{cost}."
    shown = (
        () if result.total.rows < _MANY else (("by_answer", "answers"), ("by_pattern", "patterns"))
    )
    for name, what in shown:
        groups = {
            group: one
            for group, one in details.get(name, {}).items()
            if one["rows"] >= _ENOUGH and one["accuracy"] < result.total.accuracy
        }
        worst = sorted(groups, key=lambda group: groups[group]["accuracy"])[:_WORST]
        if worst:
            listed = ", ".join(
                f"{one} {groups[one]['accuracy']:.0f} % of {groups[one]['rows']}" for one in worst
            )
            yield f"{model}: {what} that are least often right: {listed}."
    if known := details.get("calibration"):
        yield (
            f"{model}: calibration error {known['error']:.1f} points, Brier score {known['brier']:.3f}."
        )


def notes_side_by_side(experiment: Experiment) -> list[str]:
    """Return what is known of the answers beside the table: any two models, and what went wrong how."""
    return [
        *pair_lines(experiment).values(),
        *(line for result in experiment.results for line in detail_lines(result)),
    ]


def closing_lines(experiment: Experiment) -> Iterator[str]:
    """Yield what to know when reading the table, one sentence each."""
    if missing := len(experiment.missing):
        finished = len(experiment.results)
        yield f"{finished} of {finished + missing} trainings are finished; {MISSING}: not yet."
    if experiment.near:
        yield experiment.near


def terminal_rows(experiment: Experiment) -> Iterator[list[str]]:
    """Yield the header, and a row for each pair. In a cell: the mean, its interval, the paper's figure."""
    if not experiment.planned:
        yield from experiment.rows()
        return

    def cell(entry: TableEntry) -> str:
        between = [] if entry.interval is None else [interval(entry)]
        beside = (
            [] if entry.paper is None else [f"paper {entry.paper:g}, {signed(entry.difference)}"]
        )
        return "\n".join([ours(entry), *between, *beside])

    yield from _rows(experiment, cell)


def markdown(experiment: Experiment) -> str:
    """Return the table, and what to know when reading it."""
    if not experiment.planned:
        return _markdown_side_by_side(experiment)
    beside = " (the paper's, the difference)" if experiment.compared else ""
    spread = " ± the standard deviation over the seeds" if len(experiment.seeds) > 1 else ""
    first = f"Test accuracy in percent{spread}{beside}; best of the models in bold."
    return "\n".join([first, "", *cells_table(experiment), "", *closing_lines(experiment)]) + "\n"


def _markdown_side_by_side(experiment: Experiment) -> str:
    header, *rows = experiment.rows()
    names = experiment.lookup_names
    with_lookups = [
        [*row, *(number(experiment.lookups.get(("", row[0]), {}).get(name)) for name in names)]
        for row in rows
    ]
    lines = markdown_table([*header, *names], with_lookups)
    about = notes_side_by_side(experiment)
    return "\n".join([f"{experiment.caption}.", "", *lines, "", *about]).rstrip() + "\n"


def cells_table(experiment: Experiment, differences: bool = True) -> Iterator[str]:
    """Yield a row for each training set and subset tested on, a column for each model."""

    def cell(entry: TableEntry) -> str:
        known = differences and entry.difference is not None
        beside = f", {signed(entry.difference)}" if known else ""
        return bold(entry) if entry.paper is None else f"{bold(entry)} ({entry.paper:g}{beside})"

    header, *rows = _rows(experiment, cell)
    yield from markdown_table(header, rows)


def _rows(experiment: Experiment, cell: Callable[[TableEntry], str]) -> Iterator[list[str]]:
    yield ["trained on", "tested on", *map(paper.title, experiment.models)]
    for train, test in experiment.combinations:
        yield [
            train,
            test,
            *(cell(experiment.entry(model, train, test)) for model in experiment.models),
        ]


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    for line in (header, ["---"] * len(header), *rows):
        yield f"| {' | '.join(text.replace('|', '¦') for text in line)} |"
