"""A BR/EDR session with an accessory: found, paired by numeric comparison, SDP, RFCOMM, AVDTP, ATT, SMP.

Written byte by byte from the Core Specification 6.0 (Vol 3, Part A and B), RFCOMM (TS 07.10) and AVDTP 1.3. The start
of Apple's accessory protocol (iAP2) follows what is publicly known about it. The link key is invented.
"""

import struct

from . import btsnoop
from .advertising import structure
from .handmade import BR_SECURITY_MANAGER, SIGNALLING, Capture, address

PEER = address("00:00:5E:00:53:31")
HANDLE = 0x000B
WITH_HANDLE = struct.pack("<H", HANDLE)
SDP, RFCOMM, AVDTP, ATT_PSM = 0x0001, 0x0003, 0x0019, 0x001F
ACCESSORY = bytes.fromhex("00000000decafadedecadeafdecacaff")  # the service of iAP2, as on the air


class Link(Capture):
    """One link. The phone numbers its channels from 0x0040, the accessory from 0x0050."""

    def __init__(self) -> None:
        super().__init__(btsnoop.H4)
        self.identifier, self.channels = 0, 0

    def ask(self, code: int, parameters: bytes) -> int:
        self.identifier += 1
        self.sent(HANDLE, signal(code, self.identifier, parameters), SIGNALLING)
        return self.identifier

    def answer(self, code: int, identifier: int, parameters: bytes) -> None:
        self.wait(10)
        self.received(HANDLE, signal(code, identifier, parameters), SIGNALLING)

    def question(self, code: int, identifier: int, parameters: bytes) -> None:
        """Records a request from the accessory."""
        self.answer(code, identifier, parameters)

    def reply(self, code: int, identifier: int, parameters: bytes) -> None:
        self.sent(HANDLE, signal(code, identifier, parameters), SIGNALLING)

    def open(self, psm: int, mtu: int = 672) -> tuple[int, int]:
        """Connects, first pending, and configures both ways. Returns the phone's and the accessory's channel."""
        ours, theirs = 0x0040 + self.channels, 0x0050 + self.channels
        self.channels += 1
        asked = self.ask(0x02, struct.pack("<HH", psm, ours))
        if psm == SDP:
            self.answer(0x03, asked, struct.pack("<HHHH", theirs, ours, 1, 2))  # pending, authorization
        self.answer(0x03, asked, struct.pack("<HHHH", theirs, ours, 0, 0))
        option = struct.pack("<BBH", 1, 2, mtu)
        asked = self.ask(0x04, struct.pack("<HH", theirs, 0) + option)
        # Two commands in one C-frame: the accessory's response and its own request.
        both = signal(0x05, asked, struct.pack("<HHH", ours, 0, 0) + option)
        both += signal(0x04, 0x70 + self.channels, struct.pack("<HH", ours, 0) + struct.pack("<BBH", 1, 2, 1024))
        self.received(HANDLE, both, SIGNALLING)
        self.reply(0x05, 0x70 + self.channels, struct.pack("<HHH", theirs, 0, 0))
        return ours, theirs

    def close(self, ours: int, theirs: int) -> None:
        asked = self.ask(0x06, struct.pack("<HH", theirs, ours))
        self.answer(0x07, asked, struct.pack("<HH", theirs, ours))


def signal(code: int, identifier: int, parameters: bytes) -> bytes:
    return struct.pack("<BBH", code, identifier, len(parameters)) + parameters


def classic() -> bytes:
    link = Link()
    link.done(0x0C03)
    _find(link)
    _connect(link)
    _pair(link)
    _information(link)
    _cross_transport(link)
    _sdp(link)
    _rfcomm(link)
    _avdtp(link)
    _att(link)
    link.disconnect(HANDLE)
    return bytes(link.content)


def _find(link: Link) -> None:
    link.started(0x0401, bytes.fromhex("338b9e0800"))  # Inquiry
    link.wait(900)
    link.event(0x22, b"\x01" + PEER + struct.pack("<BB3sHb", 1, 0, bytes.fromhex("040424"), 0x1234, -52))
    eir = structure(0x09, b"Headset of nobody") + structure(0x03, struct.pack("<HH", 0x110B, 0x111E))
    eir += structure(0x10, struct.pack("<HHHH", 1, 0x0059, 0x1234, 0x0100))  # Device ID, not a TK here
    result = b"\x01" + PEER + struct.pack("<BB3sHb", 1, 0, bytes.fromhex("040424"), 0x1234, -52)
    link.event(0x2F, result + eir.ljust(240, b"\0"))  # Extended Inquiry Result
    link.event(0x01, b"\0")
    link.started(0x0419, PEER + struct.pack("<BBH", 1, 0, 0x9234))  # Remote Name Request
    link.event(0x07, b"\0" + PEER + b"Headset of nobody".ljust(248, b"\0"))


