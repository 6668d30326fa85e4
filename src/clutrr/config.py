"""What to generate, and how to ask a language model: configs that are checked when they are made.

Commands and functions of `clutrr.api` take their defaults from here; those of trainings are in
`clutrr.experiment.config`. A setting of several values is given as a text, "3-6" or "a=1,b=2", or as what
Python has for it.
"""

import json
import math
import urllib.parse
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from types import UnionType
from typing import TYPE_CHECKING, Any, get_args

from clutrr.errors import ConfigError, short
from clutrr.measure import numbers

if TYPE_CHECKING:
    from clutrr.world import World

DEFAULT_WORLD = "kinship"
SPLITS = ("train", "test")
ORDERS = ("path", "inserted", "shuffled")  # of the sentences of a story
STYLES = ("sentences", "prose")
DISJOINT = ("patterns", "wordings", "names")  # what train and test can be kept from sharing, beside scenes
_MOST = 100  # facts of a route
_MOST_ROUTES = 8
FORMS = ("which", "yes-no", "choice")  # of a question for a language model
OMITTED = ("relations", "assumptions")  # what a prompt can leave out
_MOST_SHOTS = 64
OPENAI = "https://api.openai.com/v1"
_MOST_PATIENT = 7 * 24 * 3600  # seconds


@dataclass(frozen=True)
class Config:
    """Everything that the content of a data set depends on, beside the world.

    k: facts of a route, for each subset. routes: between the two queried entities; several numbers are mixed.
    preset, order, assume, undetermined: None for what the theory or the preset says; `for_world` fills
    them in. scene: settings of the theory's scenes, such as "levels=3,children=2-4". undetermined: the share
    of questions with several possible answers. supporting, irrelevant, disconnected: facts of each role in a
    story. brackets: whether entities and values are in square brackets. disjoint: what train and test of
    one seed do not share; they never share a scene.
    """

    preset: str | None = None
    k: tuple[int, ...] = (3, 4, 5, 6)
    train: int = 4000
    test: int = 1000
    seed: int = 0
    scene: str = ""
    distractors: int = 8
    order: str | None = None
    assume: str | None = None
    undetermined: float | None = None
    supporting: int = 0
    irrelevant: int = 0
    disconnected: int = 0
    style: str = "sentences"
    brackets: bool = True
    disjoint: tuple[str, ...] = ()
    routes: tuple[int, ...] = (1,)

    def __post_init__(self) -> None:
        check_types(self)
        for name, values, most in (("k", self.k, _MOST), ("routes", self.routes, _MOST_ROUTES)):
            if not values or list(values) != sorted(set(values)) or min(values) < 1:
                listed = ", ".join(map(str, values)) or "nothing"
                raise ConfigError(f"{name}: {listed} is not a list of whole numbers of at least 1")
            if max(values) > most:
                raise ConfigError(f"{name}: {max(values)} is above {most}")
        counts = ("train", "test", "seed", "distractors", "supporting", "irrelevant", "disconnected")
        check_ranges(self, undetermined=(0, 1), **dict.fromkeys(counts, (0, math.inf)))
        if self.train + self.test == 0:
            raise ConfigError("train, test: both are 0, so there is nothing to generate")
        if self.order is not None:
            _one_of("order", self.order, ORDERS)
        _one_of("style", self.style, STYLES)
        if self.style != "prose" and not self.brackets:
            raise ConfigError("brackets: only prose can do without them; add --style=prose")
        if self.supporting % 2 and min(self.k) == 1:
            raise ConfigError(
                f"supporting: {self.supporting} is odd, but another way around the one fact of M1 "
                "takes two facts; ask for an even number"
            )
        for name in self.disjoint:
            _one_of("disjoint", name, DISJOINT)
        if len(set(self.disjoint)) < len(self.disjoint):
            raise ConfigError(f"disjoint: {', '.join(self.disjoint)}: name nothing twice")

    def for_world(self, world: "World") -> "Config":
        """Return the config with everything filled in, checked against a world."""
        preset = world.theory.preset(self.preset)
        if self.routes != (1,) and not world.theory.several_routes:
            raise ConfigError(f"routes: the questions of theory {world.theory.name} have one route")
        mixed = preset.keeps == "mixed"
        if self.undetermined is not None and not mixed:
            raise ConfigError(f"undetermined: only preset mixed has such questions, not {preset.name}")
        share = (0.5 if self.undetermined is None else self.undetermined) if mixed else None
        if share and min(self.k) < 2:
            raise ConfigError("k: preset mixed starts at k = 2: one fact alone is its own answer")
        if share and (self.supporting or self.irrelevant):
            raise ConfigError(
                "supporting, irrelevant: such facts may settle an open question; with preset mixed, ask for "
                "disconnected ones, or for --undetermined=0"
            )
        assume = world.theory.assumption(self.assume or preset.assume).name
        filled = replace(
            self,
            preset=preset.name,
            order=self.order or preset.order,
            assume=assume,
            undetermined=share,
        )
        attributes = len(world.lexicon.attributes)
        if self.distractors == Config.distractors > attributes:  # the usual number, or as many as there are
            filled = replace(filled, distractors=attributes)
        elif self.distractors > attributes:
            raise ConfigError(
                f"distractors: {self.distractors}, but world {world.name!r} has {attributes} attributes"
            )
        if self.style == "prose" and world.lexicon.prose is None:
            raise ConfigError(f"style: world {world.name!r} has no prose.yaml; use --style=sentences")
        world.theory.check(filled, world.supply)
        return filled

    def size(self, split: str) -> int:
        return self.train if split == "train" else self.test

    def routes_of(self, k: int) -> tuple[int, ...]:
        """Return how many routes questions of k facts may take: one where a fact states the answer."""
        return self.routes if k > 1 else (1,)

    @property
    def turns(self) -> list[tuple[int, int]]:
        """The lengths, each with a number of routes, that questions take turns in."""
        counts = sorted({1, *self.routes})
        return [(k, routes) for routes in counts for k in self.k if routes in self.routes_of(k)]

    @property
    def noise(self) -> int:
        """How many facts a story has beside the routes."""
        return self.supporting + self.irrelevant + self.disconnected

    def to_dict(self) -> dict[str, Any]:
        """Return plain data. One route is left out, as in files written before there could be more."""
        found = {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(self).items()}
        if self.routes == (1,):
            del found["routes"]
        return found


