"""`python -m tokenlap` is `tokenlap`."""

import sys

from tokenlap.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
