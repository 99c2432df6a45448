"""What the scripts that make files of a source have in common: `[--check] PATH`, and writing or comparing."""

import sys
from pathlib import Path


def arguments(usage: str | None) -> tuple[str, bool]:
    """The path on the command line, and whether nothing is to be written; ends with the usage where that is wrong."""
    given = sys.argv[1:]
    checks = given[:1] == ["--check"]
    if checks:
        del given[0]
    if len(given) != 1 or given[0].startswith("-"):
        sys.exit(usage)
    return given[0], checks


def keep(texts: dict[str, str], folder: Path, source: str, checks: bool) -> bool:
    """Writes the files, or says which are not what `source` makes them; gives whether all are."""
    good = True
    for name, text in texts.items():
        file = folder / name
        if not checks:
            folder.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != text:
            print(f"{name} is not what {source} makes it")
            good = False
    return good
