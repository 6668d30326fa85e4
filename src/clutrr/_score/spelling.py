"""How relations are spelt in replies."""

from clutrr._lexicon import World

# One kind of apostrophe and of dash.
PLAIN = {ord(char): "'" for char in "\u2019\u2018\u02bc\u00b4"} | {
    ord(char): "-" for char in "\u2010\u2011\u2012\u2013\u2212"
}


def spellings(world: World) -> dict[str, str]:
    """Return the words for each label: itself, and synonyms.

    A synonym may also stand for the label at the beginning of another one: "mom-in-law".
    """
    synonyms = world.lexicon.phrases.words.synonyms.items()
    found = {word: label for word, label in synonyms if label in world.meaning}
    for word, label in synonyms:
        for relation in world.relations:
            if relation.startswith(f"{label}-"):
                found[f"{word}{relation.removeprefix(label)}"] = relation
    return found | {relation: relation for relation in world.relations}
