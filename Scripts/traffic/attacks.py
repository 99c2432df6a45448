"""Captures that make a program remember more and more: they fill every table far beyond its limit.

Each function repeats its traffic `count` times, so that a capture ten times as long demands ten times as much.
"""

import struct
from typing import Callable

from . import btsnoop
from .handmade import ATT, CENTRAL, RANDOM, Capture, l2cap
from .handmade import LE_SIGNALLING as SIGNALS
from .handmade import SECURITY_MANAGER as SECURITY

HANDLES = 0x0F00  # connection handles end at 0x0eff
FIRST, CONTINUATION = 2, 1  # packet boundary flags from the controller to the host


def device(number: int) -> bytes:
    """Returns a different static random address for each number below 2^40."""
    return number.to_bytes(5, "little") + b"\xc0"


def connect(capture: Capture, handle: int, peer: int) -> None:
    parameters = struct.pack("<BHBB6sHHHB", 0, handle, CENTRAL, RANDOM, device(peer), 24, 0, 100, 0)
    capture.meta(0x01, parameters)


def notification(handle: int, number: int) -> bytes:
    return struct.pack("<BHI", 0x1B, handle, number)


def connections(capture: Capture, count: int) -> None:
    """Connections that never end; a reused handle replaces the earlier connection."""
    for number in range(count):
        connect(capture, number % HANDLES, number)
        capture.received(number % HANDLES, notification(0x10, number))


def devices(capture: Capture, count: int) -> None:
    """Advertisers, each with its own name."""
    for number in range(count):
        name = b"%08x" % number
        data = b"\x02\x01\x06" + bytes([len(name) + 1, 0x09]) + name
        capture.meta(0x02, b"\x01\x00\x01" + device(number) + bytes([len(data)]) + data + b"\xc0")


def attributes(capture: Capture, count: int) -> None:
    """Servers that have as many attributes as handles exist."""
    each = 65_535 // 5
    for number in range(count):
        server, place = divmod(number, each)
        if place == 0:
            connect(capture, server % HANDLES, server)
        start = place * 5 + 1
        capture.sent(server % HANDLES, struct.pack("<BHH", 0x04, start, 0xFFFF))
        found = b"".join(struct.pack("<HH", start + step, 0x2900 + step) for step in range(5))
        capture.received(server % HANDLES, b"\x05\x01" + found)


def characteristics(capture: Capture, count: int) -> None:
    """Servers full of characteristics, each of which sends notifications."""
    each = 65_535 // 3
    for number in range(count):
        server, place = divmod(number, each)
        link = server % HANDLES
        if place == 0:
            connect(capture, link, server)
            capture.sent(link, bytes.fromhex("100100ffff0028"))
            capture.received(link, bytes.fromhex("11060100ffff0d18"))
        start = place * 3 + 2
        capture.sent(link, struct.pack("<BHHH", 0x08, start, 0xFFFF, 0x2803))
        capture.received(link, struct.pack("<BBHBHH", 0x09, 7, start, 0x12, start + 1, 0xFFE1))
        capture.received(link, notification(start + 1, number))


def beginnings(capture: Capture, count: int) -> None:
    """PDUs that begin but never end."""
    for number in range(count):
        data = struct.pack("<HH", 0xFFFF, 4) + notification(0x10, number) + bytes(16)
        capture.acl(number % HANDLES, FIRST, data, received=True)


def fragments(capture: Capture, count: int) -> None:
    """One PDU in far more packets than it needs."""
    connect(capture, 1, 1)
    capture.acl(1, FIRST, struct.pack("<HH", 0xFFFF, 4) + b"\x1b\x10\x00", received=True)
    for _ in range(count):
        capture.acl(1, CONTINUATION, bytes(9), received=True)


def prepared_writes(capture: Capture, count: int) -> None:
    """Parts of writes that are never executed."""
    connect(capture, 1, 1)
    for number in range(count):
        part = struct.pack("<HH", number % 0xFFFF + 1, number * 18 & 0xFFFF) + bytes(18)
        capture.sent(1, b"\x16" + part)
        capture.received(1, b"\x17" + part)


