"""Questions in plain words, a column at a time."""

import re

import pyarrow as pa
import pyarrow.compute as pc

from clutrr._lexicon import Lexicon
from clutrr._writing.arrow import string, strings

_SLOT = re.compile(r"\{([ab])(?::([^{}]*))?\}")


def question_column(
    lexicon: Lexicon, first: pa.StringArray, second: pa.StringArray
) -> pa.StringArray:
    """Return what is asked of these names: what the second is to the first."""
    names = {"a": first, "b": second}
    before, one, how, between, other, other_how, after = _SLOT.split(lexicon.phrases.question)
    start, middle, end, nothing = map(string, (before, between, after, ""))
    put = [
        _written(lexicon, names[slot], spec or "")
        for slot, spec in ((one, how), (other, other_how))
    ]
    return pc.binary_join_element_wise(start, put[0], middle, put[1], end, nothing)


def _written(lexicon: Lexicon, names: pa.StringArray, case: str) -> pa.StringArray:
    """Return the names in a case."""
    if not case:
        return names
    numbered = names.dictionary_encode()
    spelled = (lexicon.spell(name, case).written() for name in numbered.dictionary.to_pylist())
    return strings(spelled).take(numbered.indices)
