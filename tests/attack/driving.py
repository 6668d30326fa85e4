"""Commands one after the other in one process, for disks of which others know nothing.

    python driving.py FOLDER COMMANDS.json

Each command is run in this process; what it printed, how it ended and what it left in FOLDER are one line
of JSON each. FOLDER is emptied after each command, where that is possible.
"""

import contextlib
import io
import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import clutrr
from clutrr.cli import main


def outcome(*arguments: object) -> tuple[Any, str, str]:
    """Run a command in this process: its exit code, standard output and standard error."""
    out, err = io.StringIO(), io.StringIO()
    before, sys.argv = sys.argv, ["clutrr", *map(str, arguments)]
    code: Any = 0
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
    except SystemExit as stop:
        code = stop.code or 0
    finally:
        sys.argv = before
    return code, out.getvalue(), err.getvalue()


def process(
    *arguments: object, memory: int = 0, seconds: int = 600, **how: Any
) -> subprocess.CompletedProcess:
    """Run the command as it is installed, in a process of its own. memory: bytes that it may take."""
    program = "import sys; from clutrr.__main__ import main; sys.exit(main())"
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    env = {**os.environ, **one, "PYTHONPATH": str(Path(clutrr.__file__).parents[1])}
    limits = (lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory))) if memory else None
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "timeout": seconds}
    command = [sys.executable, "-P", "-c", program, *map(str, arguments)]
    return subprocess.run(command, env=env, preexec_fn=limits, **pipes | how)


def refused(code: Any, err: str) -> bool:
    """Whether a command ended with one line for what a user can put right."""
    return code == 2 and err.startswith("clutrr: ") and err.count("\n") == 1


def drive(folder: Path, commands: list[list[str]]) -> None:
    for command in commands:
        code, _, err = outcome(*command)
        left = sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
        print(json.dumps({"command": command, "code": code, "err": err, "left": left}), flush=True)
        for path in folder.iterdir():
            with contextlib.suppress(OSError):
                shutil.rmtree(path) if path.is_dir() else path.unlink()


if __name__ == "__main__":
    drive(Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text()))
