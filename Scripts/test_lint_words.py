"""Tests what the lint for words reports and accepts."""

import unittest

from lint_cases import LintCases, load

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


class LintTest(LintCases, unittest.TestCase):
    lint = load("lint-words")
    wrong = WRONG
    right = RIGHT
    read = {"InfoReport.swift", "Verdict.swift"}
    left_out = {"MapFile.swift"}


if __name__ == "__main__":
    unittest.main()
