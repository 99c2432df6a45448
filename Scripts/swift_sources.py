"""What the lints for Swift code share: which files they read, and how they report."""

import sys
from collections.abc import Callable
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "Sources"


def sources(folder: Path, modules: tuple[str, ...], is_exempt: Callable[[Path], bool]) -> list[Path]:
    """Returns the Swift files of a folder, without those of some modules and without exempt ones."""
    return [
        path
        for path in sorted(folder.rglob("*.swift"))
        if path.relative_to(folder).parts[0] not in modules and not is_exempt(path)
    ]


def run(sources: Callable[[Path], list[Path]], complaints: Callable[[Path, str], list[str]], advice: str) -> int:
    """Prints what is wrong in the folder that the command line names, or in the sources; returns the exit status."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    found = [line for path in sources(folder) for line in complaints(path, path.read_text(encoding="utf-8"))]
    for line in found:
        print(line)
    if found:
        print(advice)
    return 1 if found else 0
