"""What to generate, and how to ask a language model: configs that are checked when they are made.

Commands and public functions take their defaults from here; those of trainings are in
`clutrr._train.config`. A setting of several values is given as a text, "3-6" or "a=1,b=2", or as what
Python has for it.
"""

import json
import math
import urllib.parse
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import islice
from numbers import Integral
from types import UnionType
from typing import TYPE_CHECKING, Any, get_args

from clutrr._measure import numbers
from clutrr._puzzle import SPLITS
from clutrr.errors import ArgumentError, ConfigError, Give, Hint

if TYPE_CHECKING:
    from clutrr._lexicon import World
    from clutrr.theory import QuestionSpec, Theory

DEFAULT_WORLD = "kinship"
ORDERS = ("path", "inserted", "shuffled")  # of the sentences of a story
STYLES = ("sentences", "prose")
DISJOINT = (
    "patterns",
    "wordings",
    "names",
)  # what train and test can be kept from sharing, beside scenes
_MOST = 100  # facts of a route
_MOST_ROUTES = 8
_MOST_OFF_PATH = 8
_LARGE = 20  # people of those families that a split may have to itself
_LISTED = 1000  # numbers that a setting may list
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
    one seed do not share; they never share a scene. off_path: statements beside the facts of the routes that the
    answer needs. vague: the share of facts that are stated as alternatives. families: whose scenes these are, as a
    text (`clutrr._data.gedcom`); "" for scenes that are made up.
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
    off_path: int = 0
    vague: float = 0.0
    families: str = ""

    def __post_init__(self) -> None:
        check_types(self)
        for name, values, most in (("k", self.k, _MOST), ("routes", self.routes, _MOST_ROUTES)):
            if not values or list(values) != sorted(set(values)) or min(values) < 1:
                listed = ", ".join(map(str, values)) or "nothing"
                raise ConfigError(
                    f"{listed} is not a list of whole numbers of at least 1", setting=name
                )
            if max(values) > most:
                raise ConfigError(f"is above {most}", setting=name, value=max(values))
        counts = (
            "train",
            "test",
            "seed",
            "distractors",
            "supporting",
            "irrelevant",
            "disconnected",
        )
        check_ranges(self, off_path=(0, _MOST_OFF_PATH), vague=(0, 1))
        check_ranges(self, undetermined=(0, 1), **dict.fromkeys(counts, (0, math.inf)))
        if self.train + self.test == 0:
            raise ConfigError("both are 0, so there is nothing to generate", setting="train, test")
        if self.order is not None:
            _one_of("order", self.order, ORDERS)
        _one_of("style", self.style, STYLES)
        if self.style != "prose" and not self.brackets:
            raise ConfigError(
                "only prose can do without them",
                setting="brackets",
                hint=Hint("add {}", (Give("style", "prose"),)),
            )
        if self.supporting % 2 and min(self.k) == 1:
            raise ConfigError(
                "is odd, but another way around the one fact of M1 takes two facts",
                setting="supporting",
                value=self.supporting,
                hint="ask for an even number",
            )
        for name in self.disjoint:
            _one_of("disjoint", name, DISJOINT)
        if len(set(self.disjoint)) < len(self.disjoint):
            raise ConfigError(
                "lists something twice", setting="disjoint", value=",".join(self.disjoint)
            )

    def for_world(self, world: "World") -> "Config":
        """Return the config with everything filled in, checked against a world."""
        preset = world.theory.preset(self.preset)
        if self.routes != (1,) and not world.theory.several_routes:
            raise ConfigError(
                f"the questions of theory {world.theory.name} have one route", setting="routes"
            )
        mixed = preset.keeps == "mixed"
        if self.undetermined is not None and not mixed:
            having = [one.name for one in world.theory.presets if one.keeps == "mixed"]
            only = f"only preset {' or '.join(having)} has" if having else "no preset has"
            raise ConfigError(f"{only} such questions, not {preset.name}", setting="undetermined")
        share = (0.5 if self.undetermined is None else self.undetermined) if mixed else None
        if share and min(self.k) < 2:
            raise ConfigError(
                f"preset {preset.name} starts at k = 2: one fact alone is its own answer",
                setting="k",
            )
        self._check_statements(world, preset.name)
        self._check_families(world, preset.name)
        assume = world.theory.assumption(self.assume or preset.assume).name
        filled = replace(
            self,
            preset=preset.name,
            order=self.order or preset.order,
            assume=assume,
            undetermined=share,
        )
        attributes = len(world.lexicon.attributes)
        if (
            self.distractors == Config.distractors > attributes
        ):  # the usual number, or as many as there are
            filled = replace(filled, distractors=attributes)
        elif self.distractors > attributes:
            raise ConfigError(
                f"is more than the {attributes} attributes of world {world.name!r}",
                setting="distractors",
                value=self.distractors,
            )
        if self.style == "prose" and world.lexicon.prose is None:
            raise ConfigError(
                f"world {world.name!r} has no prose.yaml",
                setting="style",
                hint=Hint("give {}", (Give("style", "sentences"),)),
            )
        for spec in filled.specs(world.theory):
            world.theory.check(spec, world.supply)
        return filled

    def _check_statements(self, world: "World", preset: str) -> None:
        """Refuse statements that this world cannot tell, or this preset does not have."""
        for name, value in (("off_path", self.off_path), ("vague", self.vague)):
            if not value:
                continue
            if preset == "published":
                raise ConfigError("preset published has facts alone", setting=name)
            if world.lexicon.statements is None:
                raise ConfigError(
                    f"world {world.name!r} has no words for what is no fact (statements.yaml)",
                    setting=name,
                )
            if "patterns" in self.disjoint and name == "off_path":
                raise ConfigError(
                    "what statements decide is not divided by patterns",
                    setting="disjoint",
                    hint="ask for wordings or names",
                )
        if self.off_path and min(self.k) < 2:
            raise ConfigError(
                "starts at k = 2: one fact alone is its own answer", setting="off_path"
            )

    def _check_families(self, world: "World", preset: str) -> None:
        """Refuse families of a file where scenes are no families, or are made up otherwise."""
        if not self.families:
            return
        if not world.theory.told_families:
            raise ConfigError(
                f"the scenes of world {world.name!r} are no families", setting="from_"
            )
        if preset == "published":
            raise ConfigError("preset published has families of its own", setting="from_")
        if self.scene:
            raise ConfigError("the families are those of the file", setting="scene")

    def families_of(self, split: str) -> str:
        """Return the families that a split asks about.

        Of several large ones every fifth is test's, from the second on; all others are train's. Where one alone is
        large both splits ask about all families, under other names.
        """
        every = self.families.split(";")
        large = [one for one in every if len(one.split()) >= _LARGE]
        if len(large) < 2:
            return self.families
        of_test = large[1::5]
        if split == SPLITS[1]:
            return ";".join(of_test)
        return ";".join(one for one in every if one not in of_test)

    @property
    def families_apart(self) -> bool:
        """Whether train and test ask about different families of a file."""
        return self.families_of(SPLITS[0]) != self.families_of(SPLITS[1])

    @property
    def judged_whole(self) -> bool:
        """Whether each question is decided by all that its story states, and not by its routes alone."""
        settles = bool(self.undetermined) and bool(self.supporting or self.irrelevant)
        return bool(self.off_path or self.vague or settles)

    def specs(self, theory: "Theory") -> "list[QuestionSpec]":
        """Return what the questions shall be, for each length and number of routes.

        The config is filled in for a world of this theory.
        """
        return [self.spec(theory, *turn, SPLITS[0]) for turn in self.turns]

    def spec(self, theory: "Theory", k: int, routes: int, split: str) -> "QuestionSpec":
        """Return what the questions of a subset and split shall be, those with so many routes."""
        from clutrr.theory import QuestionSpec

        return QuestionSpec(
            preset=theory.preset(self.preset),
            assume=theory.assumption(self.assume).name,
            k=k,
            routes=routes,
            split=split,
            train=self.train,
            test=self.test,
            seed=self.seed,
            undetermined=self.undetermined or 0.0,
            supporting=self.supporting,
            irrelevant=self.irrelevant,
            disconnected=self.disconnected,
            scene=self.scene,
            disjoint_patterns="patterns" in self.disjoint,
            families=self.families_of(split),
        )

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
        """Return plain data. One route, and no statements, are left out, as in files written before there could be more."""
        found = {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(self).items()}
        usual = {"routes": [1], "off_path": 0, "vague": 0.0, "families": ""}
        for name, value in usual.items():
            if found[name] == value:
                del found[name]
        return found


