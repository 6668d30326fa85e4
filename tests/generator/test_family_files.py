"""Scenes from family files (GEDCOM): what is read, what is left out, and that the answers are so in the family."""

import json

import pytest

import clutrr
from clutrr.errors import ClutrrError
from commands import outcome, refused, told


def person(number, sex="", *more):
    return [
        f"0 @I{number}@ INDI",
        f"1 NAME Zyx{number} /Qwv/",
        *([f"1 SEX {sex}"] * bool(sex)),
        *more,
    ]


def family(number, husband, wife, *children):
    lines = [f"0 @F{number}@ FAM"]
    lines += [f"1 HUSB @I{husband}@"] * bool(husband) + [f"1 WIFE @I{wife}@"] * bool(wife)
    return [*lines, *(f"1 CHIL @I{child}@" for child in children)]


def written(folder, *records, name="kin.ged", end="\n", encoding="utf-8"):
    lines = ["0 HEAD", "1 CHAR UTF-8", *(line for record in records for line in record), "0 TRLR"]
    path = folder / name
    path.write_bytes(end.join([*lines, ""]).encode(encoding))
    return path


def grown(couples=1, first=1):
    """Records of families of 14: a couple, two children, their spouses, and four children each."""
    records = []
    for number in range(first, first + couples):
        at = 100 * number
        sexes = "MFMFFMMFMFMFMF"
        records += [person(at + i, sex) for i, sex in enumerate(sexes, 1)]
        records.append(family(3 * number, at + 1, at + 2, at + 3, at + 4))
        records.append(family(3 * number + 1, at + 3, at + 5, *range(at + 7, at + 11)))
        records.append(family(3 * number + 2, at + 6, at + 4, *range(at + 11, at + 15)))
    return records


def note_of(path):
    found = []
    clutrr.generate(k=1, size=1, from_=path, note=found.append)
    return found[0]


@pytest.mark.parametrize("preset", ["sound", "strict", "mixed", "described"])
def test_what_is_possible_is_what_the_solver_finds(tmp_path, preset):
    path = written(tmp_path, *grown())
    puzzles = clutrr.generate(preset, k="2-4", size=40, from_=path)
    assert len(puzzles) == 120
    world = clutrr.load_world("kinship")
    judge = world.theory.solver(world.labels, puzzles.assume)
    for puzzle in puzzles:
        verdict = judge.verdict(puzzle.facts, puzzle.query)
        assert set(verdict.relations) == set(puzzle.possible)
        if puzzle.target != "cannot be told":
            assert puzzle.target in verdict.relations


def test_facts_are_those_of_the_family(tmp_path):
    """Of one couple and three children: a mother, a father, two sons, a daughter, and nobody else."""
    path = written(tmp_path, person(1, "M"), person(2, "F"), person(3, "M"), person(4, "M"),
                   person(5, "F"), family(1, 1, 2, 3, 4, 5))  # fmt: skip
    puzzles = clutrr.generate("described", k=1, size=300, from_=path)
    pairs = {(puzzle.target, puzzle.entities[1].form) for puzzle in puzzles}
    words = "father mother husband wife son daughter brother sister"
    assert {word for word, _ in pairs} == set(words.split())
    daughters = [p for p in puzzles if p.target == "sister"]
    # Somebody's sister is the one daughter, so her brothers ask for her and she for no sister.
    assert {puzzle.entities[0].form for puzzle in daughters} == {"male"}


def test_no_name_of_the_file_is_in_the_data(tmp_path):
    path = written(tmp_path, *grown())
    out = tmp_path / "out"
    clutrr.generate(k=2, train=30, test=10, out=out, format="jsonl", from_=path, workers=1)
    text = "".join(file.read_text() for file in out.rglob("*") if file.is_file())
    assert "Zyx" not in text
    assert "Qwv" not in text
    assert "kin.ged" not in text


def test_what_does_not_fit_is_left_out_and_counted(tmp_path):
    records = [
        *grown(),
        person(1, "M"), person(2, "M"), family(50, 1, 2),  # of one sex
        person(3, "M"), person(4, "F"), family(51, 3, 0, 4),  # an unknown mother
        person(5, "F"), family(52, 101, 5, 6), person(6, "M"),  # a second marriage, with one child
        person(7, "F", "1 FAMC @F3@", "2 PEDI adopted"),
        family(53, 107, 112),  # a marriage of cousins: a parents' link closes the circle
        person(8, "X"), person(9, "M"), family(54, 9, 8),
        person(10), family(55, 110, 0), ["1 CHIL @I10@"],
    ]  # fmt: skip
    note = note_of(written(tmp_path, *records))
    assert note.startswith("14 people in 1 family; left out: ")
    for part in (
        "couples of one sex 1",
        "families with an unknown partner 2",
        "further marriages 1",
        "parents who are not so by birth 1",
        "links that close a circle 1",
        "families with a partner of unknown sex 1",
    ):
        assert part in note, part


