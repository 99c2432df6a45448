#!/usr/bin/env python3
"""Runs fuzzers in turns for hours, and writes a table of their results. usage: fuzz-long.py HOURS TABLE FUZZER...

Each fuzzer runs for a slice of time, then the next one, round and round, so that all have had about the same time
whenever the script ends. New inputs that a fuzzer found stay in the build folder; the fuzzer starts with them in its
next turn and in the next run. The table is rewritten after each slice, so it is correct after an interruption:
executions, coverage and findings of this run. A finding is a new input in Fuzz/Regressions. Exit status 1: there are
findings.
"""

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SLICE = 600  # seconds; shorter if the hours have fewer slices than fuzzers
EXECUTED = re.compile(r"^stat::number_of_executed_units: *(\d+)", re.MULTILINE)
COVERED = re.compile(r"^#\d+\t.*\bcov: (\d+) ft: (\d+) corp: (\d+)", re.MULTILINE)
RUN_DONE = re.compile(r"^#(\d+)\t", re.MULTILINE)


class Result(NamedTuple):
    """The results of one fuzzer over all its turns."""

    seconds: float = 0
    executions: int = 0
    edges: int = 0
    features: int = 0
    corpus: int = 0
    findings: int = 0

    def after(self, seconds: float, log: str, findings: int) -> "Result":
        """Returns the result with another turn, for which libFuzzer wrote this log."""
        executed = EXECUTED.search(log)
        # After a crash libFuzzer prints no total; its last progress line is the closest.
        counted = [int(number) for number in RUN_DONE.findall(log)]
        count = int(executed[1]) if executed else max(counted, default=0)
        covered = COVERED.findall(log)
        edges, features, corpus = map(int, covered[-1]) if covered else (self.edges, self.features, self.corpus)
        return Result(
            self.seconds + seconds, self.executions + count, max(self.edges, edges), max(self.features, features),
            max(self.corpus, corpus), self.findings + findings,
        )


def table(results: dict[str, Result]) -> str:
    """The results as Markdown."""
    lines = [
        "| fuzzer | minutes | executions | edges | features | corpus | findings |",
        "| --- | --: | --: | --: | --: | --: | --: |",
    ]
    for name, result in results.items():
        numbers = f"{result.executions:,} | {result.edges:,} | {result.features:,} | {result.corpus:,}".replace(",", " ")
        lines.append(f"| {name} | {result.seconds / 60:.0f} | {numbers} | {result.findings} |")
    executions = f"{sum(result.executions for result in results.values()):,}".replace(",", " ")
    minutes = sum(result.seconds for result in results.values()) / 60
    findings = sum(result.findings for result in results.values())
    lines.append(f"| all | {minutes:.0f} | {executions} | | | | {findings} |")
    return "\n".join(lines) + "\n"


def found(name: str) -> set[str]:
    folder = ROOT / "Fuzz" / "Regressions" / name
    return {path.name for path in folder.iterdir()} if folder.is_dir() else set()


def turn(fuzzer: Path, seconds: int) -> tuple[float, str, int]:
    """Runs a fuzzer once; returns its running time, its output and the number of new findings."""
    before, began = found(fuzzer.name), time.monotonic()
    subprocess.run([ROOT / "Scripts" / "fuzz.sh", str(seconds), fuzzer], cwd=ROOT, check=False, stdout=subprocess.DEVNULL)
    log = fuzzer.parent / f"corpus-{fuzzer.name}.log"
    text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    return time.monotonic() - began, text, len(found(fuzzer.name) - before)


def main(hours: float, place: Path, fuzzers: list[Path]) -> int:
    left = hours * 3600
    length = max(1, min(SLICE, int(left / len(fuzzers))))
    results = {fuzzer.name: Result() for fuzzer in fuzzers}
    end = time.monotonic() + left
    while time.monotonic() < end:
        for fuzzer in fuzzers:
            rest = end - time.monotonic()
            if rest < 1:
                break
            results[fuzzer.name] = results[fuzzer.name].after(*turn(fuzzer, min(length, int(rest) or 1)))
            temporary = place.with_suffix(".new")
            temporary.write_text(table(results), encoding="utf-8")
            os.replace(temporary, place)
    print(table(results), end="")
    return 1 if any(result.findings for result in results.values()) else 0


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.exit(main(float(sys.argv[1]), Path(sys.argv[2]), [Path(name).absolute() for name in sys.argv[3:]]))
