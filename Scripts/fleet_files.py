#!/usr/bin/env python3
"""Creates a folder of captures like those of a fleet from samples: usage: fleet_files.py FOLDER COUNT [CAPTURES…]

Each file is a sample, repeated or cut to 33 KB on average and shifted in time, so that no two have the same
content. One in 25 is cut short within a record; one in 40 is not a capture. The same arguments create
the same files."""

import random
import struct
import sys
from pathlib import Path

HEADER = 16
RECORD = struct.Struct(">IIIIQ")
ROOT = Path(__file__).resolve().parent.parent
DAY = 86_400_000_000


def records(data: bytes) -> list[tuple[int, bytes]]:
    """Returns the records of a btsnoop file: the time, the other numbers of the header, and the bytes of each."""
    found, at = [], HEADER
    while at + RECORD.size <= len(data):
        original, kept, flags, drops, time = RECORD.unpack_from(data, at)
        body = data[at + RECORD.size : at + RECORD.size + kept]
        if len(body) < kept:
            break
        found.append((time, (original, kept, flags, drops), body))
        at += RECORD.size + kept
    return found


def samples(folders: list[Path]) -> list[tuple[bytes, list]]:
    """Returns the header and records of each btsnoop file in the folders that has records."""
    found = []
    for folder in folders:
        for file in sorted(folder.rglob("*")):
            if file.is_file() and file.suffix in (".btsnoop", ".log", ".cfa"):
                data = file.read_bytes()
                if data.startswith(b"btsnoop\0") and (known := records(data)):
                    found.append((data[:HEADER], known))
    return found


def capture(header: bytes, known: list, size: int, shift: int) -> bytes:
    """Returns a capture of at least `size` bytes, repeating the records as needed."""
    made, length, turn = [header], HEADER, 0
    span = max(known[-1][0] - known[0][0], 0) + 1_000_000
    while length < size:
        for time, numbers, body in known:
            made.append(RECORD.pack(*numbers, (time + shift + turn * span) & (1 << 64) - 1) + body)
            length += RECORD.size + len(body)
            if length >= size:
                break
        turn += 1
    return b"".join(made)


def make(folder: Path, count: int, sources: list[Path]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    known = samples(sources)
    for number in range(count):
        chance = random.Random(number)
        header, some = known[number % len(known)]
        data = capture(header, some, chance.randint(8_000, 58_000), number * 60_000_000)
        if number % 25 == 7:
            data = data[: -chance.randint(1, 9)]
        elif number % 40 == 11:
            data = b"%d: no capture\n" % number + data[:1000]
        part = folder / f"{number // 1000:03}"
        part.mkdir(exist_ok=True)
        (part / f"{number:06}.log").write_bytes(data)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    make(Path(sys.argv[1]), int(sys.argv[2]), [Path(each) for each in sys.argv[3:]] or [ROOT / "captures"])
