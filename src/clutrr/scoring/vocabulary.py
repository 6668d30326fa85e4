"""The words of an answer beside the relations: synonyms, negations, words that change a relation.

English words count in every world, since replies are often in English; others in their language.
`answer_words` is the only function here that depends on what the relations of a world are about.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from clutrr.wording.free import SAME
from clutrr.world import World

# Other words for the relations of English worlds.
_SYNONYMS = {
    **SAME,
    "mama": "mother",
    "mommy": "mother",
    "mummy": "mother",
    "papa": "father",
    "grandmom": "grandmother",
    "grandmum": "grandmother",
    "grandmama": "grandmother",
    "nana": "grandmother",
    "grandad": "grandfather",
    "grandpapa": "grandfather",
    "hubby": "husband",
    "auntie": "aunt",
    "aunty": "aunt",
}

# A word before a relation that makes it another one, with or without a hyphen.
_CHANGING = {
    "en": "great step half foster god ex adoptive",
    "de": "ur stief halb pflege paten ex",
    "fr": "arrière beau belle demi petit petite ex",
    "es": "bis medio media ex",
}

# Relations that an English answer may name although the world has no label for them.
_FOREIGN = frozenset(
    "aunt uncle niece nephew cousin brother sister son daughter mother father wife husband grandson "
    "granddaughter grandmother grandfather stepmother stepfather stepson stepdaughter "
    "stepbrother stepsister".split()
)

# A word that takes back the relations after it, up to the end of the clause.
_NEGATIONS = {
    "en": "not no never neither nor cannot without isnt wasnt arent cant couldnt doesnt",
    "de": "nicht kein keine keiner keinen weder noch nie niemals",
    "fr": "pas ni jamais aucun aucune",
    "es": "no ni nunca tampoco",
    "it": "non né mai",
    "pt": "não nem nunca",
    "nl": "niet geen noch nooit",
}

# A word that starts a new clause, in which earlier negations no longer count.
_CONTRARY = {
    "en": "but rather instead however so therefore thus hence",
    "de": "sondern aber also daher sie er es",
    "fr": "mais donc elle il c",
    "es": "sino pero así ella él",
}


_PREFIXES = ("grand",)  # written apart or not
_ENDINGS = (("in", "law"),)  # two words after a relation that make it another one


@dataclass(frozen=True)
class AnswerWords:
    """The words of answers about a world, beside its relations.

    - synonyms: other words for relations
    - prefixes: parts of a relation that may be written apart
    - changing, endings: a word before a relation, and two after it, that make it another one
    - foreign: relations that an answer may name although the world has no label for them
    - negations: words that take back the relations after them, up to the end of the clause
    - contrary: words that start a new clause, in which earlier negations no longer count
    """

    synonyms: Mapping[str, str]
    prefixes: Collection[str]
    changing: Collection[str]
    endings: Collection[tuple[str, str]]
    foreign: Collection[str]
    negations: Collection[str]
    contrary: Collection[str]


def answer_words(world: World) -> AnswerWords:
    """Return the words for answers to questions about stories of this world."""

    def of(table: dict[str, str]) -> frozenset[str]:
        base = world.language.split("-")[0].lower()
        return frozenset(f"{table['en']} {table.get(base, '')}".split())

    return AnswerWords(_SYNONYMS, _PREFIXES, of(_CHANGING), _ENDINGS, _FOREIGN, of(_NEGATIONS), of(_CONTRARY))
