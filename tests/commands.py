"""Commands in this process, for fixtures as well as for tests."""

import json
from collections import Counter
from pathlib import Path

from typer.testing import CliRunner

from clutrr.cli import app
from clutrr.errors import ClutrrError


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, (arguments, result.output, result.exception)
    return result.stdout


def refused(*arguments: object) -> str:
    """The error of a command, which the user sees as one line."""
    error = CliRunner().invoke(app, [str(argument) for argument in arguments]).exception
    assert isinstance(error, ClutrrError), (arguments, error)
    assert "\n" not in str(error)
    return str(error)


def told(*arguments: object) -> dict:
    return json.loads(run(*arguments, "--json"))


def findings(data: Path, *options: object) -> Counter[str]:
    """How often the audit finds what."""
    counts: Counter[str] = Counter()
    for splits in told("audit", data, *options)["subsets"].values():
        for group in splits.values():
            (shares,) = group["soundness"].values()
            counts.update({finding: round(share * group["rows"] / 100) for finding, share in shares.items()})
    return counts