def channels(capture: Capture, count: int) -> None:
    """Credit-based channels that are opened but never closed."""
    connect(capture, 1, 1)
    for number in range(count):
        identifier, channel = number % 255 + 1, 0x40 + number % 0xFFC0
        asked = struct.pack("<BBHHHHHH", 0x14, identifier, 10, 0x80 + number % 64, channel, 100, 100, 10)
        given = struct.pack("<BBHHHHHH", 0x15, identifier, 10, channel, 100, 100, 10, 0)
        capture.acl(1, 0, struct.pack("<HH", len(asked), SIGNALS) + asked, received=False)
        capture.received(1, given, channel=SIGNALS)


def vendor_frames(capture: Capture, count: int) -> None:
    """Frames in the wristband's format that only begin."""
    connect(capture, 1, 1)
    for number in range(count):
        frame = b"\xa5\xff" + bytes([number & 0x7F]) + bytes(17)
        capture.acl(1, 0, struct.pack("<HHBH", 3 + len(frame), 4, 0x52, number * 2 % 0xFFFF + 1) + frame, received=False)


def requests(capture: Capture, count: int) -> None:
    """Requests without an answer."""
    connect(capture, 1, 1)
    for number in range(count):
        capture.acl(1, 0, struct.pack("<HHBH", 3, 4, 0x0A, number % 0xFFFF + 1), received=False)


def handles(capture: Capture, count: int) -> None:
    """Notifications of every attribute handle, none of which was discovered."""
    connect(capture, 1, 1)
    for number in range(count):
        capture.received(1, notification(number % 0xFFFF + 1, number))


def values(capture: Capture, count: int) -> None:
    """Long values, all different."""
    connect(capture, 1, 1)
    for number in range(count):
        capture.received(1, b"\x1b\x10\x00" + struct.pack("<I", number) * 50)


def pairings(capture: Capture, count: int) -> None:
    """Failed pairings, each with another peer."""
    for number in range(count):
        link, value = number % HANDLES, struct.pack("<QQ", number, number)
        connect(capture, link, number)
        for received, pdu in enumerate((b"\x01\x04\0\x05\x10\x07\x07", b"\x02\x04\0\x05\x10\x07\x07")):
            capture.acl(link, 2 * received, struct.pack("<HH", len(pdu), SECURITY) + pdu, bool(received))
        capture.received(link, b"\x03" + value, channel=SECURITY)
        capture.received(link, b"\x04" + value, channel=SECURITY)
        capture.received(link, b"\x05\x08", channel=SECURITY)


def trains(capture: Capture, count: int) -> None:
    """Synchronised trains of periodic advertising."""
    for number in range(count):
        train = number % HANDLES
        capture.meta(0x0E, struct.pack("<BHBB6sBHB", 0, train, 1, RANDOM, device(number), 1, 100, 0))
        capture.meta(0x0F, struct.pack("<HbbBBB", train, 0, 0, 0xFF, 1, 20) + bytes(20))


def chains(capture: Capture, count: int) -> None:
    """Incomplete extended advertisements."""
    for number in range(count):
        report = struct.pack("<HB6sBBBbbHB6s", 0x20, RANDOM, device(number), 1, 0, 1, 127, -64, 0, 0, bytes(6))
        capture.meta(0x0D, b"\x01" + report + bytes([24]) + b"\x17\xff" + bytes(22))


def bonds(capture: Capture, count: int) -> None:
    """Identity resolving keys of different devices."""
    for number in range(count):
        connect(capture, number % HANDLES, number)
        capture.received(number % HANDLES, b"\x08" + struct.pack("<QQ", number, ~number & 0xFFFF), channel=SECURITY)
        capture.received(number % HANDLES, b"\x09\x01" + device(number), channel=SECURITY)


def unresolved(capture: Capture, count: int) -> None:
    """Resolvable private addresses, none of which belongs to one of many known keys."""
    bonds(capture, 300)
    for number in range(count):
        capture.meta(0x02, b"\x01\x00\x01" + resolvable(number) + b"\x03\x02\x01\x06\xc0")


def resolvable(number: int) -> bytes:
    """Returns a different resolvable private address for each number below 2^40."""
    return (number * 2_654_435_761 % (1 << 46) | 1 << 46).to_bytes(6, "little")


