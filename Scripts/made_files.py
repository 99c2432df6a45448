"""Shared code of the scripts that generate files: `[--check] PATH`, and writing or comparing."""

import sys
from pathlib import Path


def arguments(usage: str | None) -> tuple[str, bool]:
    """Returns the path on the command line, and whether only to check; exits with the usage if the arguments are wrong.
    """
    given = sys.argv[1:]
    checks = given[:1] == ["--check"]
    if checks:
        del given[0]
    if len(given) != 1 or given[0].startswith("-"):
        sys.exit(usage)
    return given[0], checks


def keep(texts: dict[str, str], folder: Path, source: str, checks: bool) -> bool:
    """Writes the files, or reports those that differ from what `source` produces; returns whether all are equal."""
    good = True
    for name, text in texts.items():
        file = folder / name
        if not checks:
            folder.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != text:
            print(f"{name} is not what {source} produces")
            good = False
    return good
