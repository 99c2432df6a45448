#!/usr/bin/env python3
"""Measures `gattscope convert`: its speed against `cat` of the same file, and whether its memory stays flat.

usage: convert.py GATTSCOPE [--records N] [--rounds N]

Files are written beside each other into one folder, as a user's are. Exit status 1: a target was missed.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent

TO_CAT = 4  # how many times as long as cat it may take
FORMATS = ("btsnoop-1002", "pcap-201", "pcapng-201")
GROWTH_MB = 2  # how much more memory ten times as many records may take


def seconds(*command: str, out: Path | None = None) -> tuple[float, float]:
    """How long a command takes that writes a file, and its peak of memory in megabytes."""
    actions = []
    if out is not None:
        actions = [(os.POSIX_SPAWN_OPEN, 1, str(out), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)]
    started = time.perf_counter()
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
    _, status, usage = os.wait4(child, 0)
    elapsed = time.perf_counter() - started
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}")
    return elapsed, usage.ru_maxrss / 1024


def traffic(folder: Path, count: int) -> Path:
    made = folder / f"{count}.btsnoop"
    subprocess.run([sys.executable, str(HERE / "make-traffic.py"), str(made), str(count)], check=True)
    return made


def verdict(what: str, measured: str, target: str, good: bool) -> bool:
    print(f"  {'ok    ' if good else 'MISSED'}  {what:46} {measured:>14}   target {target}", flush=True)
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--records", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    program = str(Path(arguments.program).resolve())
    results = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        large, small = traffic(folder, arguments.records), traffic(folder, arguments.records // 10)
        megabytes = large.stat().st_size / 1e6
        runs: dict[str, list[float]] = {"cat": [], **{format: [] for format in FORMATS}}
        peaks = {format: 0.0 for format in FORMATS}
        out = folder / "out"
        for _ in range(arguments.rounds):
            for format, all_seconds in runs.items():
                out.unlink(missing_ok=True)
                if format == "cat":
                    elapsed, _ = seconds("cat", str(large), out=out)
                else:
                    elapsed, peaks[format] = seconds(program, "convert", "--to", format, str(large), str(out))
                all_seconds.append(elapsed)
        cat = statistics.median(runs.pop("cat"))
        print(f"\n{megabytes:.0f} MB, {arguments.records} records; cat writes {megabytes / cat:.0f} MB/s")
        for format, all_seconds in runs.items():
            elapsed = statistics.median(all_seconds)
            rate = megabytes / elapsed
            what = f"convert --to {format} : cat, {rate:.0f} MB/s"
            results.append(verdict(what, f"{elapsed / cat:.1f} times", f"at most {TO_CAT}", elapsed <= TO_CAT * cat))
            out.unlink(missing_ok=True)
            _, peak = seconds(program, "convert", "--to", format, str(small), str(out))
            growth = peaks[format] - peak
            what = f"convert --to {format}: more memory, 10 times as long"
            results.append(verdict(what, f"{growth:.1f} MB", f"at most {GROWTH_MB} MB", growth <= GROWTH_MB))
    return 0 if all(results) else 1


sys.exit(main())