@dataclass(frozen=True)
class PromptConfig:
    """How questions are put to a language model.

    form: `which` relation; `yes-no`, is it this one; or a `choice` of several. direct: ask for the answer at
    once, instead of reasoning first. shots: worked examples before the question. omit: what the prompt
    leaves out, of `relations` (the list of labels) and `assumptions`. prompt_language: of everything but the
    story: None for the world's own, or "en" for English.
    """

    form: str = "which"
    direct: bool = False
    shots: int = 0
    omit: Sequence[str] = ()
    prompt_language: str | None = None

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
        _check_address(self.base_url)
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
                raise ConfigError("is not a JSON object", setting="extra", value=self.extra)

    @property
    def sampling(self) -> dict[str, Any]:
        """What the reply of the model depends on, beside the question."""
        later = [
            name for name in ("top_p", "seed", "system", "extra") if getattr(self, name) is not None
        ]
        return {
            name: getattr(self, name) for name in ("temperature", "effort", "max_tokens", *later)
        }


def _check_address(address: str) -> None:
    """Refuse the address of a service that is none, before anything is sent there."""
    wrong = ConfigError(
        "is not an address such as http://localhost:8000/v1", setting="base_url", value=address
    )
    if not address.isprintable() or " " in address:  # what would be left out, or end a header
        raise wrong
    try:
        parts = urllib.parse.urlsplit(address)
        port = parts.port  # which is looked at only when it is asked for
    except ValueError:
        raise wrong from None
    if parts.username is not None or parts.password is not None:
        raise ConfigError(
            "a key does not belong in the address; put it in the environment", setting="base_url"
        )
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise wrong
    if parts.query or parts.fragment:
        raise ConfigError(
            "goes on after its path: leave out ? and #", setting="base_url", value=address
        )


