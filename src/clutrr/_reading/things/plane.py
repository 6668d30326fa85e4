"""Reads ordinary sentences about where one thing is, as seen from another: compass, sides, corners, clocks.

A sentence names two things. Each of its clauses has a subject, and says where that is: as seen from the
other ("above it, to the left"), or by itself ("on the left"). A sentence whose clauses say different
things states them all. One with a word that is not known is not read.
"""

import re

from clutrr._labels import Labels
from clutrr._puzzle import Fact
from clutrr._sentences import ENTITY
from clutrr.theory.directions import STEPS

Step = tuple[int, int]  # to the east, to the north

_STEPS: dict[str, Step] = {
    **dict.fromkeys("north northern above over top upper up higher atop front".split(), (0, 1)),
    **dict.fromkeys(
        "south southern below under beneath underneath bottom lower down".split(), (0, -1)
    ),
    **dict.fromkeys("east eastern right righthand right-hand".split(), (1, 0)),
    **dict.fromkeys("west western left lefthand left-hand".split(), (-1, 0)),
}
_OTHER_WORDS = frozenset(
    """
    a about agent also an and appears approximately are area as at away be between but by called center
    centre clock close column compared corner diagonal diagonally direction directly due each edge end
    exactly face far found from gap hand has have horizontal horizontally if immediately in is it its just
    labeled labelled level lies line located location lying near next object of off on other overlap
    overlapping overlaps parallel part place placed plane point pointing position positioned presents
    region relative respect row same seen set side sits sitting situated slightly small space spot
    standing stands straight that the them there thing to too toward towards vertical vertically was way
    when where which while with
    """.split()
)
_SAME = re.compile(r"\b(?:overlap|coincide|same (?:place|spot|point|location|position))")
_LEVEL = re.compile(r"\bhorizontal|\bsame (?:level|row|height)\b")
_UPRIGHT = re.compile(r"\bvertical|\bsame column\b")
_DIAGONAL = re.compile(r"\bdiagonal")
_HOURS = re.compile(
    r"\bbetween (\d\d?) and (\d\d?)\b|\b(\d\d?)(?::(\d\d))?(?: ?o'? ?clock| position)?\b"
)
# What gives no direction: "over there", "right above", "at an angle of 45 degrees".
_ASIDE = re.compile(
    r"\bover (?:there|here)\b|\bslightly off(?: the)? cent(?:er|re)\b|\bside by side\b|\bclock face\b"
    r"|\bright (?=above|below|over|under|beneath|on top)"
    r"|\b(?:at )?(?:an? )?(?:about )?\d+[- ]degrees? angle\b"
    r"|\bat (?:an )?angle of (?:about )?\d+ degrees?\b|\b(?:at )?(?:about )?\d+ degrees?\b"
)
_CENTRE = re.compile(
    r"(?:(?:if|when|with) )?([XY]) (?:is|as|at) (?:at |in )?the (?:cent\w+|middle)(?: of a clock)?,?"
)
_PAIR = re.compile(r"^((?:the )?(?:objects? )?[XY]) and (?:the )?(?:object )?[XY]")
_CLAUSE = re.compile(
    r"[,;]?(?: and| with| while| but|(?<=[,;])|(?<= top)|(?<= bottom)|(?<= left)|(?<= right))+"
    r" (?=(?:the )?(?:object )?[XY](?!'s))"
)
_COMPOUND = re.compile(r"\b(north|south|upper|lower|top|bottom)-?(?=east|west|left|right)")
_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*|\d+")
_NAME = re.compile(rf"{ENTITY}|\b[A-Z][\w-]*")
_NO_NAMES = frozenset(
    "Above Agent And As At Below Between Both If In Object Objects On Over The There To Under When".split()
)


class PlaneReader:
    """Reads sentences about two things in the plane."""

    def __init__(self, labels: Labels) -> None:
        self._labels = {step: labels.kind(kind).words[0] for kind, step in STEPS.items()}

    def read(self, sentence: str) -> tuple[Fact, ...] | None:
        """Return what a sentence states; None if it is not understood."""
        text, names = _marked(sentence)
        if len(names) == 1 and text.count("X") == 2:  # "X is above X": no scene has that
            text, names = text.replace("X", "Y").replace("Y", "X", 1), names * 2
        steps = _steps(text) if len(names) == 2 else None
        if steps is None:
            return None
        return tuple(Fact(names[1], self._labels[step], names[0]) for step in steps)


