"""The command line, for `clutrr` and `python -m clutrr`.

The commands take some tenths of a second to load: who stops them in the meantime is answered as later.
"""

import sys


def main() -> None:
    try:
        from clutrr.cli import main as run
    except KeyboardInterrupt:
        print("clutrr: stopped; run the same command again to go on", file=sys.stderr)
        raise SystemExit(130) from None
    run()


if __name__ == "__main__":
    main()
