"""The words of an answer besides the relations: synonyms, negations, words that change a relation.

English words count in every world, since replies are often in English; others in their language.
"""

from clutrr.wording.free import SAME

# Other words for the relations of English worlds.
SYNONYMS = {
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
CHANGING = {
    "en": "great step half foster god ex adoptive",
    "de": "ur stief halb pflege paten ex",
    "fr": "arrière beau belle demi petit petite ex",
    "es": "bis medio media ex",
}

# Relations that an English answer may name although the world has no label for them.
FOREIGN = frozenset(
    "aunt uncle niece nephew cousin brother sister son daughter mother father wife husband grandson "
    "granddaughter grandmother grandfather stepmother stepfather stepson stepdaughter "
    "stepbrother stepsister".split()
)

# A word that takes back the relations after it, up to the end of the clause.
NEGATIONS = {
    "en": "not no never neither nor cannot without isnt wasnt arent cant couldnt doesnt",
    "de": "nicht kein keine keiner keinen weder noch nie niemals",
    "fr": "pas ni jamais aucun aucune",
    "es": "no ni nunca tampoco",
    "it": "non né mai",
    "pt": "não nem nunca",
    "nl": "niet geen noch nooit",
}

# A word that starts a new clause, in which earlier negations no longer count.
CONTRARY = {
    "en": "but rather instead however so therefore thus hence",
    "de": "sondern aber also daher sie er es",
    "fr": "mais donc elle il c",
    "es": "sino pero así ella él",
}


def words_for(table: dict[str, str], language: str) -> frozenset[str]:
    """The words of a table for replies about a world in this language."""
    base = language.split("-")[0].lower()
    return frozenset(f"{table['en']} {table.get(base, '')}".split())
