"""What becomes of statements in the course of an argument.

What follows a supposition is supposed, up to the sentence that ends it ("... a contradiction. So ...").
A sentence that stops short ("Wait, no.", "Hmm.") takes back an earlier claim where a later one says
otherwise of the same two.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from clutrr._reading import SentenceReading
from clutrr._statement import Statement, Status

_SUPPOSES = re.compile(
    r"\W*(?:(?:now|so|first|next|but|and|or|ok(?:ay)?),?\s+)?(?:let(?:'s| us|\u2019s)?\s+)?"
    r"(?:suppose|assume|imagine|say|test|try)\b(?! that this)|\W*what if\b|\W*for the sake of"
    r"|\W*(?:in )?case (?:\d|[a-z]\b|one|two|three)|\W*(?:do not|don't|don\u2019t|not to be) confuse"
    r"|\W*(?:(?:an?|one|the|my|our) )?(?:(?:first|second|initial|common|naive|usual) )?"
    r"(?:hypothes[ie]s|guess|wrong|incorrect|false|mistaken|mistakes?|errors?)\b",
    re.IGNORECASE,
)
_ENDS_SUPPOSITION = re.compile(
    r"\b(?:contradict\w*|impossible|cannot be|can't be|can\u2019t be|absurd|rules? (?:that|this|it) out"
    r"|ruled out|that fails|doesn't (?:work|fit)|not possible|in fact|actually|instead|however"
    r"|back to|either way|in both cases|regardless|the story (?:says|states|tells)|we know|given)\b",
    re.IGNORECASE,
)
# What shows that a supposition fails: what stands before it in its sentence is still supposed.
_FAILS = re.compile(
    r"\b(?:contradict\w*|impossible|absurd|fails?|doesn't|does not|rejected)\b", re.IGNORECASE
)
_RIGHT = re.compile(r"\W*(?:right|correct)\b", re.IGNORECASE)
_STOPS_SHORT = re.compile(
    r"\W*(?:wait|hmm+|hm|no|oops|sorry|actually|correction|scratch that|strike that|on second thought"
    r"|let me (?:re-?check|correct|redo|reconsider|start over)|that(?:'s| is|\u2019s) (?:not right|wrong)"
    r"|not quite|my mistake|i made)\b",
    re.IGNORECASE,
)
_TAKES_BACK = re.compile(
    r"\W*(?:(?:wait|hmm+|oops|sorry|ah|oh|ok(?:ay)?)\W+)*(?:no\b(?! (?:other|one|wait))|no,? wait\b"
    r"|scratch that|strike that|that(?:'s| is|\u2019s) (?:not right|wrong)|my mistake|i made a|correction\b"
    r"|(?:that|this|which|it) (?:was|is) (?:an?|my) (?:typo|mistake|slip|error)|(?:but )?that is (?:wrong|mistaken)"
    r"|rejected\b|this is (?:rejected|mistaken|wrong))",
    re.IGNORECASE,
)
_LONGEST_SUPPOSITION = 8  # sentences


def statements_of(text: str, sentences: Sequence[SentenceReading]) -> list[Statement]:
    """Return what the sentences of an argument say, each with the status that it ends up with."""
    found: list[tuple[int, Statement]] = []  # with how often the argument stopped short before
    supposing = stops = 0
    for sentence in sentences:
        said = text[sentence.start : sentence.end]
        if _TAKES_BACK.match(said):
            _retract_last(found)
        if _STOPS_SHORT.match(said):
            stops += 1
        until = 0  # where in the text a supposition ends
        if _SUPPOSES.match(said):
            supposing = _LONGEST_SUPPOSITION
        elif supposing:
            fails = _FAILS.search(said)
            until = sentence.start + fails.start() if fails else 0
            ends = _ENDS_SUPPOSITION.search(said) or _RIGHT.match(said)
            supposing = 0 if ends else supposing - 1
        found += [
            (stops, _supposed(one) if supposing or one.start < until else one)
            for one in sentence.statements
        ]
    return _without_revised(found)


def _retract_last(found: list[tuple[int, Statement]]) -> None:
    """Take back the last claim: "So Bob is Ann's son. Wait, no, ..."."""
    for number in range(len(found) - 1, -1, -1):
        stops, one = found[number]
        if one.status is Status.ASSERTED:
            found[number] = stops, replace(one, status=Status.RETRACTED)
        return


def _supposed(one: Statement) -> Statement:
    return replace(one, status=Status.SUPPOSED) if one.status is Status.ASSERTED else one


def _without_revised(found: Sequence[tuple[int, Statement]]) -> list[Statement]:
    """Retract claims that a later one corrects, with a stop between the two."""
    last: dict[frozenset[str], tuple[int, Statement]] = {}
    result = []
    for stops, one in reversed(found):
        pair = frozenset((one.head, one.tail))
        later = last.get(pair)
        if one.status is Status.ASSERTED and one.tail:
            if later is not None and later[0] > stops and _differs(one, later[1]):
                one = replace(one, status=Status.RETRACTED)
            else:
                last[pair] = stops, one
        result.append(one)
    return result[::-1]


def _differs(one: Statement, other: Statement) -> bool:
    """Return whether two statements about a pair, from the same side, share no relation."""
    return one.head == other.head and not {*one.relations} & {*other.relations}
