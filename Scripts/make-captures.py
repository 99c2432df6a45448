#!/usr/bin/env python3
"""Recreates the sample captures. usage: make-captures.py FOLDER

Writes the same bytes on every run. Needs the Python package `bumble`; `make captures` installs it into `.venv`.
"""

import logging
import sys
from pathlib import Path

from traffic import air, formats, scenarios, written

MOST_BYTES = 20_000


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    logging.disable(logging.ERROR)  # bumble reports the pairing and the channels that fail on purpose
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    scenarios.make_all(folder)
    written.make_all(folder)
    formats.make_all(folder)
    air.make_all(folder)
    for path in sorted(each for each in folder.iterdir() if each.suffix in (".btsnoop", ".pcap", ".pcapng", ".pklg")):
        size = path.stat().st_size
        print(f"{size:6} {path.name}")
        if size > MOST_BYTES:
            sys.exit(f"{path.name} is larger than {MOST_BYTES} bytes")


main()
