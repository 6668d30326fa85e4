"""Letters of options in an answer to a question of choice."""

import re

_ALONE = re.compile(
    r"""[\s*_`"'$(\[<]*([A-Za-z])[\s*_`"'$)\]>]*"""
    r"""(?:[.):\]-].*|,?\s*\b(?:because|since)\b.*|,\s*not\b.*)?\s*\Z""",
    re.DOTALL,
)
_CALLED = re.compile(
    r"\b(?i:answer|option|choice|letter|choose|pick|select|go with|going with)(?: is)?:?[\s*_(\[]*([A-Z])\b(?!')"
)
# What is left at the end of a text: "That leaves C.", "her spouse, that is, A."
_LEFT = re.compile(
    r"\b(?i:leaves?|remains?|left with|that is|i\.e\.|namely|hence|therefore|so)"
    r"(?: only| just)?[\s,:*_]*\(?([A-Z])\b(?!')[\s.)*_]*\Z"
)
# "正解はDです", "D가 정답입니다"
_UNSPACED = re.compile(
    r"[\u3000-\u9fff\uac00-\ud7a3]\s*([A-Z])(?![A-Za-z'])|\A\s*([A-Z])(?=[\u3040-\ud7a3])"
)
# The letter with which a reply begins, if it only explains it then, or with which it ends.
_LEADING = re.compile(
    r"""\A[\s*_`"'$(\[]*([A-Z])[\s*_`"'$)\].:]*(?:,?\s*(?i:because|since)\b|\s(?i:is (?:the |my )?(?:right|correct|best|answer)))"""
)
_LAST = re.compile(
    r"(?:\A|[.!?])\s+\(?([A-Z])\)?(?:\s+(?i:remains|is left|it is|is right|is correct))?[\s.!*]*\Z"
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
_ORDINAL = re.compile(rf"\b(?i:({'|'.join(_ORDINALS)}) (?:option|choice|answer|one))\b")
_OTHER = re.compile(r"(?:\b(?i:or|and)\b|[/&,])\s*\(?[A-Z]\b(?!')")
_SEVERAL = re.compile(r"\b(?i:both|either)\s+\(?([A-Z])\)?\s+(?i:and|or)\s+\(?([A-Z])\b(?!')")


def letter_in(said: str, options: int) -> int | None:
    """Return the number of the option whose letter is given: "B", "(B)", "B) daughter"."""
    ordinals = _ORDINAL.findall(said)
    if len(ordinals) == 1:
        number = _ORDINALS.index(ordinals[0].lower())
        return number if number < options else None
    match = (
        _ALONE.match(said) or _CALLED.search(said) or _LEFT.search(said) or _UNSPACED.search(said)
    )
    if match is None or _OTHER.search(said, match.end(match.lastindex or 1)):
        return None
    number = ord(match[match.lastindex or 1].upper()) - ord("A")
    return number if number < options else None


def leading_letter(said: str, options: int) -> int | None:
    """Return the number of the option with whose letter a reply begins or ends: "B, because ...", "... B remains."."""
    match = _LEADING.match(said) or _LAST.search(said)
    number = ord(match[1]) - ord("A") if match else options
    return number if number < options else None


def letters_in(said: str, options: int) -> int:
    """Return how many options a text names by their letters."""
    found = {*re.findall(r"(?<![\w'])(A(?! [a-z])|[B-Z])\b(?!')", said)}
    return sum(ord(letter) - ord("A") < options for letter in found)


def names_several(after: str) -> bool:
    """Return whether an explanation leaves it at several options: "both A and B look right"."""
    return _SEVERAL.search(after) is not None
