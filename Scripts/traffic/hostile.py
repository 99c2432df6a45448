"""Captures whose strings attack whoever prints them: terminals, readers of JSON and CSV, Markdown.

Every string is in every place where a device, a host or a capture file can put one. Each capture has a harmless twin,
whose bytes differ only in the strings, so that a comparison shows their effect on the output.
"""

import struct
from typing import Callable

from . import btsnoop, formats
from .advertising import report, structure
from .handmade import CENTRAL, RANDOM, Capture, acl, event, l2cap

ESCAPE = "\x1b"
STRINGS: dict[str, bytes] = {
    "CSI": f"{ESCAPE}[31mred{ESCAPE}[2J{ESCAPE}[1;1H".encode(),
    "OSC": f"{ESCAPE}]0;title\x07{ESCAPE}]8;;http://evil.example\x07{ESCAPE}\\".encode(),
    "DCS": f"{ESCAPE}P0;1|17/ab{ESCAPE}\\{ESCAPE}c".encode(),
    "C1 in UTF-8": "\u009b31m\u009d0;title\u009c\u0085".encode(),
    "C1 bytes": b"\x9b31m\x9d0;title\x9c",
    "newlines": b"first\nsecond\r\nthird\rfourth\x0b\x0c",
    "cut by zeros": b"before\0after\0",
    "other controls": b"\t\x08\x08\x08\x7f\x05\x0e\x0f\x11",
    "overrides": "\u202egnp.exe\u202c \u202d\u202a\u202b".encode(),
    "isolates": "\u2066a\u2067b\u2068c\u2069 \u200e\u200f\u061c".encode(),
    "separators": "line\u2028paragraph\u2029end".encode(),
    "zero width": "pay\u200bpal\u200c\u200d\u2060\ufeff\u00ad".encode(),
    "tags": "\U000e0001\U000e0041\U000e007f".encode(),
    "broken UTF-8": b"A\xff\xfe\xc0\x80\xed\xa0\x80\xf5\x80\xe2\x82",
    "JSON": b'","packet":0,"x":"\\u0041\\',
    "formula =": b"=cmd|' /C calc'!A0",
    "formula +": b"+1+cmd|' /C calc'!A0",
    "formula -": b"-2+3+cmd|' /C calc'!A0",
    "formula @": b"@SUM(1+1)*cmd|' /C calc'!A0",
    "formula behind a tab": b"\t=1+1",
    "formula behind a return": b"\r=1+1",
    "formula behind a quote": b'"=1+1"',
    "formula behind a blank": b" =1+1, \"=2+2",
    "Markdown": b"| a `b` | **c** _d_ ~~e~~ [f](http://evil.example) ![g](x) #12 @someone \\| \\` $h$",
    "Markdown block": b"# h\n- l\n> q\n```\n---\n| - |",
    "Markdown, combined": "|\u0301 `\u0301 <\u0301 [\u0301a]\u0301(b) *\u0338c*\u0338 #1\u0301 \\\u0301|".encode(),
    "HTML": b"</details><script>alert(1)</script><img src=x onerror=a>&lt;&#x3c;<!--",
    "addresses": b"https://evil.example/?a=1 www.evil.example ftp://evil.example a@evil.example",
    "formatting": b"%s%n%x{0}$(id)`id`${HOME};rm -rf",
    "hidden": b"<hidden>",
    "letters": "Café 漢字 🔑 👩\u200d🚀".encode(),
    "a long one": b"long " * 40,
}
Change = Callable[[bytes], bytes]
LONGEST_NAME = 200  # in one report of 229 bytes

# Per server: the handle, UUID and properties of each characteristic's value; the handle before it is the declaration.
NAME, STRING, VALUE, DESCRIPTION = 0x0003, 0x0008, 0x0013, 0x0014
SERVICES = [(0x0001, 0x0003, 0x1800), (0x0006, 0x0010, 0x180A), (0x0011, 0x0015, 0xFFF0)]
CHARACTERISTICS = [
    *((NAME, 0x2A00, 0x02), (STRING, 0x2A29, 0x02), (0x000A, 0x2A24, 0x02), (0x000C, 0x2A25, 0x02)),
    *((0x000E, 0x2A26, 0x02), (0x0010, 0x2A28, 0x02), (VALUE, 0xFFF1, 0x1A)),
]
REFUSED = 0x80


