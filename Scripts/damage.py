"""The positions of the records in a capture file, and ways to damage one, each with the number of records that stay
intact.
"""

import random
import struct
from pathlib import Path
from typing import Iterator, NamedTuple

LEAST_WHOLE = 4096  # files up to this length are cut at every length


class Damage(NamedTuple):
    name: str
    data: bytes
    intact: int  # the number of unchanged records at the beginning


def record_ends(data: bytes) -> list[int]:
    """Returns the end of each whole record; the first entry is the start of the first record. Empty for an unknown
    format.
    """
    if data[:8] == b"btsnoop\0":
        return _ends(data, 16, lambda at: 24 + struct.unpack_from(">I", data, at + 4)[0], 24)
    magic = data[:4]
    if magic in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1"):
        return _ends(data, 24, lambda at: 16 + struct.unpack_from("<I", data, at + 8)[0], 16)
    if magic in (b"\xa1\xb2\xc3\xd4", b"\xa1\xb2\x3c\x4d"):
        return _ends(data, 24, lambda at: 16 + struct.unpack_from(">I", data, at + 8)[0], 16)
    if magic == b"\x0a\x0d\x0d\x0a" and data[8:12] == b"\x4d\x3c\x2b\x1a":
        return _ends(data, 0, lambda at: struct.unpack_from("<I", data, at + 4)[0], 12)
    if magic[:1] == b"\0" and magic[1:2] in b"\0\1":  # PacketLogger: the length does not count itself
        return _ends(data, 0, lambda at: 4 + struct.unpack_from(">I", data, at)[0], 13)
    if magic[2:4] == b"\0\0":
        return _ends(data, 0, lambda at: 4 + struct.unpack_from("<I", data, at)[0], 13)
    return []


def _ends(data: bytes, start: int, length, header: int) -> list[int]:
    ends = [start]
    while ends[-1] + header <= len(data):
        size = length(ends[-1])
        if size < header or ends[-1] + size > len(data):
            break
        ends.append(ends[-1] + size)
    return ends


BLUETOOTH = (187, 201, 251, 253, 254, 256)  # link types


def told(data: bytes, ends: list[int]) -> list[bool]:
    """Returns which records are Bluetooth packets: pcapng has other blocks between them."""
    if data[:4] != b"\x0a\x0d\x0d\x0a":
        return [True] * (len(ends) - 1)
    types, flags = [], []
    for start in ends[:-1]:
        kind, _, first = struct.unpack_from("<III", data, start)
        if kind == 1:
            types.append(first & 0xFFFF)
        flags.append(kind == 6 and types[first] in BLUETOOTH)
    return flags


def _before(ends: list[int], offset: int) -> int:
    """Returns how many records end at or before the offset."""
    return sum(end <= offset for end in ends[1:])


def damages(path: Path, rounds: int) -> Iterator[Damage]:
    """Yields every kind of damage, `rounds` of each. The same file and number always give the same damage."""
    data = path.read_bytes()
    ends = record_ends(data)
    if len(ends) < 2:
        return
    chance = random.Random(path.name)
    yield from cuts(data, ends, rounds, chance)
    yield from flips(data, ends, rounds, chance)
    yield from lengths(data, ends, rounds, chance)
    yield from shuffles(data, ends, rounds, chance)


def cuts(data: bytes, ends: list[int], rounds: int, chance: random.Random) -> Iterator[Damage]:
    if len(data) <= LEAST_WHOLE and rounds * 100 >= len(data):
        places = list(range(len(data)))
    else:
        near = [max(0, chance.choice(ends) + step) for step in (-1, 0, 1) for _ in range(rounds)]
        places = near + [chance.randrange(len(data)) for _ in range(rounds)]
    for place in places:
        yield Damage(f"cut to {place} bytes", data[:place], _before(ends, place))


def flips(data: bytes, ends: list[int], rounds: int, chance: random.Random) -> Iterator[Damage]:
    for _ in range(rounds):
        for count in (1, 8, 64):
            damaged = bytearray(data)
            places = sorted(chance.randrange(ends[0], len(data)) for _ in range(count))
            for place in places:
                damaged[place] ^= 1 << chance.randrange(8)
            yield Damage(f"{count} bits changed from {places[0]} on", bytes(damaged), _before(ends, places[0]))


def lengths(data: bytes, ends: list[int], rounds: int, chance: random.Random) -> Iterator[Damage]:
    """Puts the largest and other unlikely numbers into the lengths of record headers and of what they contain."""
    for _ in range(rounds):
        for width in (1, 2, 4):
            index = chance.randrange(len(ends) - 1)
            start, end = ends[index], ends[index + 1]
            place = start + chance.randrange(min(44, end - start))
            for number in (b"\xff" * width, b"\0" * width, b"\x7f" + b"\xff" * (width - 1)):
                damaged = data[:place] + number + data[place + width :]
                yield Damage(f"{number.hex()} at {place}", damaged, _before(ends, place))


def shuffles(data: bytes, ends: list[int], rounds: int, chance: random.Random) -> Iterator[Damage]:
    """Reorders, repeats or omits records. The first one stays: in pcapng it describes the others."""
    records = [data[start:end] for start, end in zip(ends, ends[1:])]
    head, rest = data[: ends[1]], records[1:]
    for _ in range(rounds):
        yield Damage("in another order", head + b"".join(chance.sample(rest, len(rest))), 1)
        yield Damage("with repeated records", head + b"".join(chance.choices(rest, k=len(rest))), 1)
        yield Damage("half left out", head + b"".join(each for each in rest if chance.random() < 0.5), 1)
