#!/usr/bin/env python3
"""Measures `gattscope convert`: its speed compared with `cat` of the same file, and whether its memory stays constant.

usage: convert.py GATTSCOPE [--records N] [--rounds N]

All files are written into one folder, as a user's are. Conversions that only copy packets, from btsnoop and from pcap,
are compared with cat; those that look into packets (comments, a selection, redaction) with a time per record. Exit
status 1: a target was missed.
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

TO_CAT = 4  # the most time, as a multiple of cat's
FORMATS = ("btsnoop-1002", "pcap-201", "pcapng-201")
GROWTH_MB = 2  # the most additional memory for ten times as many records
# Conversions that look into packets: the options, and the most microseconds per record.
LOOKING = {
    "--comments": (["--comments"], 1.0),
    "--uuid 2a37": (["--uuid", "2a37"], 1.0),
    "--redact": (["--redact"], 3.0),
}
# Conversions that must know the end before they write the beginning remember something of each record: the packets that
# are needed to follow a connection, or the bytes that change.
REMEMBERING = ("--uuid 2a37", "--redact")
RECORD_BYTES = 16  # the most that is remembered per record


def seconds(*command: str, out: Path | None = None) -> tuple[float, float]:
    """Returns the time of a command that writes a file, and its peak memory in megabytes."""
    # The messages about losses and replacements are not measured.
    actions = [(os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)]
    if out is not None:
        actions += [(os.POSIX_SPAWN_OPEN, 1, str(out), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)]
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
        pcap = folder / "large.pcap"
        seconds(program, "convert", str(large), str(pcap))
        # By name: the input file, and the options.
        runs = {f"convert --as {format}": (large, ["--as", format]) for format in FORMATS}
        runs["convert, of pcap"] = (pcap, ["--as", "btsnoop-1002"])
        runs |= {f"convert {name}": (large, [*options, "--as", "pcapng-201"]) for name, (options, _) in LOOKING.items()}
        times: dict[str, list[float]] = {name: [] for name in ("cat", *runs)}
        peaks = dict.fromkeys(runs, 0.0)
        out = folder / "out"
        for _ in range(arguments.rounds):
            out.unlink(missing_ok=True)
            times["cat"].append(seconds("cat", str(large), out=out)[0])
            for name, (source, options) in runs.items():
                out.unlink(missing_ok=True)
                elapsed, peaks[name] = seconds(program, "convert", *options, str(source), str(out))
                times[name].append(elapsed)
        cat = statistics.median(times.pop("cat"))
        print(f"\n{megabytes:.0f} MB, {arguments.records} records; cat writes {megabytes / cat:.0f} MB/s")
        for name, all_seconds in times.items():
            elapsed = statistics.median(all_seconds)
            each = elapsed / arguments.records * 1e6
            _, most = LOOKING.get(name.removeprefix("convert "), (None, None))
            if most is None:
                good, target = elapsed <= TO_CAT * cat, f"at most {TO_CAT} times cat's"
                measured = f"{elapsed / cat:.1f} times"
            else:
                good, target = each <= most, f"at most {most} µs"
                measured = f"{each:.2f} µs"
            results.append(verdict(f"{name}: {megabytes / elapsed:.0f} MB/s", measured, target, good))
            source, options = runs[name]
            if source == pcap:
                continue  # libpcap's buffer has the same size for any file
            out.unlink(missing_ok=True)
            _, peak = seconds(program, "convert", *options, str(small), str(out))
            growth = peaks[name] - peak
            if name.removeprefix("convert ") in REMEMBERING:
                each = growth * 1024 * 1024 / (arguments.records * 0.9)
                good, target = each <= RECORD_BYTES, f"at most {RECORD_BYTES} bytes a record"
                results.append(verdict(f"{name}: more memory", f"{each:.1f} bytes", target, good))
                continue
            what = f"{name}: more memory, 10 times as long"
            results.append(verdict(what, f"{growth:.1f} MB", f"at most {GROWTH_MB} MB", growth <= GROWTH_MB))
    return 0 if all(results) else 1


sys.exit(main())
