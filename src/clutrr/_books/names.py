"""A name for every entity: entity number i of a sort has name number i of a shuffled list that is never written out.

Names of train and test books are made of different beginnings, so that they share none. Names say nothing: relatives
have different surnames.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import gcd
from random import Random

from clutrr.errors import ConfigError

_STARTS = {
    "person": (
        "Ab Bar Cal Dar Ell Fen Gar Hal Ing Jar Kel Lan Mor Nor Os Pel Quin Ral Sel Tal Ul Ver Wil Yor Zel Bran Cor "
        "Del Em Fal Gil Hol Ker Lor Mel Nev Or Pas Ros Stan"
    ),
    "place": (
        "Ash Bram Crow Dun Elder Fox Glen Hazel Iron Juni Kings Lin Mill Net Oak Penny Quarry Red Sand Thorn Umber "
        "Wal Yew Birch Copper Dove Elm Flax Goose Haw"
    ),
    "region": (
        "Alba Bel Corn Dorn Esk Fir Gal Hest Ist Jut Karn Lom Mid Nar Orl Pol Rav Sarn Tor Umb Vald Wen Yar Zan Arg "
        "Brist Carm Dev Ebor Fris"
    ),
    "event": (
        "Lantern Copper Harvest Winter Spring Silver Apple Candle Ribbon River Amber Barley Cherry Drum Ember Feather "
        "Garnet Honey Ivory Jasmine Kettle Linen Maple Nutmeg Opal Plum Quill Rose Saffron Thistle"
    ),
}
_MIDDLES = {
    "person": "a er in el o ar en il am or ev is ul",
    "place": "er en al ing o low ham ley mar tin",
    "region": "er an ol in ov ash em ia und",
    "event": "Moon Sun Star Hill Lake Stone Wind Rain Bell Crown Dance Forest Garden Harbor Island Kite",
}
_ENDS = {
    "person": "sen lin dorf vik nak mann rup gren berg quist ley nova dale stad rek lov mark vard tov zen",
    "place": "ford ton bury wick combe mere stead bridge field port minster thorpe haven hurst beck cote",
    "region": "shire mark land wold moor gard reach march vale heath weald fen",
    "event": "Fair Market Feast Parade Regatta Festival Revel Jubilee Carnival Pageant",
}
_BETWEEN = {"person": "", "place": "", "region": "", "event": " "}
_MANY = {"person": "people", "place": "towns", "region": "regions", "event": "fairs"}


@dataclass(frozen=True)
class Names:
    """Names of a sort. first: first names; none where one word is all. stems: what follows. start, step: the order."""

    first: tuple[str, ...]
    stems: tuple[str, ...]
    start: int
    step: int

    def __len__(self) -> int:
        return max(1, len(self.first)) * len(self.stems)

    def __getitem__(self, number: int) -> str:
        place = (self.start + number * self.step) % len(self)
        if not self.first:
            return self.stems[place]
        stem, first = divmod(place, len(self.first))
        return f"{self.first[first]} {self.stems[stem]}"


@lru_cache(16)
def _stems(sort: str, half: int, needed: int) -> tuple[str, ...]:
    """Return the words of a sort, each once: short ones if there are enough."""
    starts, between = _STARTS[sort].split()[half::2], _BETWEEN[sort]
    ends, middles = _ENDS[sort].split(), _MIDDLES[sort].split()
    found: dict[str, None] = {}
    for length in range(4):
        for pieces in product(starts, *[middles] * length, ends):
            if len(set(pieces)) == len(pieces):
                found[between.join(pieces)] = None
        if len(found) >= needed:
            break
    if len(found) < needed:
        raise ConfigError(
            f"there are no more than {len(found):,} names for {_MANY[sort]}", setting="entities"
        )
    return tuple(found)


def _ordered(first: Sequence[str], stems: Sequence[str], rng: Random) -> Names:
    size = max(1, len(first)) * len(stems)
    step = rng.randrange(size) | 1
    while gcd(step, size) > 1:
        step += 2
    return Names(tuple(first), tuple(stems), rng.randrange(size), step)


def names_of(sort: str, needed: int, half: int, rng: Random) -> Names:
    """Return names of towns, regions or fairs. half: 0 for train, 1 for test."""
    return _ordered((), _stems(sort, half, needed), rng)


def names_of_people(
    given: Sequence[Sequence[str]], needed: int, half: int, rng: Random
) -> Iterator[Names]:
    """Yield names of people, by form. given: first names, by form."""
    seen: set[str] = set()
    for names in given:
        own = [name for name in names if name not in seen and name.isalpha()][half::2]
        seen.update(names)
        yield _ordered(own, _stems("person", half, -(-needed // len(own))), rng)