def _connect(link: Link) -> None:
    link.started(0x0405, PEER + struct.pack("<HBBHB", 0xCC18, 1, 0, 0x9234, 1))
    link.wait(120)
    link.event(0x03, b"\0" + WITH_HANDLE + PEER + b"\x01\x00")
    link.started(0x041B, WITH_HANDLE)  # Read Remote Supported Features
    link.event(0x0B, b"\0" + WITH_HANDLE + bytes.fromhex("bffe8ffedbff5b87"))
    link.started(0x041C, WITH_HANDLE + b"\x01")
    link.event(0x23, b"\0" + WITH_HANDLE + b"\x01\x02" + bytes.fromhex("0f00000000000000"))


def _pair(link: Link) -> None:
    link.started(0x0411, WITH_HANDLE)  # Authentication Requested
    link.event(0x17, PEER)  # Link Key Request
    link.done(0x040C, PEER, b"\0" + PEER)  # no key
    link.event(0x31, PEER)  # IO Capability Request
    link.done(0x042B, PEER + b"\x01\x00\x03", b"\0" + PEER)
    link.event(0x32, PEER + b"\x01\x00\x03")
    link.event(0x33, PEER + struct.pack("<I", 135790))  # User Confirmation Request
    link.wait(2500)
    link.done(0x042C, PEER, b"\0" + PEER)
    link.event(0x36, b"\0" + PEER)  # Simple Pairing Complete
    link.event(0x18, PEER + b"INVENTED-LINK-KY" + b"\x08")  # Link Key Notification, P-256 authenticated
    link.event(0x06, b"\0" + WITH_HANDLE)
    link.started(0x0413, WITH_HANDLE + b"\x01")  # Set Connection Encryption
    link.event(0x08, b"\0" + WITH_HANDLE + b"\x02")  # on, AES-CCM


def _information(link: Link) -> None:
    asked = link.ask(0x0A, b"\x02\x00")  # Extended Features
    link.answer(0x0B, asked, struct.pack("<HHI", 2, 0, 0x000002B8))
    asked = link.ask(0x0A, b"\x03\x00")  # Fixed Channels: signalling, connectionless, SMP
    link.answer(0x0B, asked, struct.pack("<HHQ", 3, 0, 0x86))
    asked = link.ask(0x0A, b"\x01\x00")
    link.answer(0x0B, asked, struct.pack("<HH", 1, 1))  # not supported
    asked = link.ask(0x08, b"echo")
    link.answer(0x09, asked, b"echo")
    asked = link.ask(0x3F, b"\x01\x02")  # not a command (yet)
    link.answer(0x01, asked, struct.pack("<H", 0))  # Command Reject: not understood
    asked = link.ask(0x04, struct.pack("<HH", 0x0077, 0))
    link.answer(0x01, asked, struct.pack("<HHH", 2, 0x0077, 0))  # invalid CID


def _cross_transport(link: Link) -> None:
    """SMP on the BR/EDR channel: keys for LE derived from the link key."""
    for sent, pdu in (
        (True, bytes([0x01, 3, 0, 0x01, 16, 0x0E, 0x0E])),
        (False, bytes([0x02, 3, 0, 0x01, 16, 0x0E, 0x0E])),
        (False, b"\x08INVENTED-IRK-(B)"),
        (False, b"\x09\x00" + PEER),
        (True, b"\x08INVENTED-IRK-(A)"),
        (True, b"\x09\x00" + address("00:00:5E:00:53:20")),
        (True, b"\x0aINVENTED-CSRK-A."),
    ):
        (link.sent if sent else link.received)(HANDLE, pdu, BR_SECURITY_MANAGER)


