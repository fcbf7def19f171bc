"""``python -m rextio_wasm``."""

import sys

from rextio_wasm._cli import main

if __name__ == "__main__":
    sys.exit(main())