def reports(capture: Capture, count: int, data: bytes, address: Callable[[int], bytes]) -> None:
    """Records with as many advertising reports as fit, each of another device."""
    fitting = 250 // (10 + len(data))
    for number in range(count):
        each = (address(number * fitting + place) for place in range(fitting))
        packed = b"".join(b"\x00\x01" + sender + bytes([len(data)]) + data + b"\xc0" for sender in each)
        capture.meta(0x02, bytes([fitting]) + packed)


def crowds(capture: Capture, count: int) -> None:
    """Many devices in each record, without data."""
    reports(capture, count, b"", device)


def decoded_crowds(capture: Capture, count: int) -> None:
    """Many devices in each record, whose short data means much."""
    reports(capture, count, b"\x05\xff\x4c\x00\x10\x01", device)


def unresolved_crowds(capture: Capture, count: int) -> None:
    """Many resolvable private addresses in each record, none of which belongs to one of many known keys."""
    bonds(capture, 300)
    reports(capture, count, b"", resolvable)


def bundles(capture: Capture, count: int) -> None:
    """Notifications of as many attributes at once as fit."""
    connect(capture, 1, 1)
    for number in range(count):
        values = (struct.pack("<HHB", (number * 40 + place) % 0xFFFF + 1, 1, number % 256) for place in range(40))
        capture.received(1, b"\x23" + b"".join(values))


def operations(capture: Capture, count: int) -> None:
    """Reads and their refusals; no two consecutive ones are alike."""
    connect(capture, 1, 1)
    for number in range(count):
        handle = number * 7919 % 0xFFFF + 1
        capture.sent(1, struct.pack("<BH", 0x0A, handle))
        capture.received(1, struct.pack("<BBHB", 0x01, 0x0A, handle, 1 + number % 17))


def service_changes(capture: Capture, count: int) -> None:
    """A large server that keeps reporting that one attribute has changed, which is then discovered again."""
    connect(capture, 1, 1)
    last = 2040
    capture.sent(1, bytes.fromhex("100100ffff0028"))
    capture.received(1, bytes.fromhex("1106 0100 ffff 0118"))
    capture.sent(1, struct.pack("<BHHH", 0x08, 2, 0xFFFF, 0x2803))
    capture.received(1, struct.pack("<BBHBHH", 0x09, 7, 2, 0x20, 3, 0x2A05))
    for start in range(4, last, 5):
        found = b"".join(struct.pack("<HH", handle, 0x2A00 + handle % 256) for handle in range(start, start + 5))
        capture.sent(1, struct.pack("<BHH", 0x04, start, 0xFFFF))
        capture.received(1, b"\x05\x01" + found)
    for number in range(count):
        handle = 4 + number * 7919 % (last - 4)
        capture.received(1, struct.pack("<BHHH", 0x1D, 3, handle, handle))
        capture.sent(1, b"\x1e")
        capture.sent(1, struct.pack("<BHH", 0x04, handle, handle))
        capture.received(1, b"\x05\x01" + struct.pack("<HH", handle, 0x2A00 + number % 256))


def disagreeing_hashes(capture: Capture, count: int) -> None:
    """Servers whose Database Hash does not match their attributes."""
    each = 40
    for number in range(count):
        server, place = divmod(number, each)
        link = server % HANDLES
        if place == 0:
            connect(capture, link, server)
            for first in (0x10, 0x08):
                asked = struct.pack("<BHHH", first, 1, 0xFFFF, 0x2800 if first == 0x10 else 0x2B2A)
                capture.sent(link, asked)
                capture.received(link, bytes.fromhex("1106 0100 ffff 0d18") if first == 0x10 else struct.pack("<BBHQQ", 0x09, 18, 2, server, 7))
        start = place * 3 + 3
        capture.sent(link, struct.pack("<BHHH", 0x08, start, 0xFFFF, 0x2803))
        capture.received(link, struct.pack("<BBHBHH", 0x09, 7, start, 0x02, start + 1, 0x2A00 + place))
        if place == each - 1:
            for opcode, attribute in ((0x10, 0x2800), (0x08, 0x2802), (0x08, 0x2803)):
                capture.sent(link, struct.pack("<BHHH", opcode, 1 if opcode == 0x08 else 2, 0xFFFF, attribute))
                capture.received(link, struct.pack("<BBHB", 0x01, opcode, 1, 0x0A))
            capture.sent(link, struct.pack("<BHH", 0x04, 1, 0xFFFF))
            capture.received(link, struct.pack("<BBHB", 0x01, 0x04, 1, 0x0A))