def unchanged(text: bytes) -> bytes:
    return text


def harmless(text: bytes) -> bytes:
    return b"x" * len(text)


# A user's profile with formulas and markup as names.
PROFILE = """
profile: own
characteristics:
  - uuid: fff1
    name: "=cmd|' /C calc'!A0"
    fields:
      - {name: first, type: u8, unit: "=1+1"}
      - {name: rest, type: bytes, size: rest}
    text: "=cmd|' /C calc'!A0 {first}"
    errors: {0x80: "@SUM(1+1) | `x` <b>"}
"""


def peer(number: int) -> bytes:
    """Returns the address of the device with the string of this number."""
    return bytes([number, 0xA0, 0xA0, 0xA0, 0xA0, 0xF0])


def air(change: Change = unchanged) -> bytes:
    """H4: devices that advertise a string, connect, and have it in every value."""
    capture = Capture(btsnoop.H4)
    for number, text in enumerate(STRINGS.values()):
        _device(capture, number, change(text))
    return bytes(capture.content)


def _device(capture: Capture, number: int, text: bytes) -> None:
    device, handle = peer(number), 0x0040 + number
    for data in (
        structure(0x09, text[:LONGEST_NAME]),
        structure(0xFF, b"\xff\xff" + text[:LONGEST_NAME]),
        structure(0x16, b"\xf0\xff" + text[:LONGEST_NAME]),
        structure(0x24, b"\x17" + text[:LONGEST_NAME]),  # a URI of https:
    ):
        report(capture, device, data)
    capture.started(0x200D, struct.pack("<HHBB6sB6H", 96, 96, 0, RANDOM, device, 1, 24, 40, 0, 500, 0, 0))
    capture.meta(0x01, struct.pack("<BHBB6sHHHB", 0, handle, CENTRAL, RANDOM, device, 24, 0, 500, 0))
    ask = _asking(capture, handle)
    ask(bytes.fromhex("02 0502"), bytes.fromhex("03 0502"))
    _discover(ask)
    for value in (*(value for value, _, _ in CHARACTERISTICS), DESCRIPTION):
        ask(struct.pack("<BH", 0x0A, value), b"\x0b" + text)
    ask(b"\x12\x15\x00\x01\x00", b"\x13")
    capture.received(handle, struct.pack("<BH", 0x1B, VALUE) + text)
    ask(struct.pack("<BH", 0x12, VALUE) + text, struct.pack("<BBHB", 0x01, 0x12, VALUE, REFUSED))
    capture.disconnect(handle)
    capture.command(0x0419, device + bytes(4))  # Remote Name Request
    capture.event(0x07, b"\0" + device + text[:248].ljust(248, b"\0"))
    capture.done(0x0C13, text[:248].ljust(248, b"\0"))  # Write Local Name
    capture.event(0x2F, b"\x01" + device + bytes([1, 0, 0, 0, 0, 0, 0, 0xC4]) + structure(0x09, text[:LONGEST_NAME]).ljust(240, b"\0"))


def _asking(capture: Capture, handle: int) -> Callable[[bytes, bytes], None]:
    def ask(request: bytes, response: bytes) -> None:
        capture.sent(handle, request)
        capture.received(handle, response)

    return ask


def _discover(ask: Callable[[bytes, bytes], None]) -> None:
    services = b"".join(struct.pack("<HHH", *service) for service in SERVICES)
    ask(bytes.fromhex("10 0100 ffff 0028"), b"\x11\x06" + services)
    ask(bytes.fromhex("10 1600 ffff 0028"), bytes.fromhex("01 10 1600 0a"))
    declarations = b"".join(struct.pack("<HBHH", value - 1, bits, value, uuid) for value, uuid, bits in CHARACTERISTICS)
    ask(bytes.fromhex("08 0100 ffff 0328"), b"\x09\x07" + declarations)
    ask(bytes.fromhex("08 1300 ffff 0328"), bytes.fromhex("01 08 1300 0a"))
    ask(bytes.fromhex("04 1400 1500"), struct.pack("<BBHHHH", 0x05, 1, DESCRIPTION, 0x2901, 0x0015, 0x2902))


