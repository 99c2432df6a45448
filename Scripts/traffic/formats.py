"""Writes the same records in the other file formats: pcap, pcapng, PacketLogger.

The records come from a btsnoop file of datalink 1002 (H4) or 2001 (Linux monitor). Sources of the layouts: pcap and
pcapng, the IETF drafts; link types 187, 201 and 254, tcpdump.org; PacketLogger, Wireshark's packetlogger.c and BlueZ's
btsnoop.c.
"""

import struct
from pathlib import Path
from typing import Iterator, NamedTuple

from . import btsnoop

ETHERNET, H4, H4_WITH_DIRECTION, MONITOR = 1, 187, 201, 254
LITTLE, BIG = "<", ">"
# PacketLogger's types by H4 packet type, sent and received.
LOGGED = {
    btsnoop.COMMAND: (0x00, 0x00),
    btsnoop.EVENT: (0x01, 0x01),
    btsnoop.ACL: (0x02, 0x03),
    btsnoop.SCO: (0x08, 0x09),
    btsnoop.ISO: (0x12, 0x13),
}
LMP_RECEIVED, SYSTEM_LOG, KERNEL, NOTE, CONFIGURATION = 0x0B, 0xF7, 0xF8, 0xFC, 0xFD


class Packet(NamedTuple):
    """A record: microseconds since 1970, direction, adapter and monitor opcode (H4: 0 and None), bytes."""

    time: int
    received: bool
    adapter: int
    opcode: int | None
    original: int
    data: bytes


def packets(content: bytes) -> Iterator[Packet]:
    is_monitor = btsnoop.datalink(content) == btsnoop.MONITOR
    for each in btsnoop.records(content):
        adapter, opcode = (each.flags >> 16, each.flags & 0xFFFF) if is_monitor else (0, None)
        yield Packet(each.time - btsnoop.EPOCH, bool(each.flags & 1), adapter, opcode, each.original, each.data)


def framed(packet: Packet, link: int) -> tuple[bytes, int]:
    """Returns the packet with its link type's header, and its length before it was cut."""
    if link == H4_WITH_DIRECTION:
        front = struct.pack(">I", packet.received)
    elif link == MONITOR:
        front = struct.pack(">HH", packet.adapter, packet.opcode)
    else:
        front = b""
    return front + packet.data, len(front) + packet.original


# pcap


def pcap(content: bytes, link: int, *, nanoseconds: bool = False, order: str = LITTLE) -> bytes:
    magic = 0xA1B23C4D if nanoseconds else 0xA1B2C3D4
    out = [struct.pack(order + "IHHIIII", magic, 2, 4, 0, 0, 262_144, link)]
    for packet in packets(content):
        data, original = framed(packet, link)
        seconds, fraction = divmod(packet.time, 1_000_000)
        # A nanosecond clock that is more precise than the microseconds.
        fraction = fraction * 1000 + packet.time % 1000 if nanoseconds else fraction
        out.append(struct.pack(order + "IIII", seconds, fraction, len(data), original) + data)
    return b"".join(out)


# pcapng


def padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def option(order: str, code: int, value: bytes) -> bytes:
    return struct.pack(order + "HH", code, len(value)) + padded(value)


def options(order: str, *each: tuple[int, bytes]) -> bytes:
    return b"".join(option(order, code, value) for code, value in each) + bytes(4) if each else b""


def block(order: str, kind: int, body: bytes) -> bytes:
    body = padded(body)
    total = struct.pack(order + "I", 12 + len(body))
    return struct.pack(order + "I", kind) + total + body + total


def section(order: str, *each: tuple[int, bytes]) -> bytes:
    return block(order, 0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1) + options(order, *each))


def interface(order: str, link: int, snapshot: int = 0, *each: tuple[int, bytes]) -> bytes:
    return block(order, 1, struct.pack(order + "HHI", link, 0, snapshot) + options(order, *each))


def enhanced(order: str, number: int, ticks: int, data: bytes, original: int, *each: tuple[int, bytes]) -> bytes:
    head = struct.pack(order + "IIIII", number, ticks >> 32, ticks & 0xFFFFFFFF, len(data), original)
    return block(order, 6, head + padded(data) + options(order, *each))


def old(order: str, number: int, drops: int, ticks: int, data: bytes, original: int, *each: tuple[int, bytes]) -> bytes:
    head = struct.pack(order + "HHIIII", number, drops, ticks >> 32, ticks & 0xFFFFFFFF, len(data), original)
    return block(order, 2, head + padded(data) + options(order, *each))


def simple(order: str, data: bytes, original: int) -> bytes:
    return block(order, 3, struct.pack(order + "I", original) + padded(data))


def direction(order: str, packet: Packet) -> tuple[int, bytes]:
    """Returns the flags option: 1 inbound, 2 outbound."""
    return 2, struct.pack(order + "I", 1 if packet.received else 2)


PING = bytes.fromhex("ffffffffffff00005e005301") + b"\x08\x06" + bytes(28)  # an ARP request with addresses for documentation


