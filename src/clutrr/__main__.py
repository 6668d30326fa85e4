"""python -m clutrr: the command line."""

from clutrr.cli import main

if __name__ == "__main__":
    main()