def host(change: Change = unchanged) -> bytes:
    """The Linux monitor: log lines, notes, names of adapters and programs, and packets from the kernel."""
    capture = Capture(btsnoop.MONITOR)
    nobody, cookie = 0xFFFF, struct.pack("<I", 1)
    for number, text in enumerate(STRINGS.values()):
        text, device = change(text), peer(number)
        capture.monitor(12, text, nobody)  # system note
        capture.monitor(13, bytes([6, len(text[:60])]) + text[:60] + text, nobody)  # user logging
        capture.monitor(0, struct.pack("<BB6s", 0, 1, device) + text[:8].ljust(8, b"\0"), number)  # new index
        opened = cookie + struct.pack("<HBHI", 2, 1, 22, 1) + bytes([len(text[:60])]) + text[:60]
        capture.monitor(14, opened, nobody)  # control open
        names = text[:248].ljust(249, b"\0") + text[:10].ljust(11, b"\0")
        capture.monitor(16, cookie + struct.pack("<H", 0x000F) + names, number)  # Set Local Name
        capture.monitor(17, cookie + struct.pack("<H", 0x0008) + names, number)  # Local Name Changed
        eir = structure(0x09, text[:LONGEST_NAME])
        found = device + struct.pack("<BbIH", 2, -50, 0, len(eir)) + eir
        capture.monitor(17, cookie + struct.pack("<H", 0x0012) + found, number)  # Device Found
        capture.monitor(3, event(0x3E, b"\x02\x01\x00\x01" + device + bytes([len(eir[:31])]) + eir[:31] + b"\xc4"), number)
        capture.monitor(5, acl(0x40, 2, l2cap(4, b"\x1b\x10\x00" + text)), number)
        capture.monitor(1, b"", number)
    return bytes(capture.content)


def pcapng(change: Change = unchanged) -> bytes:
    """The traffic of the devices, and every text that a pcapng file can hold."""
    order = formats.LITTLE
    texts = [change(text) for text in STRINGS.values()]
    out = []
    packets = list(formats.packets(air(change)))
    each = -(-len(packets) // len(texts))
    for number, text in enumerate(texts):
        out.append(formats.section(order, (1, text), (2, text), (3, text), (4, text)))
        out.append(formats.interface(order, formats.H4_WITH_DIRECTION, 0, (2, text), (3, text), (12, text), (15, text)))
        for index, packet in enumerate(packets[number * each : (number + 1) * each]):
            data, original = formats.framed(packet, formats.H4_WITH_DIRECTION)
            comments = [(1, text)] * 2 if index in (0, 30) else []
            out.append(formats.enhanced(order, 0, packet.time, data, original, *comments))
    return b"".join(out)


def packet_logger(change: Change = unchanged) -> bytes:
    """The traffic of the devices, with an iPhone's notes and log lines in between."""
    out = []
    packets = list(formats.packets(air(change)))
    texts = [change(text) for text in STRINGS.values()]
    each = -(-len(packets) // len(texts))
    for index, packet in enumerate(packets):
        if index % each == 0:
            text = texts[index // each]
            out.append(formats.logged(formats.BIG, packet.time, formats.NOTE, text))
            out.append(formats.logged(formats.BIG, packet.time, formats.KERNEL, text))
            line = struct.pack("<IB", 321, 16) + b"\0".join([text.replace(b"\0", b"")] * 4) + b"\0" + text
            out.append(formats.logged(formats.BIG, packet.time, formats.SYSTEM_LOG, line))
            out.append(formats.logged(formats.BIG, packet.time, formats.CONFIGURATION, b"\x01\x00\x00\x04" + text[:4].ljust(4) + bytes(16)))
        kind = formats.LOGGED[packet.data[0]][packet.received]
        out.append(formats.logged(formats.BIG, packet.time, kind, packet.data[1:]))
    return b"".join(out)


def app_log(change: Change = unchanged) -> bytes:
    """Returns an app's log for `air`: lines with times, and lines without times that belong to them. Line ends are
    kept.
    """
    texts = [change(text.replace(b"\n", b" ")) for text in STRINGS.values()]
    return b"".join(b"2026-11-21 12:00:%02d.5Z %s\n%s\n" % (number, text, text) for number, text in enumerate(texts))


CAPTURES: dict[str, Callable[[Change], bytes]] = {
    "air.btsnoop": air,
    "host.btsnoop": host,
    "air.pcapng": pcapng,
    "air.pklg": packet_logger,
}
