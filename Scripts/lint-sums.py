#!/usr/bin/env python3
"""Finds sums and products of numbers that a capture may state as large as it likes, and that neither stay at the end of their
type (`add(clamped:)`, `multiplied(clamped:)`) nor ask whether they are too large (`…ReportingOverflow`): such a one would trap,
or begin anew. Where a line is right as it is, `// Bounded: why` stands above it. usage: lint-sums.py [FOLDER]

Counts of records, bytes and entries are no such numbers: a capture has to be as long as they say. What is looked for are the
numbers of 64 bits that are read, and the times that are measured between them, by the names that they have here.
"""

import re
import sys
from pathlib import Path

SOURCES = Path(__file__).resolve().parent.parent / "Sources"
NAMES = "drops|dropped|seconds|microseconds|nanoseconds|ticks|latency|elapsed|duration|silence|span|spans|gap|lasted|passed"
# A name as the last part of what is reckoned with: `record.drops`, `self.seconds`, `Int64(time.nanoseconds)`, but not `dropsLeft`.
NUMBER = rf"(?<![\w.])(?:Int|UInt|Int64|UInt64)?\(?(?:\w+(?:\[\w+\])?[.?!]{{1,2}})*(?:{NAMES})\b(?![\w(:])\)?"
RECKONED = re.compile(
    rf"{NUMBER} &?[-+*]= |&?[-+*]= {NUMBER}|{NUMBER} &?\* |[ (]&?\* {NUMBER}"
    rf"|\.addingReportingOverflow\({NUMBER}\)\.partialValue|reduce\(0\) \{{ \$0 &?\+ [^}}]*\b(?:{NAMES})\b"
)
BOUNDED = "// Bounded: "


def complaints(path: Path, text: str) -> list[str]:
    """The lines of a file that reckon with such a number unasked."""
    found = []
    lines = text.splitlines()
    for number, line in enumerate(lines):
        code = line.split("//")[0]
        above = "\n".join(lines[max(0, number - 2) : number])
        if RECKONED.search(code) and BOUNDED not in line and BOUNDED not in above:
            found.append(f"{path}:{number + 1}: {line.strip()}")
    return found


def sources(folder: Path) -> list[Path]:
    """The files that are looked into: all but raw memory's module and what is generated."""
    return [
        path
        for path in sorted(folder.rglob("*.swift"))
        if path.relative_to(folder).parts[0] != "Bytes" and "Generated" not in path.parts and "Schema" not in path.name
    ]


def main() -> int:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCES
    found = [line for path in sources(folder) for line in complaints(path, path.read_text(encoding="utf-8"))]
    for line in found:
        print(line)
    if found:
        print("a capture states these numbers: use add(clamped:) or multiplied(clamped:), or say above the line why it fits")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