def test_encodings_and_line_ends(tmp_path):
    plain = written(tmp_path, *grown())
    expected = list(clutrr.generate(k=2, size=20, from_=plain))
    for encoding, end in (("utf-16", "\r\n"), ("utf-8-sig", "\r\n"), ("latin-1", "\r")):
        other = written(tmp_path, *grown(), name="other.ged", end=end, encoding=encoding)
        assert list(clutrr.generate(k=2, size=20, from_=other)) == expected


def test_train_and_test_ask_about_different_large_families(tmp_path):
    def two(*sizes):
        records = []
        for at, size in enumerate(sizes, 1):
            born = [1000 * at + i for i in range(3, size + 1)]
            couple = 1000 * at + 1, 1000 * at + 2
            records += [person(couple[0], "M"), person(couple[1], "F")]
            records += [person(one, "MF"[one % 2]) for one in born]
            records.append(family(at, *couple, *born))
        return written(tmp_path, *records)

    def scene(path):
        made = clutrr.generate(k=2, train=8, test=8, out=tmp_path / "o", force=True, from_=path)
        return made, (tmp_path / "o" / "README.md").read_text()

    made, card = scene(two(22, 30))
    assert made["scene"]["M2"] == {"families": "1", "people": "30"}
    assert "the same families" not in card
    assert "test asks about others" in card
    assert "equally likely" not in card
    made, card = scene(two(22, 6))
    assert made["scene"]["M2"] == {"families": "2", "people": "28"}
    assert "train and test ask about the same families" in card


@pytest.mark.parametrize("world", ["kinship-de", "kinship-zh", "kinship-v1"])
def test_in_every_language(tmp_path, world):
    path = written(tmp_path, *grown())
    puzzles = clutrr.generate(k=3, size=12, from_=path, world=world, style="sentences")
    report = clutrr.audit(puzzles)
    assert report.to_json()["subsets"]["M3"]["train"]["soundness"]["tree"]["proved"] == 100


def test_the_command_and_a_stream_give_the_same(tmp_path):
    path = written(tmp_path, *grown(2))
    done = told("generate", tmp_path / "out", "--from", path, "--k", 2, "--train", 20, "--test", 5)
    assert done["notes"][0] == "28 people in 2 families"
    made = clutrr.read(tmp_path / "out")
    expected = clutrr.generate(k=2, size=20, from_=path)
    assert [one.story for one in made if "train" in one.id] == [one.story for one in expected]
    stream = clutrr.stream(k=2, from_=path)
    assert stream[5] == stream[5]
    assert stream[5].k == 2
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert len(manifest["config"]["families"].split(";")) == 2


def test_with_noise_prose_and_statements(tmp_path):
    path = written(tmp_path, *grown())
    for settings in (
        {"noise": "supporting=2,irrelevant=1,disconnected=1"},
        {"style": "prose", "brackets": False},
        {"off_path": 1},
        {"vague": 0.5},
        {"disjoint": "patterns"},
    ):
        puzzles = clutrr.generate(k=3, size=10, from_=path, **settings)
        assert len(list(puzzles)) == 10


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--world", "time"), "are no families"),
        (("--scene", "levels=3"), "the families are those of the file"),
        (("--preset", "published"), "has families of its own"),
        (("--table", "composition"), "a table has none"),
        (("--set", "clutrr-2026-kinship"), "a frozen set fixes it"),
        (("--k", "30"), "the families of the file have 14 at most"),
    ],
)
def test_what_does_not_go_together_is_refused(tmp_path, options, said):
    path = written(tmp_path, *grown())
    assert said in refused("generate", tmp_path / "out", "--from", path, *options)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is not GEDCOM"),
        (b"a,b,c\n1,2,3\n", "is not GEDCOM"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "is not GEDCOM"),
        (b"0 HEAD\n0 TRLR\n", "no couple"),
        (b"0 HEAD\n0 @I1@ INDI\n0 @I1@ INDI\n", "line 3: @I1@ is already the mark of line 2"),
    ],
)
def test_bad_files_are_one_clear_line(tmp_path, content, said):
    path = tmp_path / "bad.ged"
    path.write_bytes(content)
    line = refused("generate", tmp_path / "out", "--from", path)
    assert said in line
    assert "bad.ged" in line
    with pytest.raises(ClutrrError):
        clutrr.generate(from_=tmp_path)
    assert outcome("generate", tmp_path / "out", "--from", tmp_path / "nix.ged")[0] == 2
