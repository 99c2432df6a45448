"""Replays captures as live sources send them: with the protocol of a socket or a serial line, as a stream, or in
pieces.

For the tests and the benchmark of `gattscope live`.
"""

import os
import socket
import struct
import time
import tty
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

BTSNOOP_EPOCH = 0x00DCDDB30F2F8000  # 1970, in microseconds since the year 0
H4, MONITOR = 1002, 2001
# H4 packet type and direction (1: received) of the monitor's opcodes, and back.
PACKETS = {2: (1, 0), 3: (4, 1), 4: (2, 0), 5: (2, 1), 6: (3, 0), 7: (3, 1), 18: (5, 0), 19: (5, 1)}
OPCODES = {packet: opcode for opcode, packet in PACKETS.items()}
NO_ADAPTER = 0xFFFF


class Record(NamedTuple):
    """A record of the Linux monitor."""

    opcode: int
    adapter: int
    payload: bytes
    microseconds: int


def read(path: Path) -> list[Record]:
    """Returns the records of a btsnoop file, those of H4 converted to the monitor's."""
    data = path.read_bytes()
    datalink = struct.unpack(">I", data[12:16])[0]
    records, at = [], 16
    while at < len(data):
        _, included, flags, _, time_ = struct.unpack(">IIIIQ", data[at : at + 24])
        payload = data[at + 24 : at + 24 + included]
        at += 24 + included
        if datalink == MONITOR:
            records.append(Record(flags & 0xFFFF, flags >> 16, payload, time_ - BTSNOOP_EPOCH))
        else:
            opcode = OPCODES[payload[0], 1 if payload[0] == 4 else flags & 1]
            if payload[0] == 1:
                opcode = 2
            records.append(Record(opcode, 0, payload[1:], time_ - BTSNOOP_EPOCH))
    return records


def server_protocol(records: Iterable[Record]) -> Iterator[bytes]:
    """Yields what a client of `btmon --server` sends: opcode, adapter, length, no time (BlueZ, monitor/control.c)."""
    for record in records:
        yield struct.pack("<HHH", record.opcode, record.adapter, len(record.payload)) + record.payload


def serial_frames(records: list[Record]) -> Iterator[bytes]:
    """Yields the monitor's frames on a serial line, each with its time in 0.1 ms (BlueZ, monitor/tty.h)."""
    for record in records:
        since = max(0, record.microseconds - records[0].microseconds) // 100
        extended = b"\x08" + struct.pack("<I", since & 0xFFFFFFFF)
        size = 4 + len(extended) + len(record.payload)
        yield struct.pack("<HHBB", size, record.opcode, 0, len(extended)) + extended + record.payload


def btsnoop(records: Iterable[Record], datalink: int) -> Iterator[bytes]:
    """Yields a btsnoop stream: the monitor's records, or the packets among them as H4."""
    yield b"btsnoop\0" + struct.pack(">II", 1, datalink)
    for record in records:
        if datalink == MONITOR:
            flags, payload = record.adapter << 16 | record.opcode, record.payload
        elif record.opcode in PACKETS:
            kind, received = PACKETS[record.opcode]
            flags, payload = received | (2 if kind in (1, 4) else 0), bytes([kind]) + record.payload
        else:
            continue
        size = len(payload)
        yield struct.pack(">IIIIQ", size, size, flags, 0, record.microseconds + BTSNOOP_EPOCH) + payload


def send(pieces: Iterable[bytes], size: int, write: Callable[[bytes], object], pause: float = 0) -> None:
    """Sends everything in pieces of this size; with a pause, sends each given piece on its own."""
    for piece in pieces:
        for at in range(0, len(piece), size):
            write(piece[at : at + size])
        if pause:
            time.sleep(pause)


def write_all(descriptor: int) -> Callable[[bytes], None]:
    def write(data: bytes) -> None:
        while data:
            data = data[os.write(descriptor, data) :]

    return write


def connect(path: Path, seconds: float = 20) -> socket.socket:
    """Connects to a socket that is about to be created."""
    client = socket.socket(socket.AF_UNIX)
    for _ in range(int(seconds * 100)):
        try:
            client.connect(str(path))
            return client
        except (FileNotFoundError, ConnectionRefusedError):
            time.sleep(0.01)
    raise TimeoutError(f"nothing listens at {path}")


def listen() -> tuple[socket.socket, int]:
    """Returns a socket that accepts connections on this machine, and its port."""
    server = socket.create_server(("127.0.0.1", 0))
    return server, server.getsockname()[1]


def pseudo_terminal() -> tuple[int, int, str]:
    """Returns the two ends of a serial line, and the name of the second."""
    here, there = os.openpty()
    tty.setraw(there)
    return here, there, os.ttyname(there)
