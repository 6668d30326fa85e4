"""A world in another language: renamed relations, two templates each, German words."""

from pathlib import Path

import yaml

from clutrr.world import load_world

WORDS = {
    "child": ("Tochter", "Sohn"),
    "inv-child": ("Mutter", "Vater"),
    "SO": ("Ehefrau", "Ehemann"),
    "sibling": ("Schwester", "Bruder"),
    "grand": ("Enkelin", "Enkel"),
    "inv-grand": ("Großmutter", "Großvater"),
    "in-law": ("Schwiegertochter", "Schwiegersohn"),
    "inv-in-law": ("Schwiegermutter", "Schwiegervater"),
}
ATTRIBUTES = {
    "Beruf": {"values": ["Bäcker", "Lehrer", "Müller"], "templates": ["{person} arbeitet gern als {value}."]},
    "Ort": {
        "values": ["Köln", "Graz"],
        "templates": ["{person} wohnt in {value}.", "In {value} lebt {person}."],
    },
}


def write_german(folder: Path) -> Path:
    """The folder of the world."""
    plain = load_world("kinship")
    kinds = yaml.safe_load(
        (Path(__file__).parents[1] / "src/clutrr/world/kinship/relations.yaml").read_text()
    )
    for name, (woman, man) in WORDS.items():
        kinds[name]["words"] = {"female": woman, "male": man}
    templates = {
        word: [f"{{b}} ist von {{a}} {article} {word}.", f"{{a}} nennt {{b}} {own} {word}."]
        for pair in WORDS.values()
        for word, article, own in zip(
            pair, ("die", "der"), ("ihre oder seine", "ihren oder seinen"), strict=True
        )
    }
    (folder / "names").mkdir(parents=True)
    files = {
        "world": {"language": "de"},
        "relations": kinds,
        "templates": templates,
        "attributes": ATTRIBUTES,
    }
    for name, content in files.items():
        (folder / f"{name}.yaml").write_text(yaml.safe_dump(content, allow_unicode=True, sort_keys=False))
    for gender, names in zip(("female", "male"), plain.lexicon.names, strict=True):
        (folder / "names" / f"{gender}.txt").write_text("\n".join(names) + "\n")
    return folder