def _one_of(name: str, value: str, known: Collection[str]) -> None:
    if value not in known:
        raise ConfigError(f"is not one of {', '.join(known)}", setting=name, value=value)


def check_ranges(config: Any, **ranges: tuple[float, float]) -> None:
    """Refuse a setting that is not None and not within its range, the ends included."""
    for name, (least, most) in ranges.items():
        value = getattr(config, name)
        if value is not None and not least <= value <= most:
            beyond = f"above {most:,}" if value > most else f"below {least:,}"
            raise ConfigError(f"is {beyond}", setting=name, value=value)


_TYPES = {int: "a whole number", float: "a number", str: "a text", bool: "True or False"}


def check_types(config: Any) -> None:
    """Refuse a plain setting of another type than its field."""
    for one in fields(config):
        value = getattr(config, one.name)
        types = get_args(one.type) if isinstance(one.type, UnionType) else (one.type,)
        known = [kind for kind in types if kind in _TYPES]
        fits = isinstance(value, (*types, int) if float in types else types) if known else True
        if not fits or (isinstance(value, bool) and bool not in types):
            raise ArgumentError(f"is not {_TYPES[known[0]]}", setting=one.name, value=value)


def read_numbers(given: Any, name: str) -> tuple[int, ...]:
    """Return the numbers of 3, "3-6", "2,3", range(3, 7) or (2, 3), ascending, each once.

    A tuple lists numbers: (2, 6) is 2 and 6, where "2-6" is all from 2 to 6.
    """
    if isinstance(given, str):
        return numbers(given, name)
    found = tuple(islice(given, _LISTED + 1)) if isinstance(given, Collection) else (given,)
    if len(found) > _LISTED:
        raise ConfigError(f"lists more than {_LISTED:,} numbers", setting=name, value=given)
    if not all(isinstance(one, Integral) and not isinstance(one, bool) for one in found):
        raise ArgumentError('is not a number, "3-6" or (2, 3)', setting=name, value=given)
    return tuple(sorted({int(one) for one in found}))


def read_words(given: Any, name: str) -> tuple[str, ...]:
    """Return the words of "a,b" or ("a", "b"); none of None."""
    if isinstance(given, str):
        found = tuple(word.strip() for word in given.split(","))
    elif isinstance(given, Iterable | None):
        found = tuple(given or ())
    else:
        found = (given,)
    if not all(isinstance(word, str) for word in found):
        raise ArgumentError(
            'is not a text, or several such as "a,b" or ("a", "b")', setting=name, value=given
        )
    if not all(found):
        raise ConfigError(
            "is not a list of words with commas between them", setting=name, value=given
        )
    return found


def read_pairs(given: str | Mapping[str, Any] | None, name: str) -> dict[str, Any]:
    """Return the names and values of "a=1,b=2" or {"a": 1, "b": 2}; none of None. Numbers are read."""
    if not isinstance(given, str | Mapping | None):
        raise ArgumentError(
            'is not a setting such as "name=1" or {"name": 1}', setting=name, value=given
        )
    if not isinstance(given, str):
        return dict(given or {})
    found: dict[str, Any] = {}
    for part in read_words(given, name):
        key, equals, text = (piece.strip() for piece in part.partition("="))
        if not (key and equals and text) or key in found:
            raise ConfigError(
                "is not a setting such as name=1, given once", setting=name, value=part
            )
        try:
            found[key] = json.loads(text)
        except (ValueError, RecursionError):
            found[key] = text
    return found