@dataclass(frozen=True)
class PromptConfig:
    """How questions are put to a language model.

    form: `which` relation; `yes-no`, is it this one; or a `choice` of several. direct: ask for the answer at
    once, instead of reasoning first. shots: worked examples before the question. omit: what the prompt
    leaves out, of `relations` (the list of labels) and `assumptions`.
    """

    form: str = "which"
    direct: bool = False
    shots: int = 0
    omit: Sequence[str] = ()

    def __post_init__(self) -> None:
        check_types(self)
        _one_of("form", self.form, FORMS)
        for name in self.omit:
            _one_of("omit", name, OMITTED)
        check_ranges(self, shots=(0, _MOST_SHOTS))


@dataclass(frozen=True)
class AskConfig:
    """A language model, and how to ask it.

    model: as the service names it. base_url: an OpenAI-compatible service. n: replies to each question.
    temperature, top_p, seed, effort, max_tokens: None leaves them to the service. system: a message before
    each question. extra: further fields of the request, as JSON. concurrency: requests at the same time.
    timeout: seconds for one reply. retries: further tries of a request that failed.
    """

    model: str
    base_url: str = OPENAI
    n: int = 1
    temperature: float | None = None
    effort: str | None = None
    max_tokens: int | None = None
    top_p: float | None = None
    seed: int | None = None
    system: str | None = None
    extra: str | None = None
    concurrency: int = 16
    timeout: float = 600.0
    retries: int = 8

    def __post_init__(self) -> None:
        check_types(self)
        try:
            parts = urllib.parse.urlsplit(self.base_url)
        except ValueError:
            raise ConfigError(f"base-url: {self.base_url!r} is not an address") from None
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise ConfigError(
                f"base-url: {self.base_url!r} is not an address such as http://localhost:8000/v1"
            )
        if parts.username or parts.password:
            raise ConfigError("base-url: a key does not belong in the address; put it in the environment")
        check_ranges(
            self,
            n=(1, math.inf),
            concurrency=(1, 1000),
            retries=(0, math.inf),
            temperature=(0, 2),
            max_tokens=(1, math.inf),
            top_p=(0.001, 1),
            timeout=(0.001, _MOST_PATIENT),
        )
        if self.extra is not None:
            try:
                fits = isinstance(json.loads(self.extra), dict)
            except (ValueError, RecursionError):
                fits = False
            if not fits:
                raise ConfigError(f"extra: {short(self.extra)} is not a JSON object")

    @property
    def sampling(self) -> dict[str, Any]:
        """What the reply of the model depends on, beside the question."""
        later = [name for name in ("top_p", "seed", "system", "extra") if getattr(self, name) is not None]
        return {name: getattr(self, name) for name in ("temperature", "effort", "max_tokens", *later)}


