#!/usr/bin/env python3
"""Tests that several threads print long captures exactly as one thread does, although numbers outgrow their columns,
seconds begin, and connections begin and end within each thread's turns.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from tested_program import IN_CI, PROGRAM, ROOT

RECORDS = 130_000
TRAFFIC = {
    "spine": [],
    "layers": ["--mix", "mixed-layers"],
    "hci": ["--hci-only"],
    "notifications": ["--notifications", "2a37"],
}
WAYS = (["show"], ["show", "--json"], ["show", "--brief"], ["show", "--time", "delta", "--ascii", "--width", "70"])


def told(threads: int, *arguments: str | Path) -> str:
    """Returns a digest of the output."""
    environment = os.environ | {"GATTSCOPE_THREADS": str(threads)}
    result = subprocess.run(
        [PROGRAM, *arguments], check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    said = result.stderr.decode(errors="replace")
    if result.returncode != 0:
        raise AssertionError(f"{arguments} with {threads} threads: status {result.returncode}\n{said}")
    lines = result.stdout.count(b"\n")
    if lines < RECORDS // 100:
        raise AssertionError(f"{arguments} with {threads} threads: {lines} lines\n{said}")
    return hashlib.sha256(result.stdout).hexdigest()


@unittest.skipUnless(PROGRAM.exists() or IN_CI, f"there is no {PROGRAM}")
class ThreadTests(unittest.TestCase):
    def test_output_does_not_depend_on_the_number_of_threads(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for name, options in TRAFFIC.items():
                capture = Path(folder) / f"{name}.btsnoop"
                maker = [sys.executable, ROOT / "Benchmarks" / "make-traffic.py", capture, str(RECORDS), *options]
                subprocess.run(maker, check=True)
                for way in WAYS:
                    with self.subTest(capture=name, way=way):
                        alone = told(1, *way, capture)
                        for threads in (2, 3, 4):
                            self.assertEqual(told(threads, *way, capture), alone, f"{threads} threads")


if __name__ == "__main__":
    unittest.main()
