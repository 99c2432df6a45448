"""Tests what the lint for English reports and accepts."""

import importlib.util
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent / "lint-english.py"
SPEC = importlib.util.spec_from_file_location("lint_english", SCRIPT)
LINT = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(LINT)

WRONG = (
    "/// Takes in a packet.",
    "/// Waits for so many packets.",
    "/// A public key is none.",
    "/// Why.",
    "/// Hands on the bytes; nobody hands on more.",
    "/// Whose address it is.",
    "// " + "long " * 20,
    'let text = "so many packets"',
    'let text = "\\(count) bytes are there"',
    'let text = "it waits: \\(reason ?? "the capture does not tell why")"',
    'let text = """\n  nobody answers\n  """',
    'throw Failure("reading \\(a("x")) goes on")',
)
RIGHT = (
    "/// Records a packet.",
    "/// The value; nil if there is none.",
    "/// It has as many packets as bytes, so many of them are small.",
    'let text = "there are many packets"; nobody()',
    'let text = "\\(nobody) answers at \\(goes.on("left"))"',
    'let text = "it stands out" // somebody',
    'let text = """\n  a peer that \\(told) answers\n  """',
    "// " + "word " * 19,
    '"""\n/// Takes in a packet.\n"""',
    "/// so many packets  lint:english",
)


class LintTest(unittest.TestCase):
    def found(self, text: str, name: str = "Sources/A.swift") -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n", encoding="utf-8")
            return list(LINT.findings(Path(folder)))

    def test_phrases_of_the_glossary_and_wide_comments_are_found(self) -> None:
        for text in WRONG:
            self.assertGreater(len(self.found(text)), 0, text)

    def test_others_pass(self) -> None:
        for text in RIGHT:
            self.assertEqual(self.found(text), [], text)

    def test_strings_of_tests_are_not_read(self) -> None:
        self.assertEqual(self.found('let text = "nobody"', "Tests/A.swift"), [])

    def test_documents_are_read_outside_of_code(self) -> None:
        self.assertEqual(len(self.found("A key is none.", "docs/a.md")), 1)
        self.assertEqual(self.found("```\nA key is none.\n```", "docs/a.md"), [])

    def test_the_project_has_none(self) -> None:
        self.assertEqual(list(LINT.findings(SCRIPT.parent.parent)), [])


if __name__ == "__main__":
    unittest.main()
