"""What a book is asked to be: a config that is checked when it is made."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from clutrr._books.vocabulary import Part, vocabulary
from clutrr._config import check_ranges, check_types, read_numbers, read_words
from clutrr._lexicon import World, builtin_world
from clutrr._puzzle import SPLITS
from clutrr.errors import ConfigError

FORMS = ("who", "what", "how-many", "which", "yes-no", "compare")
STYLES = ("sentences", "prose")
_MOST = 20_000_000  # entities
_DEFAULT = {  # the world that tells a part beside the main one
    "families": "kinship",
    "ages": "order",
    "places": "directions",
    "regions": "regions",
    "events": "time",
}
_HOPS = 8


@dataclass(frozen=True)
class BookConfig:
    """What a book is asked to be.

    Args:
        parts: what the book is about, the main one first: families, ages, places, regions, events.
        entities: of the main part; the others have fewer.
        tokens: instead of entities, how long all articles together are, a token being four characters.
        hops: how many links a question follows, one after the other: several numbers.
        questions: how many there are.
        forms: of the questions.
        unanswerable: the share of the questions whose answer cannot be told.
        distractors: in each article, sentences that say nothing.
        style: sentences, or prose.
        seed: of everything.
        split: train or test; their books share nothing.
        number: of the book: a stream has many.
    """

    parts: tuple[str, ...] = ("families",)
    entities: int = 500
    tokens: int | None = None
    hops: tuple[int, ...] = (1, 2, 3, 4, 5, 6)
    questions: int = 1000
    forms: tuple[str, ...] = FORMS
    unanswerable: float = 0.1
    distractors: int = 2
    style: str = STYLES[0]
    seed: int = 0
    split: str = SPLITS[1]
    number: int = 0

    def __post_init__(self) -> None:
        check_types(self)
        check_ranges(
            self,
            entities=(10, _MOST),
            tokens=(2000, 100 * _MOST),
            questions=(0, _MOST),
            unanswerable=(0, 1),
            distractors=(0, 20),
            seed=(0, math.inf),
            number=(0, math.inf),
        )
        if not self.hops or not all(1 <= one <= _HOPS for one in self.hops):
            raise ConfigError(f"is not from 1 to {_HOPS}", setting="hops", value=self.hops)
        _known("forms", self.forms, FORMS)
        _known("style", [self.style], STYLES)
        _known("split", [self.split], SPLITS)
        _known("with_", self.parts, tuple(vocabulary().parts))

    @property
    def half(self) -> int:
        """Which half of the names is the split's."""
        return SPLITS.index(self.split)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
        }


def _known(setting: str, given: Sequence[str], known: Sequence[str]) -> None:
    if not given:
        raise ConfigError(f"names none of {', '.join(known)}", setting=setting)
    for one in given:
        if one not in known:
            raise ConfigError(f"is not one of {', '.join(known)}", setting=setting, value=one)


def part_of(world: World) -> Part:
    """Return the part that a world tells. Raises ConfigError where there is none."""
    words = vocabulary()
    part = words.part_of(world.theory.name)
    if part is None:
        known = ", ".join(one.theory for one in words.parts.values())
        raise ConfigError(
            f"is about {world.theory.name}: there are books about {known}",
            setting="world",
            value=world.name,
        )
    if world.lexicon.language.partition("-")[0] != "en":
        raise ConfigError("is not in English, as books are", setting="world", value=world.name)
    return part


def config_of(world: World, given: Mapping[str, Any]) -> BookConfig:
    """Return the config of settings as users give them. `with_`: the parts beside the world's."""
    settings = dict(given)
    more = read_words(settings.pop("with_", None), "with_")
    _known("with_", more or ["ages"], tuple(vocabulary().parts))
    settings["parts"] = tuple(dict.fromkeys((part_of(world).name, *more)))
    if "hops" in settings:
        settings["hops"] = read_numbers(settings["hops"], "hops")
    if "forms" in settings:
        settings["forms"] = tuple(read_words(settings["forms"], "forms"))
    return BookConfig(**settings)


def worlds_of(world: World, config: BookConfig) -> dict[str, World]:
    """Return what tells each part: the world itself its own, and built-in worlds the others."""
    return {
        part: world if at == 0 else builtin_world(_DEFAULT[part])
        for at, part in enumerate(config.parts)
    }
