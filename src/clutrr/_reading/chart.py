"""The chart: all that the rules of a grammar find in one sentence, every part of it once.

A symbol at a place is expanded once; what is kept is where it can end, with the distinct meanings that it has
there. Ways to build a part that mean the same are one: the chart is packed by meaning. Time is bounded by the
length of the sentence, and a sentence with too many meanings is given up.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from clutrr._reading.grammar import Grammar, Rule, Step
from clutrr._reading.tokens import Token
from clutrr._reading.words import Words

Ends = Mapping[int, tuple[Any, ...]]  # where a part can end, with its meanings there
Gap = Callable[["Chart", int], Ends]
Action = Callable[..., Any]  # of the chart and the arguments; None: it means nothing
_MOST = 48  # meanings of one part
_NOWHERE: Ends = {}


class TooManyMeaningsError(Exception):
    """A sentence has more meanings than are worth telling apart."""


class Chart:
    """The parts of one sentence. tokens: the last is the end of the sentence."""

    def __init__(
        self,
        grammar: Grammar,
        actions: Mapping[str, Action],
        gaps: Mapping[str, Gap],
        words: Words,
        tokens: Sequence[Token],
    ) -> None:
        self._grammar = grammar
        self._actions = actions
        self._gaps = gaps
        self.words = words
        self.tokens = tokens
        self._known: dict[tuple[str, int], Ends] = {}

    def ends(self, symbol: str, start: int) -> Ends:
        """Return where a symbol can end that begins here, with what it means."""
        known = self._known.get((symbol, start))
        if known is not None:
            return known
        self._known[symbol, start] = _NOWHERE  # while it is being found: no left recursion
        if start >= len(self.tokens):
            return _NOWHERE
        found: dict[int, dict[Any, None]] = {}
        self._extend(self._grammar.opened(symbol, self.tokens[start].keys), start, (), found)
        if found:
            self._known[symbol, start] = {end: tuple(some) for end, some in found.items()}
        return self._known[symbol, start]

    def gap(self, name: str, start: int) -> Ends:
        """Return where an open slot can end that begins here, with what it means."""
        known = self._known.get((f"@{name}", start))
        if known is None:
            known = self._known[f"@{name}", start] = self._gaps[name](self, start)
        return known

    def _extend(
        self, step: Step, place: int, had: tuple[Any, ...], found: dict[int, dict[Any, None]]
    ) -> None:
        """Match what rules go on with. had: the meanings of their items before."""
        for rule in step.rules:
            self._finish(rule, place, had, found)
        for (what, keys, symbol), after in step.next:
            if symbol:
                ends = self.ends if what == "symbol" else self.gap
                for end, meanings in ends(symbol, place).items():
                    for meaning in meanings:
                        self._extend(after, end, (*had, meaning), found)
                continue
            hit = place < len(self.tokens) and not keys.isdisjoint(self.tokens[place].keys)
            if hit != (what == "not"):
                self._extend(after, place + (what == "word"), (*had, place), found)

    def _finish(
        self, rule: Rule, end: int, had: tuple[Any, ...], found: dict[int, dict[Any, None]]
    ) -> None:
        arguments = [had[one] if isinstance(one, int) else one for one in rule.picks]
        meaning = self._actions[rule.action](self, *arguments) if rule.action else arguments[0]
        if meaning is not None:
            meanings = found.setdefault(end, {})
            meanings[meaning] = None
            if len(meanings) > _MOST:
                raise TooManyMeaningsError
