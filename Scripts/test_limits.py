#!/usr/bin/env python3
"""Compares docs/limits.md with the source: it must list each limit with its number, and no others."""

import ast
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "Sources"
# Files with only limits, structures with only limits, and modules in which a constant with such a name is a limit.
WHOLE = ("Sessions/Limits", "Captures/CaptureLimits", "Captures/Live/LiveLimits")
STRUCTURES = {"BookLimits": "Redaction/Books", "SessionBounds": "Comparisons/Differences/SessionBounds"}
MODULES = (
    *("Captures", "Platforms", "Comparisons", "Redaction", "Histories", "Diagnosis", "Decoders", "ProfileFiles", "Learning"),
    *("Sessions", "Reports", "Documents", "Meanings"),
)
CALLED_SO = re.compile(r"(most|longest|listed)([A-Z]\w*)?|bound|latestConnections|shownBytes")
# Constants with such a name that are no limits: widths, durations, and maxima of the specification.
NO_LIMIT = re.compile(
    r"\w+\.most\w*(Columns|Gap|Intervals)|\S+\.longest(Pause|Start|Change|Wait|Reaction|Step|Seen)|Timing\.longest|(LineColumns|ShowText)\.\w+|AttributeUse\.longest|HostCommands\.most")

DECLARED = re.compile(
    r"^ *(?:\w+ )*(static let|var) (\w+)(?:: \w+)? = ([0-9_]+(?: << [0-9]+)?)$", re.MULTILINE)
ROW = re.compile(r"^\| `([\w+.]+)` \| ([0-9 ]+) \| (.+) \| (.+) \|$", re.MULTILINE)


def number(words: str) -> int:
    """Returns the value of 1024, 65_536 or 4 << 20."""
    first, _, shift = words.replace("_", "").partition(" << ")
    return ast.literal_eval(first) << int(shift or 0)


def in_source() -> dict[str, int]:
    """Returns the limits by name: the constant's if its file has only limits, otherwise with the file's in front."""
    found = {}
    for structure, place in STRUCTURES.items():
        text = (SOURCES / f"{place}.swift").read_text(encoding="utf-8").partition(f"struct {structure}")[2]
        for _, name, value in DECLARED.findall(text):
            found[f"{structure}.{name}"] = number(value)
    for path in sorted(path for module in MODULES for path in (SOURCES / module).rglob("*.swift")):
        place = path.relative_to(SOURCES).with_suffix("").as_posix()
        for kind, name, value in DECLARED.findall(path.read_text(encoding="utf-8")):
            if place in WHOLE:
                found[name] = number(value)
            elif kind == "static let" and CALLED_SO.fullmatch(name) and not NO_LIMIT.fullmatch(f"{path.stem}.{name}"):
                found[f"{path.stem}.{name}"] = number(value)
    return found


class LimitTests(unittest.TestCase):
    def test_document_has_each_limit_and_its_number(self) -> None:
        text = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
        rows = ROW.findall(text)
        self.assertEqual(len(rows), text.count("\n| `"), "a row cannot be parsed")
        self.assertEqual(len(rows), len({name for name, *_ in rows}), "a limit is listed twice")
        said, meant = {(name, int(value.replace(" ", ""))) for name, value, *_ in rows}, set(in_source().items())
        self.assertEqual((said - meant, meant - said), (set(), set()), "only in the document; only in the source")

    def test_limits_are_found_in_the_source(self) -> None:
        """Makes sure that the comparison does not compare nothing."""
        found = in_source()
        for place in WHOLE:
            text = (SOURCES / f"{place}.swift").read_text(encoding="utf-8")
            names = re.findall(r"package (?:static let|var) (\w+)", text)
            self.assertGreater(len(names), 6)
            self.assertEqual(set(names) - set(found), set())
        self.assertEqual(found["joinedBytes"], 4 << 20)
        self.assertEqual(found["BookLimits.addresses"], 1 << 18)

    def test_numbers(self) -> None:
        self.assertEqual([number(words) for words in ("64", "65_539", "4 << 20")], [64, 65_539, 4_194_304])


if __name__ == "__main__":
    unittest.main()
