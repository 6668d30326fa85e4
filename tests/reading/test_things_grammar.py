"""The grammars of things and their actions fit together, for every rule."""

import inspect
from collections.abc import Iterator

import pytest

from clutrr._reading.grammar import Grammar, Item, Rule, read_grammar
from clutrr._reading.things.actions import ACTIONS
from clutrr._reading.words import ENGLISH

THEORIES = ("directions", "order", "time", "regions")


def grammar_of(theory: str) -> Grammar:
    texts = [(ENGLISH / f"{name}.grammar").read_text("utf-8") for name in ("things", theory)]
    return read_grammar(texts, ACTIONS)


def kind(annotation: object) -> str:
    text = str(annotation).replace(" | None", "")
    return text.removeprefix("<class '").removesuffix("'>")


def results(grammar: Grammar, symbol: str, seen: frozenset[str] = frozenset()) -> Iterator[str]:
    """Yield the types of what a symbol means."""
    for rule in grammar.rules[symbol]:
        if rule.action:
            yield kind(inspect.signature(ACTIONS[rule.action]).return_annotation)
            continue
        (place,) = rule.arguments
        passed = dict(rule.items)[int(place)]
        assert passed.what in ("symbol", "gap"), (symbol, rule)
        if passed.what == "symbol" and passed.symbol not in seen:
            yield from results(grammar, passed.symbol, seen | {symbol, passed.symbol})


def arguments(rule: Rule) -> Iterator[tuple[str, str | Item]]:
    """Yield the wanted type and what is given, for each argument that the rule has."""
    parameters = list(inspect.signature(ACTIONS[rule.action]).parameters.values())[1:]
    items = dict(rule.items)
    for number, argument in enumerate(rule.arguments):
        wanted = kind(parameters[min(number, len(parameters) - 1)].annotation)
        if isinstance(argument, str):
            yield wanted, argument
        elif argument in items:  # otherwise it was left out
            yield wanted, items[argument]


@pytest.mark.parametrize("theory", THEORIES)
def test_every_argument_is_what_its_action_wants(theory: str) -> None:
    grammar = grammar_of(theory)
    for symbol, rules in grammar.rules.items():
        for rule in rules:
            for wanted, given in arguments(rule) if rule.action else ():
                about = (symbol, rule.action, rule.arguments, wanted)
                if isinstance(given, str):
                    assert "str" in wanted, about
                elif given.what == "word":
                    assert wanted == "int", about
                elif given.what == "symbol":
                    found = set(results(grammar, given.symbol))
                    assert found <= {wanted} or "Any" in wanted, (*about, found)


@pytest.mark.parametrize("theory", THEORIES)
def test_every_symbol_is_used(theory: str) -> None:
    grammar = grammar_of(theory)
    used = {
        item.symbol for rules in grammar.rules.values() for rule in rules for _, item in rule.items
    }
    own = (ENGLISH / f"{theory}.grammar").read_text("utf-8").splitlines()
    symbols = {line.removesuffix(":") for line in own if line and line[0] not in " #"}
    assert symbols <= used | {"Report"}


@pytest.mark.parametrize("theory", THEORIES)
def test_every_action_is_given_all_that_it_needs(theory: str) -> None:
    for symbol, rules in grammar_of(theory).rules.items():
        for rule in rules:
            if not rule.action:
                continue
            given = [object() for _ in rule.arguments]
            try:
                inspect.signature(ACTIONS[rule.action]).bind(object(), *given)
            except TypeError as error:
                pytest.fail(f"{symbol}: {rule.action}{rule.arguments}: {error}")
