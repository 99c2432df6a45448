"""Detects a file's capture format and which records are HCI or a sniffer's: enough to know what must be read.

A second implementation, written independently of the program's own readers.
"""

import struct
from pathlib import Path
from typing import Iterator, NamedTuple

from . import btsnoop

# Link types of pcap and pcapng with HCI: H4 without and with direction, and the Linux monitor's.
HCI_LINKS = {187, 201, 254}
# Those of sniffers: Link Layer packets without and with a header, nRF Sniffer and its old format, PPI.
AIR_LINKS = {251, 256, 272, 157, 192}
DATALINKS = {btsnoop.H1, btsnoop.H4, btsnoop.MONITOR}
# Android's packet types in a btsnooz summary: event, received and sent data, command.
SUMMARY_TYPES = {0x10, 0x11, 0x21, 0x20}
EMPTY_IS_READ = {f"btsnoop {link}" for link in DATALINKS} | {f"pcap {link}" for link in HCI_LINKS | AIR_LINKS}

PCAP_ORDERS = {
    bytes.fromhex("a1b2c3d4"): ">",
    bytes.fromhex("d4c3b2a1"): "<",
    bytes.fromhex("a1b23c4d"): ">",
    bytes.fromhex("4d3cb2a1"): "<",
}
SECTION, INTERFACE, OLD_PACKET, SIMPLE_PACKET, PACKET = 0x0A0D0D0A, 1, 2, 3, 6
BYTE_ORDER = 0x1A2B3C4D
# Command, event, ACL, SCO both ways, ISO both ways, and the types that are log lines and notes.
PACKET_LOGGER_TYPES = {0x00, 0x01, 0x02, 0x03, 0x08, 0x09, 0x0A, 0x0B, 0x10, 0x11, 0x12, 0x13, *range(0xF6, 0x100)}


class Kind(NamedTuple):
    """The format's name with the link types that occur, and for each record whether it is HCI, and whether a sniffer
    recorded it.
    """

    name: str
    is_hci: list[bool]
    is_air: list[bool]

    @property
    def is_read(self) -> list[bool]:
        return [hci or air for hci, air in zip(self.is_hci, self.is_air)]


def _of_links(name: str, links: list[int]) -> Kind:
    return Kind(name, [link in HCI_LINKS for link in links], [link in AIR_LINKS for link in links])


def kind(path: Path) -> Kind | None:
    """Returns the kind of a file, or None if it is not a capture."""
    content = path.read_bytes()
    for read in (_btsnoop, _pcap, _pcapng, _packet_logger):
        if found := read(content):
            return found
    return None


def _btsnoop(content: bytes) -> Kind | None:
    if content[:8] != btsnoop.MAGIC or len(content) < btsnoop.HEADER.size:
        return None
    # btsnooz records after this header: the first one would claim more than a megabyte.
    if len(content) > 24 and content[16] and content[24] in SUMMARY_TYPES:
        return None
    link = btsnoop.datalink(content)
    is_hci = [link in DATALINKS for _ in btsnoop.records(content)]
    return Kind(f"btsnoop {link}", is_hci, [False] * len(is_hci))


def _pcap(content: bytes) -> Kind | None:
    order = PCAP_ORDERS.get(content[:4])
    if order is None or len(content) < 24:
        return None
    link = struct.unpack_from(order + "I", content, 20)[0] & 0x0FFF_FFFF
    count, at = 0, 24
    while at + 16 <= len(content):
        at += 16 + struct.unpack_from(order + "I", content, at + 8)[0]
        count += at <= len(content)
    return _of_links(f"pcap {link}", [link] * count)


def blocks(content: bytes) -> Iterator[tuple[str, int, bytes]]:
    """Yields the byte order, type and body of each whole pcapng block."""
    order, at = "<", 0
    while at + 12 <= len(content):
        if content[at : at + 4] == bytes.fromhex("0a0d0d0a"):
            order = "<" if struct.unpack_from("<I", content, at + 8)[0] == BYTE_ORDER else ">"
        block, length = struct.unpack_from(order + "II", content, at)
        if length < 12 or at + length > len(content):
            return
        yield order, block, content[at + 8 : at + length - 4]
        at += length


def _pcapng(content: bytes) -> Kind | None:
    if content[:4] != bytes.fromhex("0a0d0d0a"):
        return None
    links: list[int] = []
    found: list[int] = []
    for order, block, body in blocks(content):
        if block == SECTION:
            links = []
        elif block == INTERFACE:
            links.append(struct.unpack_from(order + "H", body)[0])
        elif block in (PACKET, OLD_PACKET, SIMPLE_PACKET):
            index = 0 if block == SIMPLE_PACKET else struct.unpack_from(order + ("I" if block == PACKET else "H"), body)[0]
            found.append(links[index] if index < len(links) else -1)
    names = " ".join(str(link) for link in sorted(set(found)))
    return _of_links(f"pcapng {names}".strip(), found)


def _packet_logger(content: bytes) -> Kind | None:
    """Detects the format without a magic number: the lengths must fit to the end, and the first type must be known."""
    for order, name in ((">", "PacketLogger, big-endian"), ("<", "PacketLogger, little-endian")):
        count, at = 0, 0
        while at + 13 <= len(content):
            length, _, micros, packet = struct.unpack_from(order + "IIIB", content, at)
            if not 9 <= length <= 0x10000 or micros >= 1_000_000 or at == 0 and packet not in PACKET_LOGGER_TYPES:
                count = 0
                break
            at += 4 + length
            count += at <= len(content)
        if count:
            return Kind(name, [True] * count, [False] * count)
    return None
