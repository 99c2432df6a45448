#!/usr/bin/env python3
"""Finds sums and products of numbers that a capture can make arbitrarily large, unless they saturate (`add(clamped:)`,
`multiplied(clamped:)`) or check for overflow (`…ReportingOverflow`): others would trap or wrap around. If a line is
correct as it is, put `// Bounded: why` above it. usage: lint-sums.py [FOLDER]

Counts of records, bytes and entries are exempt, because a capture must really be that long. The script searches for the
64-bit numbers that are read, and for the times between them, by their names in the sources.
"""

import re
import sys
from pathlib import Path

import swift_sources

NAMES = "drops|dropped|seconds|microseconds|nanoseconds|ticks|latency|elapsed|duration|silence|span|spans|gap|lasted|passed|trip|waited|idle"
# A name at the end of an operand: `record.drops`, `self.seconds`, `Int64(time.nanoseconds)`, but not `dropsLeft`.
NUMBER = rf"(?<![\w.])(?:Int|UInt|Int64|UInt64)?\(?(?:\w+(?:\[\w+\])?[.?!]{{1,2}})*(?:{NAMES})\b(?![\w(:])\)?"
RECKONED = re.compile(
    rf"{NUMBER} &?[-+*]= |&?[-+*]= {NUMBER}|{NUMBER} &?\* |[ (]&?\* {NUMBER}"
    rf"|\.addingReportingOverflow\({NUMBER}\)\.partialValue|reduce\(0\) \{{ \$0 &?\+ [^}}]*\b(?:{NAMES})\b"
)
BOUNDED = "// Bounded: "


def complaints(path: Path, text: str) -> list[str]:
    """Returns the lines of a file that calculate with such a number unchecked."""
    found = []
    lines = text.splitlines()
    for number, line in enumerate(lines):
        code = line.split("//")[0]
        above = "\n".join(lines[max(0, number - 2) : number])
        if RECKONED.search(code) and BOUNDED not in line and BOUNDED not in above:
            found.append(f"{path}:{number + 1}: {line.strip()}")
    return found


def sources(folder: Path) -> list[Path]:
    """Returns the files to check: all except raw memory's module and generated code."""
    return swift_sources.sources(folder, ("Bytes",), lambda path: "Generated" in path.parts or "Schema" in path.name)


if __name__ == "__main__":
    sys.exit(
        swift_sources.run(
            sources,
            complaints,
            "a capture states these numbers: use add(clamped:) or multiplied(clamped:), or explain above the line why it cannot overflow",
        )
    )
