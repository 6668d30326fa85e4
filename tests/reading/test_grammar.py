"""The grammars are well formed: every action is given what it takes."""

import inspect

import pytest

from clutrr._reading.actions import ACTIONS
from clutrr._reading.grammar import read_grammar
from clutrr._reading.reader import GRAMMAR
from clutrr._reading.words import ENGLISH


def grammar():
    return read_grammar(
        [(ENGLISH / f"{name}.grammar").read_text("utf-8") for name in GRAMMAR], ACTIONS
    )


def test_actions_are_given_what_they_take():
    for symbol, rules in grammar().rules.items():
        for rule in rules:
            if not rule.action:
                continue
            items = dict(rule.items)
            signature = inspect.signature(ACTIONS[rule.action])
            parameters = list(signature.parameters.values())[1:]
            if not any(one.kind is one.VAR_POSITIONAL for one in parameters):
                assert len(rule.arguments) <= len(parameters), (symbol, rule)
            for argument, parameter in zip(rule.arguments, parameters, strict=False):
                taken = str(parameter.annotation)
                if not isinstance(argument, int) or argument not in items or "Any" in taken:
                    continue
                word = items[argument].what == "word"
                assert word == taken.startswith(("int", "<class 'int'>", "str | int")), (
                    symbol,
                    rule.action,
                    rule.items,
                    argument,
                )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("A:\n  b -> nonesuch(1)\n", "no action"),
        ("A:\n  B -> 1\n", "no symbol"),
        ("A:\n  b -> named(2)\n", "not there"),
        ("A:\n  b\n", "no rule"),
    ],
)
def test_what_is_wrong_with_a_grammar_is_said(text, problem):
    with pytest.raises(ValueError, match=problem):
        read_grammar([text], ACTIONS)
