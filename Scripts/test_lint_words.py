"""Tests what the lint for words reports and accepts."""

import importlib.util
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent / "lint-words.py"
SPEC = importlib.util.spec_from_file_location("lint_words", SCRIPT)
LINT = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(LINT)

WRONG = (
    'guard history.paired.description == "failed" else { return }',
    'row.name.description.hasPrefix("Android")',
    "session.text(failure).hasSuffix(Self.noResponse.text)",
    'if finding.headline.text.contains("refused") {',
    "case .number: identifiers.contains { $0 == name.description }",
    "isSettled = settled.contains(id.description)",
    "switch name.description {",
    'case .bytes where name.description == "Pattern":',
)
RIGHT = (
    "guard history.paired == .failed else { return }",
    'line.text("failed")',
    "let words = name.description",
    "if words.text.isEmpty { return }",
    '// name.description == "Pattern"',
    "text.contains(separator)",
)


class LintTest(unittest.TestCase):
    def test_conditions_on_words_are_found(self) -> None:
        for line in WRONG:
            self.assertEqual(len(LINT.complaints(Path("A.swift"), line)), 1, line)

    def test_others_pass(self) -> None:
        for line in RIGHT:
            self.assertEqual(LINT.complaints(Path("A.swift"), line), [], line)

    def test_the_source_is_looked_into(self) -> None:
        names = {path.name for path in LINT.sources(LINT.SOURCES)}
        self.assertLessEqual({"InfoReport.swift", "Verdict.swift"}, names)


if __name__ == "__main__":
    unittest.main()
