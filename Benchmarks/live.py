#!/usr/bin/env python3
"""Measures `gattscope live`: records per second, memory, and how soon a record is printed.

usage: live.py GATTSCOPE [--seconds N] [--records N]

Sends records to a socket as btmon's server does. Exit status 1: a target was missed.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Scripts"))

import live_feeder as feeder  # noqa: E402

RATE, CORES = 50_000, 1.0  # records per second, and the most of a core that they may use
LATENCY_MS, SLOW_RATE, SLOW_RECORDS = 5, 20, 200
LONG_RATE = 500_000  # records per second: fewer than can be printed; otherwise the queue would be measured
GROWTH_MB = 8  # the most additional memory of the whole stream, compared with its first tenth


def memory_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0


def start(program: str, place: Path, *arguments: str, **options) -> subprocess.Popen:
    return subprocess.Popen([program, "live", "-i", f"unix:{place}", *arguments], stderr=subprocess.PIPE, **options)


def block(count: int) -> tuple[bytes, int]:
    """Returns about this many records as a server's client sends them."""
    pieces = list(feeder.server_protocol(feeder.read(ROOT / "captures" / "heart-rate.btsnoop")))
    repeated = max(1, count // len(pieces))
    return b"".join(pieces * repeated), repeated * len(pieces)


def throughput(program: str, folder: Path, seconds: int) -> bool:
    """Measures a steady stream that is also written to a file."""
    data, count = block(RATE // 20)
    process = start(program, folder / "steady", "-w", str(folder / "steady.btsnoop"), stdout=subprocess.DEVNULL)
    sent = 0
    with feeder.connect(folder / "steady") as client:
        begun = time.monotonic()
        while (now := time.monotonic() - begun) < seconds:
            if sent > now * RATE:
                time.sleep(0.005)
                continue
            client.sendall(data)
            sent += count
        took = time.monotonic() - begun
    err = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    used = (usage.ru_utime + usage.ru_stime) / took
    is_whole = f"{sent} records, none lost" in err and f"{sent} written" in err
    print(f"steady stream, -w    {sent / took:9,.0f} records/s for {took:.0f} s   {used:.2f} of a core   {'nothing lost' if is_whole else err}")
    return is_whole and used < CORES and sent / took > 0.95 * RATE


def flatness(program: str, folder: Path, records: int) -> bool:
    """Compares memory at a tenth of a stream with memory at its end."""
    data, count = block(LONG_RATE // 20)
    process = start(program, folder / "long", stdout=subprocess.DEVNULL)
    sent, early = 0, 0.0
    with feeder.connect(folder / "long") as client:
        begun = time.monotonic()
        while sent < records:
            if sent > (time.monotonic() - begun) * LONG_RATE:
                time.sleep(0.005)
                continue
            client.sendall(data)
            sent += count
            if not early and sent >= records / 10:
                early = memory_mb(process.pid)
        late = memory_mb(process.pid)
        took = time.monotonic() - begun
    err = process.stderr.read().decode()
    process.wait()
    print(f"long stream          {sent / took:9,.0f} records/s, {sent:,} records   {early:.0f} MB, then {late:.0f} MB")
    return f"{sent} records, none lost" in err and late - early < GROWTH_MB


def latency(program: str, folder: Path) -> bool:
    """Measures the time from writing a record until its line can be read."""
    process = start(program, folder / "slow", "--json", stdout=subprocess.PIPE)
    pieces = list(feeder.server_protocol(feeder.read(ROOT / "captures" / "heart-rate.btsnoop")))
    sent: list[float] = []
    waits: list[float] = []

    def collect() -> None:
        for line in process.stdout:
            waits.append(1000 * (time.monotonic() - sent[json.loads(line)["packet"] - 1]))

    thread = threading.Thread(target=collect)
    thread.start()
    with feeder.connect(folder / "slow") as client:
        for number in range(SLOW_RECORDS):
            sent.append(time.monotonic())
            client.sendall(pieces[number % len(pieces)])
            time.sleep(1 / SLOW_RATE)
    thread.join()
    process.wait()
    waits.sort()
    slowest = waits[int(len(waits) * 0.99) - 1]
    print(f"write to line, {SLOW_RATE}/s   median {waits[len(waits) // 2]:.2f} ms, 99 of 100 within {slowest:.2f} ms")
    return len(waits) == SLOW_RECORDS and slowest <= LATENCY_MS


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--records", type=int, default=10_000_000)
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        reached = [
            latency(program, folder),
            throughput(program, folder, arguments.seconds),
            flatness(program, folder, arguments.records),
        ]
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