def long_names(capture: Capture, count: int) -> None:
    """Devices with different names of the maximum length."""
    for number in range(count):
        if number % HANDLES == 0:
            connect(capture, 1, number)
        name = (b"%08x " % number * 28)[:248]
        capture.sent(1, b"\x08\x01\x00\xff\xff\x00\x2a")
        capture.received(1, bytes([0x09, len(name) + 2, 3, 0]) + name)


def taking_turns(capture: Capture, count: int) -> None:
    """Two connections with alternating notifications, from servers that receive no requests."""
    for link in (1, 2):
        connect(capture, link, link)
    for number in range(count):
        capture.received(1 + number % 2, notification(2 * (number % 1000) + 3, number))


def full_connections(capture: Capture, count: int) -> None:
    """Connections of which each fills what is remembered of one: a failed pairing, a large server, subscriptions, reads and
    writes of different values, refusals, requests without an answer.
    """
    attributes = 100
    for number in range(count):
        link, value = 1 + number % 64, struct.pack("<QQ", number, ~number & 0xFFFF_FFFF)
        connect(capture, link, number)
        capture.sent(link, b"\x01\x04\0\x05\x10\x07\x07", channel=SECURITY)
        capture.received(link, b"\x02\x04\0\x05\x10\x07\x07", channel=SECURITY)
        for opcode in (3, 4):
            capture.sent(link, bytes([opcode]) + value, channel=SECURITY)
            capture.received(link, bytes([opcode]) + value[::-1], channel=SECURITY)
        capture.received(link, b"\x05\x04", channel=SECURITY)
        capture.sent(link, bytes.fromhex("100100ffff0028"))
        capture.received(link, bytes.fromhex("11060100ffff0d18"))
        for start in range(2, 2 + 3 * attributes, 3):
            capture.sent(link, struct.pack("<BHHH", 0x08, start, 0xFFFF, 0x2803))
            capture.received(link, struct.pack("<BBHBHH", 0x09, 7, start, 0x3A, start + 1, 0xFF00 + start // 3))
            capture.sent(link, struct.pack("<BHH", 0x04, start + 2, start + 2))
            capture.received(link, struct.pack("<BBHH", 0x05, 1, start + 2, 0x2902))
        for place in range(attributes):
            handle, text = place * 3 + 3, struct.pack("<IHH", number, place, 7) * 12
            capture.sent(link, struct.pack("<BHH", 0x12, handle + 1, 1 + place % 2))
            capture.received(link, b"\x13")
            capture.sent(link, struct.pack("<BH", 0x0A, handle))
            capture.received(link, b"\x0b" + text)
            capture.sent(link, struct.pack("<BH", 0x12, handle) + text)
            capture.received(link, struct.pack("<BBHB", 1, 0x12, handle, 1 + place % 17))
            capture.received(link, struct.pack("<BH", 0x1B if place % 2 else 0x1D, handle) + text)
            capture.sent(link, struct.pack("<BH", 0x0A, handle))
            if place % 8 == 0:
                capture.received(link, struct.pack("<BBHB", 1, 0x0A, handle, 5))
        capture.event(0x05, struct.pack("<BHB", 0, link, 0x08 if number % 2 else 0x13))


def multiple_reads(capture: Capture, count: int) -> None:
    """Reads of as many values at once as an MTU of 512 bytes allows."""
    connect(capture, 1, 1)
    for number in range(count):
        handles = ((number * 200 + place) % 0xFFFF + 1 for place in range(127))
        capture.sent(1, b"\x20" + struct.pack("<127H", *handles))
        capture.received(1, b"\x21" + struct.pack("<HH", 2, number & 0xFFFF) * 127)


def charts(capture: Capture, count: int) -> None:
    """Changing numbers of 2000 attributes in each notification, on eight connections in turn."""
    for link in range(8):
        connect(capture, 1 + link, link)
    for number in range(count):
        values = (struct.pack("<HHI", 1 + (number // 8 * 2000 + place) % 2047, 4, number * 8000 + place) for place in range(2000))
        capture.received(1 + number % 8, b"\x23" + b"".join(values))


def fragmented(capture: Capture, count: int) -> None:
    """Notifications in ten packets each."""
    connect(capture, 1, 1)
    for number in range(count):
        data = struct.pack("<HHBH", 247, 4, 0x1B, 0x10) + struct.pack("<I", number) * 61
        for start in range(0, len(data), 27):
            capture.acl(1, CONTINUATION if start else FIRST, data[start : start + 27], received=True)


def secrets(capture: Capture, count: int) -> None:
    """Names and serial numbers of the maximum length, and keys."""
    connect(capture, 1, 1)
    capture.sent(1, bytes.fromhex("08 0100 ffff 252a"))
    for number in range(count):
        name, serial = (b"%08x %%c" % number * 28)[:248], (b"%09d-" % number * 25)[:248]
        for kind, text in ((0x2A00, name), (0x2A25, serial)):
            capture.sent(1, struct.pack("<BHHH", 0x08, 1, 0xFFFF, kind))
            capture.received(1, bytes([0x09, len(text) + 2, 3, 0]) + text)
        capture.received(1, b"\x06" + struct.pack("<QQ", number * 2_654_435_761, ~number & 0xFFFF_FFFF), channel=SECURITY)


def app_log(lines: int, text: str) -> str:
    """Returns an app's log with this many lines at the time of the captures."""
    moments = (divmod(number * 60 // lines * 1000 + number % 1000, 1000) for number in range(lines))
    return "".join(f"22:{13 + second // 60:02}:{second % 60:02}.{thousandth:03} {text}\n" for second, thousandth in moments)


def request(capture: Capture, link: int, pdu: bytes) -> None:
    """Records an ATT request without the controller's confirmation, of which these attacks would have very many."""
    capture.acl(link, 0, l2cap(ATT, pdu), received=False)


def busy_connections(capture: Capture, count: int) -> None:
    """Connections that use as many attributes, and do as much of each kind, as is remembered of one."""
    each = 40
    for number in range(count):
        server, place = divmod(number, each)
        link, first = server % HANDLES, 1 + place * 30
        if place == 0:
            connect(capture, link, server)
        kind = place % 5
        if kind == 0:
            request(capture, link, struct.pack("<BHHH", 0x10, first, 0xFFFF, 0x2800))
            groups = (struct.pack("<HHH", first + 10 * step, first + 10 * step + 9, 0x1800 + server % 64) for step in range(3))
            capture.received(link, b"\x11\x06" + b"".join(groups))
            request(capture, link, struct.pack("<BHHH", 0x08, first, 0xFFFF, 0x2803))
            declared = (struct.pack("<HBHH", first + 3 * step + 1, 0x1A, first + 3 * step + 2, 0x2A00 + step) for step in range(9))
            capture.received(link, b"\x09\x07" + b"".join(declared))
        elif kind == 1:
            values = (struct.pack("<HHBI", first + step, 5, step, number) for step in range(40))
            capture.received(link, b"\x23" + b"".join(values))
            capture.received(link, struct.pack("<BH", 0x1B, first) + b"%016d{\"a\"" % number)
        elif kind == 2:
            for step in range(2):
                request(capture, link, struct.pack("<BHH", 0x12, first + step, 1))
                capture.received(link, struct.pack("<BBHB", 0x01, 0x12, first + step, 1 + number % 17))
        elif kind == 3:
            value = struct.pack("<I", number) * 125
            request(capture, link, struct.pack("<BH", 0x12, first) + value)
            capture.received(link, b"\x13")
            request(capture, link, struct.pack("<BH", 0x52, first + 1) + value[:20])
        else:
            for step in range(3):
                request(capture, link, struct.pack("<BH", 0x0A, first + step))


def readings(capture: Capture, count: int) -> None:
    """Connections on which each response has the values of many attributes (Read Multiple Variable)."""
    each, most = 40, 60
    for number in range(count):
        server, place = divmod(number, each)
        if place == 0:
            connect(capture, server % HANDLES, server)
        first = 1 + place * most
        request(capture, server % HANDLES, struct.pack(f"<B{most}H", 0x20, *range(first, first + most)))
        capture.received(server % HANDLES, b"\x21" + b"".join(struct.pack("<HH", 2, number + step & 0xFFFF) for step in range(most)))


def long_writes(capture: Capture, count: int) -> None:
    """Connections on which values of the greatest length are written, all different."""
    each = 40
    for number in range(count):
        server, place = divmod(number, each)
        if place == 0:
            connect(capture, server % HANDLES, server)
        request(capture, server % HANDLES, struct.pack("<BH", 0x52, place + 1) + struct.pack("<I", number) * 125)


def ordinary(capture: Capture, count: int) -> None:
    """The traffic that attacks are compared with: one device, a few characteristics, notifications and writes."""
    connect(capture, 1, 1)
    capture.sent(1, bytes.fromhex("100100ffff0028"))
    capture.received(1, bytes.fromhex("1106 0100 0a00 0d18"))
    for start in (2, 5, 8):
        capture.sent(1, struct.pack("<BHHH", 0x08, start, 0x0A, 0x2803))
        capture.received(1, struct.pack("<BBHBHH", 0x09, 7, start, 0x1A, start + 1, 0xFFE0 + start))
    for number in range(count):
        handle = (3, 6, 9)[number % 3]
        if number % 4:
            capture.received(1, notification(handle, number % 1000))
        else:
            capture.sent(1, struct.pack("<BHI", 0x12, handle, number % 1000))
            capture.received(1, b"\x13")


ATTACKS: dict[str, Callable[[Capture, int], None]] = {
    each.__name__: each
    for each in (
        *(connections, devices, attributes, characteristics, beginnings, fragments, prepared_writes, channels),
        *(vendor_frames, requests, handles, values, pairings, trains, chains, bonds, operations),
        *(service_changes, disagreeing_hashes, taking_turns, long_names, unresolved, crowds, decoded_crowds),
        *(unresolved_crowds, bundles, busy_connections, readings, long_writes),
    )
}


def attack(name: str, count: int) -> bytes:
    """Returns the whole capture."""
    return made(ATTACKS[name], count)


def made(traffic: Callable[[Capture, int], None], count: int) -> bytes:
    """Returns a capture of such traffic."""
    capture = Capture(btsnoop.H4)
    traffic(capture, count)
    return bytes(capture.content)


def other_values(content: bytes) -> bytes:
    """Returns a btsnoop file in which the last byte of each data packet differs."""
    made_other = bytearray(content)
    offset = 16
    while offset < len(content):
        end = offset + 24 + int.from_bytes(content[offset + 4 : offset + 8], "big")
        if content[offset + 24] == btsnoop.ACL:
            made_other[end - 1] ^= 0x55
        offset = end
    return bytes(made_other)


def record_count(content: bytes) -> int:
    """Returns the number of records in a btsnoop file."""
    offset, count = 16, 0
    while offset < len(content):
        offset += 24 + int.from_bytes(content[offset + 4 : offset + 8], "big")
        count += 1
    return count


def service_map(attributes: int) -> str:
    """Returns a map in BlueZ's format with this many characteristics, of any device."""
    lines = [f"{2 * place + 2:04x}=2803:{2 * place + 3:04x}:12:2a00" for place in range(attributes)]
    return "\n".join(["[General]", "Name=X", "[Attributes]", "0001=2800:ffff:1800", *lines, ""])


def later(content: bytes, microseconds: int) -> bytes:
    """Returns a btsnoop file with this much later records."""
    made_later = bytearray(content)
    offset = 16
    while offset < len(content):
        time = int.from_bytes(content[offset + 16 : offset + 24], "big") + microseconds
        made_later[offset + 16 : offset + 24] = time.to_bytes(8, "big")
        offset += 24 + int.from_bytes(content[offset + 4 : offset + 8], "big")
    return bytes(made_later)
