"""Tests that each assigned characteristic and descriptor has a decoder or a reason, and that docs/coverage.md lists them."""

import contextlib
import importlib.util
import io
import sys
import unittest
from pathlib import Path

from tested_program import PROGRAM

SCRIPTS = Path(__file__).resolve().parent
REASONS = """[without a decoder]
2a5a  It joins others.
2c0c-2c0e  Not public.

[decoded in part]
2a37  Some are bytes.

[not a characteristic]
2aca  An object type.
"""
NAMES = {0x2902: "CCCD", 0x2A37: "Heart Rate", 0x2A5A: "Aggregate", 0x2ACA: "Object", 0x2C0C: "A", 0x2C0D: "B", 0x2C0E: "C"}


def load():
    spec = importlib.util.spec_from_file_location("coverage_writer", SCRIPTS / "write-coverage.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Document(unittest.TestCase):
    def test_everything_assigned_is_decoded_or_has_a_reason_and_the_document_says_so(self):
        printed = io.StringIO()
        before, sys.argv = sys.argv, ["write-coverage.py", "--check", str(PROGRAM)]
        try:
            with contextlib.redirect_stdout(printed):
                status = load().main()
        finally:
            sys.argv = before
        self.assertEqual((status, printed.getvalue()), (0, ""))

    def test_all_numbers_are_known(self):
        found = load().coverage(str(PROGRAM))
        self.assertEqual({kind: len(names) for kind, names in found.assigned.items()},
                         {"characteristic": 502, "descriptor": 24})


class Made(unittest.TestCase):
    def setUp(self):
        self.writer = load()

    def coverage(self, reasons: str = REASONS, names: dict = NAMES, characteristics: tuple = (0x2A37,)):
        decoded = {"characteristic": dict.fromkeys(characteristics, "heart_rate"), "descriptor": {0x2902: "descriptors"}}
        return self.writer.Coverage(names, decoded, self.writer.read_reasons(reasons))

    def test_the_tables_name_what_is_missing_and_why(self):
        found = self.coverage()
        self.assertEqual(found.faults, [])
        text = found.text({"heart_rate": ("Heart Rate Service", "memory"), "descriptors": ("Descriptors", "Core")})
        self.assertIn("1 of the 5 assigned characteristics have a decoder.", text)
        self.assertIn("| `2a5a` Aggregate | It joins others. |", text)
        self.assertIn("| `2c0c` A, `2c0d` B, `2c0e` C | Not public. |", text)
        self.assertIn("| `2a37` Heart Rate | Some are bytes. |", text)
        self.assertIn("| Descriptors | `2902` | Core |", text)
        self.assertNotIn("2aca", text)

    def test_what_has_neither_decoder_nor_reason_is_a_fault(self):
        faults = self.coverage(names=NAMES | {0x2A6E: "Temperature"}).faults
        self.assertEqual(faults, ["2a6e Temperature has neither a decoder nor a reason"])

    def test_a_reason_for_what_is_decoded_is_a_fault(self):
        faults = self.coverage(characteristics=(0x2A37, 0x2C0D)).faults
        self.assertEqual(faults, ["2c0d has a reason for having no decoder, but has one"])

    def test_a_part_without_a_decoder_is_a_fault(self):
        faults = self.coverage(characteristics=()).faults
        self.assertIn("2a37 is listed as decoded in part, but has no decoder", faults)

    def test_a_reason_for_an_unassigned_number_is_a_fault(self):
        faults = self.coverage(REASONS.replace("2c0c-2c0e", "2c0c-2c0f")).faults
        self.assertEqual(faults, ["2c0f has a reason, but is not assigned"])

    def test_a_reason_is_a_sentence_about_numbers_without_another(self):
        for line in ("2a5a  no sentence.", "2a5a  No sentence", "2a5a", "Why not?", "2a5a  One.\n2a5a  Two."):
            with self.subTest(line), self.assertRaises(SystemExit):
                self.writer.read_reasons(f"[without a decoder]\n{line}\n")
        with self.assertRaises(SystemExit):
            self.writer.read_reasons("[another section]\n2a5a  It joins others.\n")

    def test_three_numbers_in_a_row_are_a_range(self):
        self.assertEqual(self.writer.ranges([0x2A02, 0x2A00, 0x2A01, 0x2A05, 0x2A06]), "`2a00`–`2a02`, `2a05`, `2a06`")


if __name__ == "__main__":
    unittest.main()
