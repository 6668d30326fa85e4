"""A grammar as data: its notation, and what a file in it becomes.

    # a comment
    Kin:                                    the rules of a symbol
      Owner Chain              -> possessed(1, 2)
      the|a <kin> of Who       -> of(2, 4)

A rule is a row of items and an arrow with what it means. An item is

    Word       a symbol, with a capital
    word       that word itself, in lower case, or a mark; `is|was` one of several
    <class>    a word of a class, as words.yaml or a theory lists it
    @gap       an open slot: what may fill it is written in gaps.py
    &item !item    what must follow or must not, without being read
    item?      may be left out; its meaning is then None

`name(1, 3, word)` is an action, a pure function of the meanings of the first and the third item and of the word;
`1` alone passes the first on. A file may use the symbols of others. There is no left recursion.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import NamedTuple

_RULE = re.compile(r"(?P<items>.+?)\s+->\s+(?P<action>\d+|\w+\([^)]*\))")


class Item(NamedTuple):
    """One item of a rule. what: "word", "symbol", "gap", "ahead", "not"; keys: words and classes."""

    what: str
    keys: frozenset[str]
    symbol: str = ""


@dataclass(frozen=True)
class Rule:
    """One way to build a symbol.

    items: with the place that each has in the notation. action: "" passes on the first argument.
    arguments: places of items, or words. length: the number
    of items in the notation.
    """

    symbol: str
    items: tuple[tuple[int, Item], ...]
    action: str
    arguments: tuple[int | str, ...]
    length: int

    @cached_property
    def picks(self) -> tuple[int | str | None, ...]:
        """The arguments by their place among the items; None for one that is left out."""
        places = {number: at for at, (number, _) in enumerate(self.items)}
        return tuple(places.get(one) if isinstance(one, int) else one for one in self.arguments)


class Step(NamedTuple):
    """Rules that begin alike, from some item on. rules: that end here. next: their next items, and what follows these."""

    rules: tuple[Rule, ...]
    next: tuple[tuple[Item, "Step"], ...]


def _steps(rules: Iterable[Rule], at: int = 0) -> Step:
    """Return some rules from an item on, those together that go on alike."""
    ended: list[Rule] = []
    by_item: dict[Item, list[Rule]] = {}
    for rule in rules:
        if len(rule.items) == at:
            ended.append(rule)
        else:
            by_item.setdefault(rule.items[at][1], []).append(rule)
    following = tuple((item, _steps(some, at + 1)) for item, some in by_item.items())
    return Step(tuple(ended), following)


@dataclass(frozen=True)
class Grammar:
    """The rules of one or several files, by symbol."""

    rules: Mapping[str, tuple[Rule, ...]]

    @cached_property
    def _openings(self) -> Mapping[str, frozenset[str] | None]:
        """The keys of words with which each symbol can begin; None: with any."""
        found: dict[str, frozenset[str] | None] = {symbol: frozenset() for symbol in self.rules}
        changed = True
        while changed:
            changed = False
            for symbol, rules in self.rules.items():
                union: frozenset[str] | None = frozenset()
                for rule in rules:
                    keys = self._rule_opening(rule, found)
                    union = None if keys is None or union is None else union | keys
                if union != found[symbol]:
                    found[symbol], changed = union, True
        return found

    @staticmethod
    def _rule_opening(
        rule: Rule, known: Mapping[str, frozenset[str] | None]
    ) -> frozenset[str] | None:
        for _, item in rule.items:
            if item.what == "word":
                return item.keys
            if item.what == "symbol":
                return known[item.symbol]
            if item.what == "gap":
                return None
        return None

    @cached_property
    def _opened(self) -> dict[tuple[str, frozenset[str]], Step]:
        return {}

    def opened(self, symbol: str, keys: frozenset[str]) -> Step:
        """Return the rules of a symbol that can begin with a word of these keys."""
        found = self._opened.get((symbol, keys))
        if found is None:
            table = self._by_opening[symbol]
            known = keys & self._heads[symbol]  # most words are alike here: no rule names them
            found = self._opened.get((symbol, known))
            if found is None:
                some = [rule for key in (*known, "") for rule in table.get(key, ())]
                found = _steps({id(rule): rule for rule in some}.values())
                self._opened[symbol, known] = found
            self._opened[symbol, keys] = found
        return found

    @cached_property
    def _heads(self) -> Mapping[str, frozenset[str]]:
        """The keys of words by which the rules of each symbol are told apart."""
        return {symbol: frozenset(table) for symbol, table in self._by_opening.items()}

    @cached_property
    def _by_opening(self) -> Mapping[str, Mapping[str, tuple[Rule, ...]]]:
        """The rules of each symbol by a key of the first word; "" for those that begin with any."""
        table: dict[str, dict[str, tuple[Rule, ...]]] = {}
        for symbol, rules in self.rules.items():
            inner: dict[str, list[Rule]] = {}
            for rule in rules:
                keys = self._rule_opening(rule, self._openings)
                for key in ("",) if keys is None else keys:
                    inner.setdefault(key, []).append(rule)
            table[symbol] = {key: tuple(found) for key, found in inner.items()}
        return table

    def words(self) -> Iterator[str]:
        """Yield the words that the rules name themselves."""
        for rules in self.rules.values():
            for rule in rules:
                for _, item in rule.items:
                    yield from (key for key in item.keys if not key.startswith("<"))


def read_grammar(texts: Iterable[str], actions: Iterable[str]) -> Grammar:
    """Return the grammar of some files. Raises ValueError with the line that cannot be."""
    rules: dict[str, list[Rule]] = {}
    for text in texts:
        symbol = ""
        for number, line in enumerate(text.splitlines(), 1):
            line = line.partition("#")[0].rstrip()
            if not line:
                continue
            if line[0] != " ":
                symbol = line.removesuffix(":")
                rules.setdefault(symbol, [])
                continue
            match = _RULE.fullmatch(line.strip())
            if match is None:
                raise ValueError(f"line {number}: no rule: {line.strip()}")
            rules[symbol] += _expanded(symbol, match["items"].split(), match["action"])
    found = Grammar({symbol: tuple(some) for symbol, some in rules.items()})
    _check(found, frozenset(actions))
    return found


def _expanded(symbol: str, items: list[str], action: str) -> Iterator[Rule]:
    """The rule with and without what may be left out."""
    name, _, inner = action.partition("(")
    arguments: tuple[int | str, ...]
    if inner:
        arguments = tuple(
            int(one) if one.isdigit() else one
            for one in (part.strip() for part in inner[:-1].split(","))
            if one
        )
    else:
        name, arguments = "", (int(action),)
    optional = [at for at, item in enumerate(items) if len(item) > 1 and item.endswith("?")]
    for left_out in product((False, True), repeat=len(optional)):
        without = {at for at, out in zip(optional, left_out, strict=True) if out}
        row = tuple(
            (at + 1, _item(item.removesuffix("?") if at in optional else item))
            for at, item in enumerate(items)
            if at not in without
        )
        if row:
            yield Rule(symbol, row, name, arguments, len(items))


def _item(text: str) -> Item:
    if text[0] in "&!" and len(text) > 1:
        return Item("ahead" if text[0] == "&" else "not", frozenset(text[1:].split("|")))
    if text[0] == "@" and len(text) > 1:
        return Item("gap", frozenset(), text[1:])
    if text[0].isupper():
        return Item("symbol", frozenset(), text)
    return Item("word", frozenset(text.split("|")))


def _check(grammar: Grammar, actions: frozenset[str]) -> None:
    for symbol, rules in grammar.rules.items():
        for rule in rules:
            if rule.action and rule.action not in actions:
                raise ValueError(f"{symbol}: there is no action {rule.action}")
            if (
                max((one for one in rule.arguments if isinstance(one, int)), default=0)
                > rule.length
            ):
                raise ValueError(f"{symbol}: {rule.action} asks for an item that is not there")
            for _, item in rule.items:
                if item.what == "symbol" and item.symbol not in grammar.rules:
                    raise ValueError(f"{symbol}: there is no symbol {item.symbol}")
