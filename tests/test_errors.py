"""Errors are data: Python names arguments, the command line names options, and both say the same."""

import pickle
from copy import copy

import pytest

import clutrr
from clutrr._cli.wording import message_of, reason_of
from clutrr.errors import Call, ClutrrError, ConfigError, DataError, Give, Hint, RowError


def test_str_names_arguments_and_the_command_line_options() -> None:
    error = ConfigError(
        "is below 1",
        setting="train_on",
        value=0,
        hint=Hint("give {} or {}", (Give("form", "which"), Give("skip_bad", True))),
    )
    assert str(error) == "train_on: 0 is below 1; give form='which' or skip_bad=True"
    assert message_of(error) == "--train-on: 0 is below 1; give --form=which or --skip-bad"


def test_several_settings_and_those_that_are_part_of_an_option() -> None:
    assert message_of(ConfigError("both", setting="train, test")) == "--train, --test: both"
    assert message_of(ConfigError("odd", setting="irrelevant")) == "--noise irrelevant: odd"
    assert message_of(ConfigError("low", setting="top_p")) == "--sampling top-p: low"
    assert message_of(ConfigError("none", setting="answers")) == "ANSWERS: none"


def test_a_call_is_a_function_or_a_command() -> None:
    hint = Hint("use {}", (Call("learn_world", ("DATA",), {"force": True, "brackets": False}),))
    error = DataError("broken", place="a.csv", hint=hint)
    call = "clutrr.learn_world(DATA, force=True, brackets=False)"
    assert str(error) == f"a.csv: broken; use {call}"
    assert message_of(error) == "a.csv: broken; use clutrr learn-world DATA --force --no-brackets"


def test_a_setting_at_a_place_is_an_entry_there() -> None:
    error = ConfigError("is odd", setting="max_edges", value=3).at("m.yaml")
    assert str(error) == message_of(error) == "m.yaml: max_edges: 3 is odd"
    assert error.at("folder").place == "folder: m.yaml"


def test_a_row_keeps_what_the_error_knew() -> None:
    inner = DataError("is empty", setting="query", value="", hint=Hint("see {}", (Give("world"),)))
    error = RowError("a.csv", "line 3", inner)
    assert (error.file, error.place, error.setting, error.value) == (
        "a.csv",
        "line 3",
        "query",
        "''",
    )
    assert str(error) == "a.csv, line 3: query: '' is empty; see world=..."
    assert reason_of(error) == "query: '' is empty; see --world"


@pytest.mark.parametrize("again", [copy, lambda error: pickle.loads(pickle.dumps(error))])
def test_errors_travel_between_processes(again) -> None:
    for error in (
        ConfigError("is odd", setting="k", value=3, hint=Hint("{}", (Give("k", 2),))),
        RowError("a.csv", "line 3", "broken"),
    ):
        other = again(error)
        assert (type(other), str(other), other.__dict__) == (
            type(error),
            str(error),
            error.__dict__,
        )


def test_one_error_two_wordings(run) -> None:
    with pytest.raises(ClutrrError) as caught:
        clutrr.generate(style="sentences", brackets=False)
    assert str(caught.value) == "brackets: only prose can do without them; add style='prose'"
    code, out, error = run("generate", "x", "--no-brackets")
    said = "clutrr: --no-brackets: only prose can do without them; add --style=prose\n"
    assert (code, out, error) == (2, "", said)
