"""Tests the long run of fuzzers: how it reads their logs, and that all have their turns."""

import importlib.util
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent / "fuzz-long.py"
SPEC = importlib.util.spec_from_file_location("fuzz_long", SCRIPT)
LONG = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(LONG)

LOG = """#2\tINITED cov: 10 ft: 12 corp: 1/1b exec/s: 0 rss: 30Mb
#512\tpulse  cov: 40 ft: 71 corp: 8/1024b lim: 4 exec/s: 256 rss: 40Mb
#1000\tDONE   cov: 41 ft: 75 corp: 9/2Kb lim: 8 exec/s: 500 rss: 41Mb
Done 1000 runs in 2 second(s)
stat::number_of_executed_units: 1000
"""
CRASHED = """#512\tpulse  cov: 50 ft: 71 corp: 8/1024b lim: 4 exec/s: 256 rss: 40Mb
#700\tNEW    cov: 52 ft: 80 corp: 10/2Kb lim: 4 exec/s: 256 rss: 40Mb
==1==ERROR: libFuzzer: deadly signal
"""


class LongTest(unittest.TestCase):
    def test_logs_are_added_up(self) -> None:
        result = LONG.Result().after(60, LOG, 0).after(30, CRASHED, 1).after(10, "", 0)
        self.assertEqual(result, LONG.Result(100, 1700, 52, 80, 10, 1))

    def test_table(self) -> None:
        lines = LONG.table({"FuzzA": LONG.Result(600, 1234567, 5, 6, 7, 0), "FuzzB": LONG.Result(60, 1, 2, 3, 4, 1)}).splitlines()
        self.assertEqual(lines[2], "| FuzzA | 10 | 1 234 567 | 5 | 6 | 7 | 0 |")
        self.assertEqual(lines[-1], "| all | 11 | 1 234 568 | | | | 1 |")

    def test_all_have_their_turns(self) -> None:
        clock = [0.0]
        turns: list[tuple[str, int]] = []

        def turn(fuzzer: Path, seconds: int) -> tuple[float, str, int]:
            turns.append((fuzzer.name, seconds))
            clock[0] += seconds
            return seconds, LOG, 1 if fuzzer.name == "B" and len(turns) > 3 else 0

        with tempfile.TemporaryDirectory() as name, unittest.mock.patch.object(LONG, "turn", turn), \
                unittest.mock.patch.object(LONG.time, "monotonic", lambda: clock[0]), \
                unittest.mock.patch("builtins.print"):
            place = Path(name) / "table.md"
            self.assertEqual(LONG.main(1, place, [Path("A"), Path("B")]), 1)
            self.assertIn("| all | 60 | 6 000 |", place.read_text())
        self.assertEqual(turns, [("A", 600), ("B", 600)] * 3)
        turns.clear()
        clock[0] = 0
        with tempfile.TemporaryDirectory() as name, unittest.mock.patch.object(LONG, "turn", turn), \
                unittest.mock.patch.object(LONG.time, "monotonic", lambda: clock[0]), \
                unittest.mock.patch("builtins.print"):
            LONG.main(0.01, Path(name) / "table.md", [Path("A"), Path("C"), Path("D")])
        self.assertEqual(turns, [("A", 12), ("C", 12), ("D", 12)])


class CorpusTest(unittest.TestCase):
    """The fuzzers' corpus must be what the script writes, and small."""

    def test_corpus(self) -> None:
        kept = SCRIPT.parent.parent / "Fuzz" / "Corpus"
        with tempfile.TemporaryDirectory() as name:
            subprocess.run([sys.executable, SCRIPT.parent / "make-fuzz-corpus.py", name], check=True)
            made, there = ({
                path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()
            } for folder in (Path(name), kept))
        self.assertEqual(set(made), set(there), "make fuzz-corpus makes different files")
        self.assertEqual(made, there)
        self.assertGreater(len(there), 100)
        self.assertLess(sum(map(len, there.values())), 2_000_000)


if __name__ == "__main__":
    unittest.main()
