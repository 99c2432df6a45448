"""Tests what the lint for sums reports and accepts."""

import importlib.util
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent / "lint-sums.py"
SPEC = importlib.util.spec_from_file_location("lint_sums", SCRIPT)
LINT = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(LINT)

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


class LintTest(unittest.TestCase):
    def test_sums_that_may_overflow_are_found(self) -> None:
        for line in WRONG:
            self.assertEqual(len(LINT.complaints(Path("A.swift"), line)), 1, line)

    def test_others_pass(self) -> None:
        for line in RIGHT:
            self.assertEqual(LINT.complaints(Path("A.swift"), line), [], line)

    def test_the_source_is_looked_into(self) -> None:
        names = {path.name for path in LINT.sources(LINT.SOURCES)}
        self.assertLessEqual({"InfoReport.swift", "RecordEncoder.swift"}, names)
        self.assertNotIn("Saturating.swift", names)


if __name__ == "__main__":
    unittest.main()
