"""What is stated and is no fact, in the wording of a world, is read back as it was meant."""

import random

import pytest

import clutrr
from clutrr._lexicon.statements import closed_key
from clutrr._reading import reader_of
from clutrr._statement import Statement, StatementKind, Status
from clutrr._worlds import load_world

WORLDS = ("kinship", "kinship-v1", "order", "time", "regions", "directions")
NAMES = ("Ann", "Bob", "Carl", "Dora")


def drawn(world, rng):
    """Yield statements of every kind that the world has words for."""
    labels, words = world.labels, world.lexicon.statements
    every = list(dict.fromkeys(labels.relations))
    pairs = [(rng.sample(NAMES, 2)) for _ in range(150)]
    for head, tail in pairs:
        some = tuple(rng.sample(every, rng.randint(1, min(4, len(every) - 1))))
        if len(some) > 1:
            yield Statement(StatementKind.ALTERNATIVES, head, some, tail)
        yield Statement(StatementKind.DENIAL, head, some, tail, status=Status.DENIED)
    for of in words.open.values():
        yield Statement(StatementKind.ALTERNATIVES, "Ann", of, "Bob")
    for key in words.plurals if words.none else ():
        if all(word in labels.meaning for word in key.split("/")):
            for size in range(4):
                entities = tuple(rng.sample(NAMES[1:], size))
                yield Statement(
                    StatementKind.CLOSURE, "Ann", tuple(key.split("/")), entities=entities
                )
    for form in words.forms:
        yield Statement(StatementKind.FORM, "Ann", (form,))


def same(one, other):
    return (
        one.kind is other.kind
        and (one.head, one.tail, one.entities) == (other.head, other.tail, other.entities)
        and set(one.relations) == set(other.relations)
        and (one.status is Status.DENIED) == _denies(other)
    )


def _denies(one):
    nobody = one.kind is StatementKind.CLOSURE and not one.entities  # "Ann has no sons"
    return one.status is Status.DENIED or nobody


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("mark", ["[{}]", "{}"], ids=["brackets", "plain"])
def test_every_sentence_is_read_back_to_the_same_statement(name, mark):
    world, rng = load_world(name), random.Random(7)
    words, reader = world.lexicon.statements, reader_of(world)
    seen = 0
    for one in drawn(world, rng):
        texts = words.texts(one, world.labels)
        assert texts, one
        for text in texts:
            said = text.filled(one, words, mark.format)
            (read,) = list(reader.read(said)) or [None]
            assert read is not None, said
            assert same(read, one), (said, read)
            assert said[read.start : read.end] == said
            seen += 1
    assert seen > 200


@pytest.mark.parametrize("name", ["kinship-de", "order-zh"])
def test_a_language_without_these_words_has_none(name):
    assert load_world(name).lexicon.statements is None


def test_a_world_keeps_its_words_for_statements(tmp_path):
    """Words of its own are written with it, and change its digest; those of its theory do neither."""
    from clutrr._lexicon import save_world

    plain = load_world("kinship")
    save_world(plain, tmp_path / "plain")
    assert not (tmp_path / "plain/statements.yaml").exists()
    (tmp_path / "plain/statements.yaml").write_text('denials: ["{b} is no {r} of {a}."]\n')
    told = load_world(str(tmp_path / "plain"))
    assert told.digest != plain.digest
    save_world(told, tmp_path / "again")
    again = load_world(str(tmp_path / "again"))
    assert again.lexicon.statements.denials == ("{b} is no {r} of {a}.",)
    (read,) = clutrr.statements("[Bob] is no son of [Ann].", again)
    assert (read.kind, read.relations) == (StatementKind.DENIAL, ("son",))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("alternative: []", "there is no entry 'alternative'"),
        ('denials: ["{b} is not {a}."]', "must hold {a} and {b} and {r} once"),
        ("forms: {tall: ['{a} is tall.']}", "there is no such form"),
        ("or: 3", "is not a text"),
    ],
)
def test_a_file_that_is_wrong_is_refused(tmp_path, content, said):
    from clutrr._lexicon import save_world

    save_world(load_world("kinship"), tmp_path / "w")
    (tmp_path / "w/statements.yaml").write_text(content + "\n")
    with pytest.raises(clutrr.errors.WorldError, match=said):
        load_world(str(tmp_path / "w"))


def test_labels_closed_together_have_one_name():
    assert closed_key(("son", "daughter"), load_world("kinship").labels) == "daughter/son"