def _sdp(link: Link) -> None:
    ours, theirs = link.open(SDP)
    pattern = b"\x35\x11\x1c" + ACCESSORY
    asked = pattern + b"\x04\x00" + bytes.fromhex("35050a0000ffff") + b"\0"
    link.sent(HANDLE, struct.pack(">BHH", 0x06, 1, len(asked)) + asked, theirs)
    protocols = bytes.fromhex("090004 350c 3503190100 3505190003080a")  # L2CAP, RFCOMM channel 10
    record = bytes.fromhex("090001 3511 1c") + ACCESSORY + protocols
    lists = b"\x35" + bytes([len(record) + 2]) + b"\x35" + bytes([len(record)]) + record
    found = struct.pack(">H", len(lists)) + lists + b"\0"
    link.received(HANDLE, struct.pack(">BHH", 0x07, 1, len(found)) + found, ours)
    link.close(ours, theirs)


def checked(octets: bytes, over: int) -> bytes:
    """Returns RFCOMM's frame check sequence over the first octets (TS 07.10, 5.2.1.6)."""
    crc = 0xFF
    for octet in octets[:over]:
        crc ^= octet
        for _ in range(8):
            crc = crc >> 1 ^ (0xE0 if crc & 1 else 0)
    return octets + bytes([0xFF - crc])


def frame(dlci: int, control: int, payload: bytes = b"", command: bool = True, initiator: bool = True) -> bytes:
    head = bytes([dlci << 2 | (2 if command == initiator else 0) | 1, control, len(payload) << 1 | 1])
    uih = control & ~0x10 == 0xEF
    fcs = checked(head, 2 if uih else 3)[-1:]
    return head + payload + fcs


def _rfcomm(link: Link) -> None:
    ours, theirs = link.open(RFCOMM, 1013)
    dlci = 20  # server channel 10
    sabm, answer, uih = 0x3F, 0x73, 0xEF

    def both(control: int, reply: int, channel: int, question: bytes = b"", answered: bytes = b"") -> None:
        link.sent(HANDLE, frame(channel, control, question), theirs)
        link.received(HANDLE, frame(channel, reply, answered, command=reply == uih, initiator=reply != uih), ours)

    both(sabm, answer, 0)
    negotiation = struct.pack("<BBBBHBB", dlci, 0xF0, 7, 0, 990, 0, 7)
    accepted = struct.pack("<BBBBHBB", dlci, 0xE0, 7, 0, 990, 0, 7)
    both(uih, uih, 0, b"\x83\x11" + negotiation, b"\x81\x11" + accepted)
    both(sabm, answer, dlci)
    both(uih, uih, 0, bytes.fromhex("e305538d"), bytes.fromhex("e105538d"))  # Modem Status
    start = bytes.fromhex("ff550200ee10")
    both(uih, uih, dlci, start, start)  # "do you speak iAP2?", "yes"
    parameters = bytes.fromhex("0105100007d0006405050100010200010b0001")
    head = bytes.fromhex("ff5a") + struct.pack(">H", 9 + len(parameters) + 1) + bytes([0x80, 0x50, 0, 0])
    head += bytes([-sum(head) & 0xFF])
    synchronisation = head + parameters + bytes([-sum(parameters) & 0xFF])
    both(uih, uih, dlci, synchronisation, synchronisation)
    both(0x53, answer, dlci)  # DISC
    link.close(ours, theirs)


def _avdtp(link: Link) -> None:
    ours, theirs = link.open(AVDTP)
    link.sent(HANDLE, bytes.fromhex("1001"), theirs)  # Discover
    link.received(HANDLE, bytes.fromhex("1201 0408"), ours)
    link.sent(HANDLE, bytes.fromhex("2002 04"), theirs)  # Get Capabilities
    link.received(HANDLE, bytes.fromhex("2202 0100 0706 0000 ffff 0235"), ours)
    link.close(ours, theirs)


def _att(link: Link) -> None:
    """Records GATT over BR/EDR, and a refused request of the accessory."""
    ours, theirs = link.open(ATT_PSM, 517)
    link.sent(HANDLE, bytes.fromhex("100100ffff0028"), theirs)
    link.received(HANDLE, bytes.fromhex("110601000500001806000900 0118"), ours)
    link.sent(HANDLE, bytes.fromhex("100a00ffff0028"), theirs)
    link.received(HANDLE, bytes.fromhex("01100a000a"), ours)
    link.question(0x02, 0x7E, struct.pack("<HH", 0x1001, 0x0060))
    link.reply(0x03, 0x7E, struct.pack("<HHHH", 0, 0x0060, 2, 0))  # refused: PSM not supported
    link.close(ours, theirs)
