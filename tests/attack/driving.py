"""Commands one after the other in one process, for disks of which others know nothing.

    python driving.py FOLDER COMMANDS.json

Each command is run in this process; what it printed, how it ended and what it left in FOLDER are one line
of JSON each. FOLDER is emptied after each command, where that is possible.
"""

import contextlib
import json
import shutil
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from commands import outcome


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
