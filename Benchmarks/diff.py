#!/usr/bin/env python3
"""Measures `gattscope diff` on generated sessions: time for 100,000 operations a side, and memory.

usage: diff.py GATTSCOPE [--operations N]

A side is one connection that alternates write commands and notifications. Exit status 1: a target was missed.
"""

import argparse
import os
import random
import struct
import sys
import tempfile
import time
from pathlib import Path
from typing import Iterator

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Scripts"))

from traffic import btsnoop  # noqa: E402

SECONDS = 2.0  # the most that a comparison may take
MEMORY = 2.0  # the most that memory per operation may grow in a session ten times as long: lists grow by doubling
SENT, RECEIVED = 0, 1
# LE Connection Complete: handle 0x0040, central, F1:11:11:11:11:11, random, 30 ms, latency 0, 5 s.
CONNECTED = bytes.fromhex("043e13 01 00 4000 00 01 1111111111f1 1800 0000 f401 00")
Operations = list[tuple[int, int, bytes]]  # direction, handle, value


def att(opcode: int, handle: int, value: bytes) -> bytes:
    pdu = struct.pack("<BH", opcode, handle) + value
    return struct.pack("<BHHHH", 2, 0x2040, len(pdu) + 4, len(pdu), 4) + pdu


def capture(operations: Operations) -> bytes:
    packets = [(RECEIVED, CONNECTED)]
    packets += [(way, att(0x52 if way == SENT else 0x1B, handle, value)) for way, handle, value in operations]
    file = bytearray(btsnoop.header(btsnoop.H4))
    for number, (way, packet) in enumerate(packets):
        flags = btsnoop.h4_flags(packet[0], way == RECEIVED)
        file += btsnoop.record(packet, flags, btsnoop.SAMPLE_START + number * 1000)
    return bytes(file)


def values(count: int, seed: int, handles: int = 1) -> Operations:
    source = random.Random(seed)
    made = []
    for number in range(count):
        way = RECEIVED if number % 2 else SENT
        made.append((way, 16 + 2 * way + 4 * source.randrange(handles), source.randbytes(8)))
    return made


def scenarios(count: int) -> Iterator[tuple[str, Operations, Operations]]:
    same = values(count, 1)
    yield "equal", same, same
    few = [(way, handle, value[::-1] if number % 1000 == 7 else value) for number, (way, handle, value) in enumerate(same)]
    yield "a value in a thousand differs", same, few
    yield "every value differs", same, values(count, 2)
    yield "in another order", values(count, 3, 40), values(count, 4, 40)
    counted = [(way, handle, bytes([number // 2 % 3])) for number, (way, handle, _) in enumerate(same)]
    source = random.Random(5)
    yield "few values, at random", [(w, h, bytes([source.randrange(3)])) for w, h, _ in same], counted
    yield "a tenth inserted in front", same, values(count // 10, 6) + same
    twice = [(way, handle, struct.pack("<I", number // 2)) for number, (way, handle, _) in enumerate(same[: count // 2])]
    pairs = [(SENT, 16, value) for _, _, value in twice]
    run_of_one = [(SENT, 16, b"run")] * (count // 2)
    ends = [[(SENT, 16, b"a"), (SENT, 16, b"b")], [(SENT, 16, b"b"), (SENT, 16, b"a")]]
    shuffled = [source.sample(pairs, len(pairs)) + run_of_one + end for end in ends]
    yield "disorder before a run", shuffled[0], shuffled[1]
    long = [[(RECEIVED, 18, source.randbytes(182)) for _ in range(count)] for _ in range(2)]
    yield "long notifications", long[0], long[1]


def run(program: str, left: Path, right: Path, *arguments: str) -> tuple[float, float, int]:
    """Returns the seconds, the peak memory in MB, and the exit status."""
    null = os.open(os.devnull, os.O_RDWR)
    redirect = [(os.POSIX_SPAWN_DUP2, null, descriptor) for descriptor in (0, 1, 2)]
    started = time.perf_counter()
    child = os.posix_spawnp(program, [program, "diff", *arguments, str(left), str(right)], os.environ, file_actions=redirect)
    _, status, usage = os.wait4(child, 0)
    seconds = time.perf_counter() - started
    os.close(null)
    return seconds, usage.ru_maxrss / 1024, os.waitstatus_to_exitcode(status)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--operations", type=int, default=100_000)
    options = parser.parse_args()
    missed = False
    peaks = {}
    with tempfile.TemporaryDirectory() as name:
        left, right = Path(name) / "left.btsnoop", Path(name) / "right.btsnoop"
        for count in (options.operations // 100, options.operations // 10, options.operations):
            for title, one, other in scenarios(count):
                left.write_bytes(capture(one))
                right.write_bytes(capture(other))
                best = min(run(options.program, left, right) for _ in range(3))
                seconds, peak, status = best
                peaks[title, count] = peak
                expected = 0 if title == "equal" else 1
                if status != expected:
                    sys.exit(f"{title}: diff ended with {status}, expected {expected}")
                if count < options.operations:
                    continue
                small, tenth = peaks[title, count // 100], peaks[title, count // 10]
                # The memory per operation, without what the program needs for none, in a short and a long session.
                growth = (peak - small) / max(1.0, 10 * (tenth - small))
                is_good = seconds < SECONDS and growth < MEMORY
                missed |= not is_good
                verdict = "ok" if is_good else "MISSED"
                print(f"{title:32}{seconds:6.2f} s{peak:8.0f} MB, {growth:.2f} of linear   {verdict}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