def pcapng(content: bytes) -> bytes:
    """Writes half of the packets to a little-endian section, half to a big-endian one.

    First: Ethernet, and HCI with direction in nanoseconds; comments; an unknown block. Second: HCI without direction,
    in 2^-20 seconds and an hour off, with the direction in the flags; some packets in the old block, the last one in a
    Simple Packet Block, which has neither time nor direction.
    """
    every = list(packets(content))
    half = len(every) // 2
    out = [section(LITTLE, (1, b"the first half"), (4, b"formats.py"))]
    out.append(interface(LITTLE, ETHERNET))
    out.append(interface(LITTLE, H4_WITH_DIRECTION, 65_535, (2, b"bluetooth0"), (9, bytes([9]))))
    for index, packet in enumerate(every[:half]):
        data, original = framed(packet, H4_WITH_DIRECTION)
        comments = [(1, "first half, “quoted”\n".encode())] * 2 if index == 3 else []
        if index % 20 == 5:
            out.append(enhanced(LITTLE, 0, packet.time, PING, len(PING)))
        if index == 7:
            out.append(block(LITTLE, 0x0BADF00D, b"something else"))
        out.append(enhanced(LITTLE, 1, packet.time * 1000, data, original, *comments))
    out.append(section(BIG))
    out.append(interface(BIG, H4, 0, (9, bytes([0x80 | 20])), (14, struct.pack(">q", 3600))))
    for index, packet in enumerate(every[half:]):
        seconds, fraction = divmod(packet.time - 3_600_000_000, 1_000_000)
        ticks = (seconds << 20) + -(-(fraction << 20) // 1_000_000)  # rounded up, so that it converts back to the same microsecond
        data, original = framed(packet, H4)
        if half + index == len(every) - 1:
            out.append(simple(BIG, data, original))
        elif index % 5 == 4:
            out.append(old(BIG, 0, 0, ticks, data, original, direction(BIG, packet)))
        else:
            out.append(enhanced(BIG, 0, ticks, data, original, direction(BIG, packet)))
    return b"".join(out)


# PacketLogger


def logged(order: str, time: int, kind: int, payload: bytes) -> bytes:
    return struct.pack(order + "IIIB", 9 + len(payload), *divmod(time, 1_000_000), kind) + payload


def packet_logger(content: bytes, *, order: str = BIG) -> bytes:
    """Writes the packets with notes in front, and log lines and a Link Manager packet in between.

    The lines have the time when they were written, which is before the preceding packet.
    """
    every = list(packets(content))
    start = every[0].time
    out = [
        logged(order, start, NOTE, b"Bluetooth Host: gattscope's sample captures"),
        logged(order, start, CONFIGURATION, b"\x01\x00\x00\x04Bolt" + bytes(range(16))),
    ]
    line = struct.pack("<IB", 321, 16)
    line += b"bluetoothd\0CoreBluetooth\0com.apple.bluetooth\0Server\0Write refused"
    for index, packet in enumerate(every):
        kind = LOGGED[packet.data[0]][packet.received]
        out.append(logged(order, packet.time, kind, packet.data[1:]))
        if index == 20:
            out.append(logged(order, packet.time - 1500, SYSTEM_LOG, line))
            out.append(logged(order, packet.time - 1200, KERNEL, b"a line of the kernel\n"))
            out.append(logged(order, packet.time, LMP_RECEIVED, bytes.fromhex("0c0102")))
            out.append(logged(order, packet.time, 0x7E, b"\x01\x02"))  # an unknown type
    return b"".join(out)


def with_iso(content: bytes) -> bytes:
    """Appends isochronous data (Core, Vol 4, Part E, 5.4.5) to the session: one SDU sent, one received."""
    end = max(packet.time for packet in packets(content))
    sdu = struct.pack("<HHHH", 0x2060, 8, 1, 4) + b"\x11\x22\x33\x44"  # complete, packet sequence number 1, 4 bytes
    data = bytes([btsnoop.ISO]) + sdu
    return content + btsnoop.record(data, 0, end + 1000) + btsnoop.record(data, 1, end + 2000)


def make_all(folder: Path) -> None:
    """Writes one small file of each format from the existing sample captures."""

    def sample(name: str) -> bytes:
        return (folder / f"{name}.btsnoop").read_bytes()

    made = {
        "heart-rate.pcap": pcap(sample("heart-rate"), H4_WITH_DIRECTION, nanoseconds=True, order=BIG),
        "pairing-fails.pcap": pcap(sample("pairing-fails"), H4),
        "monitor.pcap": pcap(sample("monitor"), MONITOR),
        "wristband.pcapng": pcapng(sample("wristband")),
        "write-refused.pklg": packet_logger(sample("write-refused")),
        "enhanced-connection.pklg": packet_logger(with_iso(sample("enhanced-connection")), order=LITTLE),
    }
    for name, content in made.items():
        (folder / name).write_bytes(content)
