"""Tests what the lint for sums reports and accepts."""

import unittest

from lint_cases import LintCases, load

WRONG = (
    "dropped += record.drops",
    "drops &+= record.drops",
    "sum += Int(record.drops)",
    "current.drops &+= 1",
    "let far = time.seconds * 1_000_000_000",
    "total = 1000 * span",
    "self.elapsed -= pause",
    "all = found.reduce(0) { $0 + $1.span }",
    "dropped = dropped.addingReportingOverflow(record.drops).partialValue",
)
RIGHT = (
    "dropped.add(clamped: record.drops)",
    "let (sum, overflow) = dropped.addingReportingOverflow(record.drops)",
    "// dropped += record.drops",
    "count += 1",
    "if record.drops > 0 {",
    "let drops = record.drops",
    "dropsLeft += 1",
    "// Bounded: a day.\ntime.seconds += 86_400",
)


class LintTest(LintCases, unittest.TestCase):
    lint = load("lint-sums")
    wrong = WRONG
    right = RIGHT
    read = {"InfoReport.swift", "RecordEncoder.swift"}
    left_out = {"Saturating.swift"}


if __name__ == "__main__":
    unittest.main()
