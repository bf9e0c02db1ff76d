"""``python -m showtell``: the command line."""

import sys

from showtell.cli import main

if __name__ == "__main__":
    sys.exit(main())
