"""Tests the sets of named codes: each is used, and their codes ascend."""

import re
import unittest
from pathlib import Path

SOURCES = Path(__file__).resolve().parent.parent / "Sources"
SET = re.compile(r'static let (\w+) = CodeSet\(\s*("""(.*?)"""|"(.*?)")\)', re.DOTALL)


class CodeSetTests(unittest.TestCase):
    def setUp(self) -> None:
        self.text = "\n".join(path.read_text() for path in sorted(SOURCES.rglob("*.swift")))
        self.sets = {found[1]: found[3] or found[4] for found in SET.finditer(self.text)}
        self.assertGreater(len(self.sets), 150)

    def test_each_is_used(self) -> None:
        # Passed as an argument, or asked for a name.
        used = re.findall(r"(?<=\(\.)\w+|(?<=CodeSet\.)\w+|(?<=, \.)\w+(?=[,)\n])", self.text)
        self.assertEqual(self.sets.keys() - set(used), set())

    def test_codes_ascend_and_names_are_trimmed(self) -> None:
        for name, text in self.sets.items():
            following = 0
            for part in re.split(r" \| |\n", text.strip("\n ")):
                code, _, _ = part.strip().partition(" ")
                if code.startswith("@"):
                    self.assertGreaterEqual(int(code[1:], 16), following, f"{name}: {part}")
                    following = int(code[1:], 16)
                following += 1
                self.assertNotIn("|", part, name)
                self.assertEqual(part, part.rstrip(), name)


if __name__ == "__main__":
    unittest.main()
