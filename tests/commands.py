"""Commands in this process and in one of their own, for fixtures as well as for tests."""

import contextlib
import io
import json
import os
import re
import resource
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import clutrr
from clutrr._cli import main

_MAIN = "import sys; from clutrr.__main__ import main; sys.exit(main())"


def outcome(*arguments: object, commands: Any = None) -> tuple[Any, str, str]:
    """A command in this process: its exit code, standard output and standard error."""
    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2)]
    before, sys.argv = sys.argv, ["clutrr", *map(str, arguments)]
    code: Any = 0
    try:
        with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
            main(commands)
    except SystemExit as stop:
        code = stop.code or 0
    finally:
        sys.argv = before
    out, err = (stream.buffer.getvalue().decode() for stream in streams)
    return code, out, err


def run(*arguments: object) -> str:
    """What a command prints that does what it is asked to."""
    code, out, err = outcome(*arguments)
    assert code == 0, (arguments, out, err)
    return out


def told(*arguments: object) -> dict:
    return json.loads(run(*arguments, "--json"))


def is_refusal(code: Any, err: str) -> bool:
    """Whether a command ended with one line for what a user can put right."""
    return code == 2 and bool(re.fullmatch(r"clutrr: [^\n]+\n", err))


def refused(*arguments: object, commands: Any = None) -> str:
    """The one line by which a command says what a user can put right, having printed nothing else."""
    code, out, err = outcome(*arguments, commands=commands)
    assert is_refusal(code, err), (arguments, code, err)
    assert out == "", arguments
    return err


def findings(data: Path, *options: object) -> Counter[str]:
    """How often the audit finds what."""
    counts: Counter[str] = Counter()
    for splits in told("audit", data, *options)["subsets"].values():
        for group in splits.values():
            (shares,) = group["soundness"].values()
            counts.update(
                {finding: round(share * group["rows"] / 100) for finding, share in shares.items()}
            )
    return counts


def environment(**more: str) -> dict[str, str]:
    """That of a process which finds the package under test and keeps to one core."""
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    return {**os.environ, **one, "PYTHONPATH": str(Path(clutrr.__file__).parents[1]), **more}


def process(
    *arguments: object, memory: int = 0, seconds: int = 600, **how: Any
) -> subprocess.CompletedProcess:
    """Run the command as it is installed, in a process of its own. memory: bytes that it may take."""
    limits = (lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory))) if memory else None
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "timeout": seconds}
    command = [sys.executable, "-P", "-c", _MAIN, *map(str, arguments)]
    return subprocess.run(command, **{"env": environment(), "preexec_fn": limits, **pipes, **how})


def begin(*arguments: object, **how: Any) -> subprocess.Popen:
    """Start the command in a process of its own, at the head of a session of its own."""
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    command = [sys.executable, "-m", "clutrr", *map(str, arguments)]
    return subprocess.Popen(
        command, **{"env": environment(), "start_new_session": True, **pipes, **how}
    )
