"""The stories as compact data: an index of columns, and blocks of stories."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from clutrr.explore.pick import Selection
from clutrr.explore.runs import Read
from clutrr.explore.stories import VERDICTS, Story, StoryPart
from clutrr.measure import natural
from clutrr.puzzle import Puzzle

BLOCK = 50  # stories that are unpacked at once


def make_index(selection: Selection, stories: Sequence[Story]) -> dict[str, Any]:
    """Return the values of each property, and for each story one number per property."""
    world, picked = selection.world, selection.picked
    columns = {
        "subset": [one.subset for one in picked],
        "split": [one.split for one in picked],
        "target": [one.puzzle.target for one in picked],
        "pattern": ["-".join(one.puzzle.pattern) for one in picked],
        "verdict": [story.verdict for story in stories],
    }
    names = {
        "subset": sorted(set(columns["subset"]), key=natural),
        "split": sorted(set(columns["split"])),
        "target": _labels(selection),
        "pattern": [pattern for pattern, _ in Counter(columns["pattern"]).most_common()],
        "verdict": list(VERDICTS),
    }
    place = {column: {name: i for i, name in enumerate(values)} for column, values in names.items()}
    answers = [[one.answers[run] for one in picked] for run in range(len(selection.runs))]
    return {
        "about": {
            "data": selection.data,
            "world": selection.about_world,
            "assume": selection.assume,
            "meaning": world.theory.assumption(selection.assume).about,
            "total": selection.total,
            "runs": selection.runs,
        },
        "words": {
            "relation": world.lexicon.phrases.relation,
            "clauses": world.lexicon.phrases.clauses,
            "question": world.lexicon.phrases.question,
            "scene": world.theory.scene,
            "forms": world.forms,
        },
        "names": names,
        "columns": {
            **{column: [place[column][value] for value in values] for column, values in columns.items()},
            "k": [one.puzzle.k for one in picked],
            "key": _keys([one.puzzle.id for one in picked]),
        },
        "answers": [[place["target"][a.text] if a else -1 for a in given] for given in answers],
        "probabilities": [
            [round(a.probability, 3) if a and a.probability is not None else None for a in given]
            for given in answers
        ],
    }


def _labels(selection: Selection) -> list[str]:
    """Return every target and answer, in the order of the world."""
    used = {one.puzzle.target for one in selection.picked}
    used |= {answer.text for one in selection.picked for answer in one.answers if answer}
    known = selection.world.relations
    return [label for label in known if label in used] + sorted(used.difference(known))


def _keys(ids: Sequence[str]) -> list[str]:
    """Return a name for each story, to link to: its id, with a number if it appears twice."""
    taken: set[str] = set()
    times: Counter[str] = Counter()
    keys = []
    for number in ids:
        key = number
        while key in taken:
            times[number] += 1
            key = f"{number}~{times[number] + 1}"
        taken.add(key)
        keys.append(key)
    return keys


def make_blocks(selection: Selection, stories: Sequence[Story]) -> tuple[dict[str, Any], list[Any]]:
    """Return tables of the sentences and values that occur more than once, and the stories in blocks."""
    shapes = Counter(part.shape for story in stories for part in story.parts)
    values = Counter(name for s in stories for part in s.parts for name in part.entities)
    tables = {"shapes": _several(shapes), "values": _several(values)}
    shape_at = {shape: i for i, shape in enumerate(tables["shapes"])}
    value_at = {value: -1 - i for i, value in enumerate(tables["values"])}

    def packed(part: StoryPart, number: dict[str, int]) -> list[Any]:
        entities = [number.get(name, value_at.get(name, name)) for name in part.entities]
        return [part.role, part.facts, shape_at.get(part.shape, part.shape), *entities]

    whole = []
    for one, story in zip(selection.picked, stories, strict=True):
        number = {name: i for i, name in enumerate(story.entities)}
        whole.append(
            {
                "id": one.puzzle.id,
                "parts": [packed(part, number) for part in story.parts],
                "entities": story.entities,
                "facts": story.facts,
                "path": story.on_path,
                "query": story.query,
                **story.case,
                **({"read": [read and _read(one.puzzle, read) for read in one.read]} if one.read else {}),
            }
        )
    return tables, [whole[i : i + BLOCK] for i in range(0, len(whole), BLOCK)]


def _read(puzzle: Puzzle, read: Read) -> dict[str, Any]:
    """Return what a model read, in the direction of the data's facts, with their relations, if any."""
    facts = {(fact.head, fact.tail): fact.relation for fact in puzzle.facts}
    believed: list[list[Any]] = []
    for head, relation, tail, back, share, stated in read.believed:
        if (tail, head) in facts and (head, tail) not in facts:
            head, relation, tail = tail, back, head
        believed.append([head, relation, tail, share, stated, facts.get((head, tail))])
    return {"believed": believed, "way": read.way, "steps": read.steps}


def _several(counts: Counter[str]) -> list[str]:
    return [text for text, times in counts.most_common() if times > 1]
