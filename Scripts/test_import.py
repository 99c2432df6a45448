"""Tests that the tables of assigned numbers are up to date with the SIG's files, if a copy of these is available.

BLUETOOTH_SIG names a wheel of the Python package bluetooth-sig or a folder with it; the default is the installed
package. Tests are skipped without either of them, or without PyYAML.
"""

import contextlib
import importlib.util
import io
import os
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent


def load():
    spec = importlib.util.spec_from_file_location("importer", SCRIPTS / "import-assigned-numbers.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def source() -> Path | None:
    """Returns the path of the SIG's files, or None."""
    if named := os.environ.get("BLUETOOTH_SIG"):
        return Path(named)
    found = importlib.util.find_spec("bluetooth_sig")
    return Path(found.origin).parent if found and found.origin else None


def run(importer, *arguments: str) -> tuple[int, str]:
    printed = io.StringIO()
    before, sys.argv = sys.argv, ["importer", *arguments]
    try:
        with contextlib.redirect_stdout(printed):
            return importer.main(), printed.getvalue()
    finally:
        sys.argv = before


class Tables(unittest.TestCase):
    def setUp(self):
        self.importer = load()

    def regenerated(self) -> str:
        path = source()
        if path is None:
            self.skipTest("no copy of the SIG's files: set BLUETOOTH_SIG to a wheel of bluetooth-sig")
        if importlib.util.find_spec("yaml") is None:
            self.skipTest("no PyYAML, which reads the SIG's files")
        return str(path)

    def test_the_committed_tables_are_what_the_files_make(self):
        self.assertEqual(run(self.importer, "--check", self.regenerated()), (0, ""))

    def test_a_table_that_differs_is_named(self):
        path = self.regenerated()
        with tempfile.TemporaryDirectory() as folder:
            self.importer.FOLDER = Path(folder)
            self.assertEqual(run(self.importer, path), (0, ""))
            file = Path(folder) / "NameTable+Companies.swift"
            file.write_text(file.read_text(encoding="utf-8").replace("Apple, Inc.", "Pear, Inc.", 1), encoding="utf-8")
            status, printed = run(self.importer, "--check", path)
            self.assertEqual(status, 1)
            self.assertTrue(printed.startswith("NameTable+Companies.swift is not what"), printed)

    def test_the_index_says_where_names_begin(self):
        text = self.importer.swift("Some.", "some", {0x0102: "é", 0x0001: "a  b", 0xFFFF: "c"})
        self.assertIn('"""\n000100000 010200004 ffff00007\n"""', text)
        self.assertIn('"""\na b\né\nc\n\n"""', text)

    def test_what_has_no_place_in_a_table_is_refused(self):
        for rows in ({0x10000: "a"}, {1: " "}, {1: '"""##'}, {1: "\\##(x)"}):
            with self.assertRaises(SystemExit, msg=str(rows)):
                self.importer.swift("Some.", "some", rows)


if __name__ == "__main__":
    unittest.main()