def _marked(sentence: str) -> tuple[str, list[str]]:
    """Return the sentence in lower case with X and Y for the names, and the names."""
    names: list[str] = []

    def mark(match: re.Match[str]) -> str:
        word = match[0]
        article = word == "A" and not re.match(
            r" (?:is|and|lies|sits|presents|are|was|has|at|on)\b|'s", sentence[match.end() :]
        )
        if word in _NO_NAMES or (article and not match.start()):
            return word
        name = word.strip("[]")
        if name not in names:
            names.append(name)
        return f"<{names.index(name)}>"

    text = _NAME.sub(mark, sentence.replace("\u2019", "'")).lower().rstrip(" .!")
    return text.replace("<0>", "X").replace("<1>", "Y"), names


def _steps(text: str) -> tuple[Step, ...] | None:
    """Return where the first name is as seen from the second, in every way that the sentence says it.

    None if it does not say so, or is not understood.
    """
    text = _ASIDE.sub(" ", text)
    text = _COMPOUND.sub(r"\1 ", text)
    about = " ".join(text.split())
    around = _CENTRE.search(about)
    clauses = _CLAUSE.split(_PAIR.sub("both", _CENTRE.sub("", about).strip(" ,")))
    said: dict[Step, None] = {}
    for clause in clauses:
        found = _direction(clause)
        if found is None:
            return None
        if not found:
            continue
        figure = _figure(clause, around[1] if around else "")
        if figure is None:
            return None
        ((east, north),) = found
        said[(east, north) if figure == "X" else (-east, -north)] = None
    level, upright, diagonal = (shape.search(text) for shape in (_LEVEL, _UPRIGHT, _DIAGONAL))
    if not said:
        return None if level or upright or diagonal else ()
    fit = all(
        not (level and north) and not (upright and east) and not (diagonal and not east * north)
        for east, north in said
    )
    return tuple(said) if fit else None


def _direction(clause: str) -> tuple[Step, ...] | None:
    """Return the direction that a clause gives, as the only element, if any; None if it is not clear."""
    hours = list(_HOURS.finditer(clause))
    words = _WORD.findall(_HOURS.sub(" ", clause.replace("o'clock", "")).replace("'s", ""))
    if any(word not in _STEPS and word not in _OTHER_WORDS and word != "both" for word in words):
        return None
    steps = {_STEPS[word] for word in words if word in _STEPS} | {
        _by_clock(match) for match in hours
    }
    east, north = {x for x, _ in steps if x}, {y for _, y in steps if y}
    if len(east) > 1 or len(north) > 1:
        return None
    if not steps:
        return ((0, 0),) if _SAME.search(clause) else ()
    return ((sum(east), sum(north)),)


def _by_clock(match: re.Match[str]) -> Step:
    first, last, hour, minutes = (int(group or 0) for group in match.groups())
    at = (first + (last if last >= first else last + 12)) / 2 if last else hour + minutes / 60
    at %= 12
    return (at not in (0, 6)) * (1 if at < 6 else -1), (at not in (3, 9)) * (
        -1 if 3 < at < 9 else 1
    )


def _figure(clause: str, centre: str) -> str | None:
    """Return what a clause says the place of: its subject, unless it opens with the direction."""
    names: list[str] = re.findall(r"[XY](?:'s)?", clause)
    if centre:
        return next((name for name in names if name != centre), None)
    if clause.startswith("both") or not names:
        return "X" if _SAME.search(clause) else None
    before = _WORD.findall(clause[: clause.index(names[0][0])])
    if (
        names[0].endswith("'s") or " has " in clause or any(word in _STEPS for word in before)
    ):  # "To the left of X is Y", "X has Y on its left"
        return names[1] if len(names) == 2 else None
    return names[0]
