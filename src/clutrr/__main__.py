"""The command line, for `clutrr` and `python -m clutrr`.

Loading the commands takes some tenths of a second: Ctrl-C in that time is answered as it is later. When a
command has ended and said how, the interpreter takes some more to close: Ctrl-C no longer changes the answer.
"""

import signal
import sys

from clutrr._version import VERSION

if __name__ == "__main__" and not sys.flags.safe_path:
    del sys.path[0]  # python -m looks for modules in the current folder


def _run() -> None:
    try:
        from clutrr import _cli
    except KeyboardInterrupt:
        print("clutrr: stopped; run the same command again to go on", file=sys.stderr)
        raise SystemExit(130) from None
    _cli.main()


def main() -> None:
    try:
        if sys.argv[1:] == ["--version"]:  # at once
            print(VERSION)
        else:
            _run()
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    main()