def _one_of(name: str, value: str, known: Collection[str]) -> None:
    if value not in known:
        raise ConfigError(f"{name}: {short(value)} is not one of {', '.join(known)}")


def check_ranges(config: Any, **ranges: tuple[float, float]) -> None:
    """Refuse a setting that is not None and not within its range, the ends included."""
    for name, (least, most) in ranges.items():
        value = getattr(config, name)
        if value is not None and not least <= value <= most:
            beyond = f"above {most:,}" if value > most else f"below {least:,}"
            raise ConfigError(f"{name.replace('_', '-')}: {short(value)} is {beyond}")


_TYPES = {int: "a whole number", float: "a number", str: "a text", bool: "True or False"}


def check_types(config: Any) -> None:
    """Refuse a plain setting of another type than its field."""
    for one in fields(config):
        value = getattr(config, one.name)
        types = get_args(one.type) if isinstance(one.type, UnionType) else (one.type,)
        known = [kind for kind in types if kind in _TYPES]
        fits = isinstance(value, (*types, int) if float in types else types) if known else True
        if not fits or (isinstance(value, bool) and bool not in types):
            raise ConfigError(f"{one.name}: {short(value)} is not {_TYPES[known[0]]}")


def read_numbers(given: Any, name: str) -> tuple[int, ...]:
    """Return the numbers of 3, "3-6", "2,3" or (2, 3)."""
    if isinstance(given, int | str):
        return numbers(str(given), name)
    found = tuple(given) if isinstance(given, Iterable) else (given,)
    if not all(isinstance(one, int) for one in found):
        raise ConfigError(f'{name}: {short(given)} is not a number, "3-6" or (2, 3)')
    return found


def read_words(given: str | Iterable[str] | None, name: str) -> tuple[str, ...]:
    """Return the words of "a,b" or ("a", "b"); none of None."""
    found = tuple(word.strip() for word in given.split(",")) if isinstance(given, str) else tuple(given or ())
    if not all(found):
        raise ConfigError(f"{name}: {given!r} is not a list of words with commas between them")
    return found


def read_pairs(given: str | Mapping[str, Any] | None, name: str) -> dict[str, Any]:
    """Return the names and values of "a=1,b=2" or {"a": 1, "b": 2}; none of None. Numbers are read."""
    if not isinstance(given, str | Mapping | None):
        raise ConfigError(f'{name}: {short(given)} is not a setting such as "name=1" or {{"name": 1}}')
    if not isinstance(given, str):
        return dict(given or {})
    found: dict[str, Any] = {}
    for part in read_words(given, name):
        key, equals, text = (piece.strip() for piece in part.partition("="))
        if not (key and equals and text) or key in found:
            raise ConfigError(f"{name}: {short(part)} is not a setting such as name=1, given once")
        try:
            found[key] = json.loads(text)
        except (ValueError, RecursionError):
            found[key] = text
    return found
