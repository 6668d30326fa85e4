"""The words of an answer beside the labels: synonyms, negations, words that change a relation.

English words count in every world, since replies are often in English; others in their language.
What depends on the relations comes from the phrases of the world's lexicon.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from clutrr.world import World

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
    endings: Collection[tuple[str, ...]]
    foreign: Collection[str]
    negations: Collection[str]
    contrary: Collection[str]


def answer_words(world: World) -> AnswerWords:
    """Return the words for answers to questions about stories of this world."""
    base = world.lexicon.language.split("-")[0].lower()
    phrases = world.lexicon.phrases

    def of(table: Mapping[str, str]) -> frozenset[str]:
        return frozenset(f"{table['en']} {table.get(base, '')}".split())

    return AnswerWords(
        phrases.synonyms,
        phrases.prefixes,
        frozenset(word for language in {"en", base} for word in phrases.modifiers.get(language, ())),
        frozenset(tuple(suffix.split("-")) for suffix in phrases.suffixes),
        phrases.unlabelled,
        of(_NEGATIONS),
        of(_CONTRARY),
    )
