"""Captures of a sniffer: two devices that pair on the air, and meet again with the key.

Written packet by packet from the Core Specification 6.0, Vol 6, Part B. The forms of the records: tcpdump.org
(LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR) and the UART protocol of Nordic's sniffer, version 3.
"""

import struct
from pathlib import Path
from typing import NamedTuple

from . import btsnoop, ciphers, formats

CENTRAL = bytes.fromhex("c0ffeec0ffee")[::-1]  # both addresses are random and static
PERIPHERAL = bytes.fromhex("f1f1f1f1f1f1")
ADVERTISING, ADVERTISING_CRC = 0x8E89BED6, 0x555555
ATT, SIGNALLING, SECURITY_MANAGER = 4, 5, 6
CONTINUATION, START, CONTROL = 1, 2, 3
NRF_SNIFFER, PSEUDO_HEADER = 272, 256
RANDOM_BOTH = 0xC0  # TxAdd and RxAdd

# The keys that the devices distribute, least significant byte first as in their packets.
GADGET_KEY, GADGET_IDENTITY, PHONE_IDENTITY = b"AIR-GADGET-LTK-1", b"AIR-GADGET-IRK-1", b"AIR-PHONE-IRK-01"
EDIV, RAND = 0x1D2C, b"RANDOM-8"
SECRETS = [GADGET_KEY, GADGET_IDENTITY, PHONE_IDENTITY]


def crc(pdu: bytes, initial: int) -> bytes:
    """x^24 + x^10 + x^9 + x^6 + x^4 + x^3 + x + 1, least significant bit of each byte first (3.1.1)."""
    register = int(f"{initial:024b}"[::-1], 2)
    for byte in pdu:
        for bit in range(8):
            feedback = (register ^ byte >> bit) & 1
            register = register >> 1 ^ (0xDA6000 if feedback else 0)
    return register.to_bytes(3, "little")


class Heard(NamedTuple):
    """A packet that the sniffer heard. `from_central` is None for advertising."""

    time: int
    channel: int
    rssi: int
    event: int
    from_central: bool | None
    is_encrypted: bool
    is_right: bool
    content: bytes  # access address, PDU, CRC


class Side:
    """One side's sequence numbers and what it has to send (4.5.9)."""

    def __init__(self) -> None:
        self.sequence = self.expected = self.counter = 0
        self.waiting: list[tuple[int, bytes]] = []
        self.current: tuple[int, bytes] | None = None
        self.encrypted: bytes | None = None
        self.cipher: ciphers.LinkCipher | None = None


class Air:
    """Two devices and a sniffer. Everything that it hears is in `heard`."""

    def __init__(self, access_address: int, initial: int, hop: int, interval: int) -> None:
        self.access_address, self.initial, self.hop, self.interval = access_address, initial, hop, interval
        self.heard: list[Heard] = []
        self.time = btsnoop.SAMPLE_START
        self.central, self.peripheral = Side(), Side()
        self.event, self.anchor = 0, 0
        # What goes wrong: events that the sniffer misses; packets of the next event that it hears with a wrong bit, that
        # the other side refuses.
        self.deaf_until = 0
        self.damaged: set[bool] = set()
        self.refused: set[bool] = set()

    # Advertising

    def advertising(self, kind: int, payload: bytes, channel: int, rssi: int = -58, is_right: bool = True) -> None:
        pdu = bytes([kind, len(payload)]) + payload
        self._hear(channel, rssi, None, ADVERTISING, pdu, crc(pdu, ADVERTISING_CRC), is_right)
        self.time += 80 + 8 * len(payload)

    def advertise(self, data: bytes, is_right: bool = True) -> None:
        for channel in (37, 38, 39):
            self.advertising(0x40, PERIPHERAL + data, channel, is_right=is_right or channel != 38)
            self.time += 400
        self.time += 98_000

    def connect(self, latency: int = 0, timeout: int = 100) -> None:
        self.time += 150
        fields = struct.pack("<I", self.access_address) + self.initial.to_bytes(3, "little")
        fields += struct.pack("<BHHHH", 2, 3, self.interval, latency, timeout) + bytes.fromhex("ffffffff1f")
        fields += bytes([self.hop | 5 << 5])
        self.advertising(RANDOM_BOTH | 5, CENTRAL + PERIPHERAL + fields, 37, -47)
        self.anchor = self.time + 1250 * 4 + 400

    # The connection

    def send(self, side: Side, payload: bytes, llid: int = START) -> None:
        """Queues a packet, and has events pass until the other side has it."""
        side.waiting.append((llid, payload))
        while side.waiting or side.current and side.current[1]:
            self.run()

    def control(self, side: Side, opcode: int, parameters: bytes = b"") -> None:
        self.send(side, bytes([opcode]) + parameters, CONTROL)

    def l2cap(self, side: Side, payload: bytes, cid: int = ATT) -> None:
        pdu = struct.pack("<HH", len(payload), cid) + payload
        side.waiting += [(CONTINUATION, pdu[at : at + 27]) for at in range(27, len(pdu), 27)]
        side.waiting.insert(0, (START, pdu[:27]))
        while side.waiting or side.current and side.current[1]:
            self.run()

    def run(self, events: int = 1) -> None:
        for _ in range(events):
            self.time = self.anchor
            goes_on = True
            while goes_on:
                request = self._transmit(self.central, True)
                self._receive(self.peripheral, request, True)
                self.time += 150
                answer = self._transmit(self.peripheral, False)
                self._receive(self.central, answer, False)
                goes_on = bool((request | answer) & 0x10)
                self.time += 150
            self.damaged, self.refused = set(), set()
            self.event += 1
            self.anchor += self.interval * 1250

    def _transmit(self, side: Side, from_central: bool) -> int:
        if side.current is None:
            side.current = side.waiting.pop(0) if side.waiting else (CONTINUATION, b"")
            side.encrypted = None
            llid, payload = side.current
            if side.cipher and payload:
                side.encrypted = side.cipher.encrypted(llid, payload, from_central, side.counter)
                side.counter += 1
        llid, payload = side.current
        payload = payload if side.encrypted is None else side.encrypted
        header = llid | side.expected << 2 | side.sequence << 3 | bool(side.waiting) << 4
        pdu = bytes([header, len(payload)]) + payload
        channel = self.hop * (self.event + 1) % 37  # algorithm #1, all channels in use
        if self.event >= self.deaf_until:
            self._hear(
                *(channel, -47 if from_central else -58, from_central, self.access_address, pdu),
                *(crc(pdu, self.initial), from_central not in self.damaged, side.encrypted is not None),
            )
        self.time += 80 + 8 * len(payload)
        return header

    def _receive(self, side: Side, header: int, from_central: bool) -> None:
        if side.current is not None and header >> 2 & 1 != side.sequence:
            side.current = None
            side.sequence ^= 1
        if header >> 3 & 1 == side.expected and from_central not in self.refused:
            side.expected ^= 1

    def _hear(self, channel, rssi, from_central, access_address, pdu, check, is_right, is_encrypted=False) -> None:
        if not is_right:
            pdu = pdu[:-1] + bytes([pdu[-1] ^ 0x10])
        content = struct.pack("<I", access_address) + pdu + check
        self.heard.append(Heard(self.time, channel, rssi, self.event, from_central, is_encrypted, is_right, content))

    # Procedures

    def encrypt(self, key: bytes, rand: bytes = bytes(8), ediv: int = 0, seed: bytes = b"\0") -> None:
        """Starts encryption (5.1.3.1). `key` has its most significant byte first."""
        values = ciphers.e(seed.ljust(16, b"."), bytes(16)) + ciphers.e(seed.ljust(16, b"."), bytes(15) + b"\1")
        diversifier, vector = values[:16], values[16:24]
        self.control(self.central, 0x03, rand + struct.pack("<H", ediv) + diversifier[:8] + vector[:4])
        self.control(self.peripheral, 0x04, diversifier[8:] + vector[4:])
        self.run(2)
        self.control(self.peripheral, 0x05)
        for side in (self.central, self.peripheral):
            side.cipher, side.counter = ciphers.LinkCipher(key, diversifier, vector), 0
        self.control(self.central, 0x06)
        self.control(self.peripheral, 0x06)

    def update(self, interval: int, latency: int, timeout: int) -> None:
        """Changes the interval, eight events later."""
        instant = self.event + 8
        self.control(self.central, 0x00, struct.pack("<BHHHHH", 1, 2, interval, latency, timeout, instant))
        self.run(instant - self.event)
        self.interval = interval
        self.anchor += 2 * 1250

    def exchange(self) -> None:
        """Exchanges versions and features."""
        self.control(self.central, 0x0C, bytes.fromhex("0c0f000100"))
        self.control(self.peripheral, 0x0C, bytes.fromhex("0b59000200"))
        self.control(self.central, 0x08, bytes.fromhex("ff01000000000000"))
        self.control(self.peripheral, 0x09, bytes.fromhex("3f00000000000000"))


DATA = bytes.fromhex("020106 03030f18 0709") + b"Gadget"


def pairing() -> Air:
    """Legacy pairing, Just Works; both distribute keys; a value that is read only when encrypted."""
    air = Air(0x5065A1B3, 0x1B3C5D, 7, 24)
    phone, gadget = air.central, air.peripheral
    air.advertise(DATA)
    air.advertise(DATA, is_right=False)
    air.advertising(0x40, PERIPHERAL + DATA, 37)
    air.connect()
    air.exchange()
    air.l2cap(phone, bytes.fromhex("021700"))
    air.l2cap(gadget, bytes.fromhex("031700"))
    air.l2cap(phone, bytes.fromhex("100100ffff0028"))
    air.l2cap(gadget, bytes.fromhex("1106 0100 0900 0018 0e00 1100 0f18"))
    air.l2cap(phone, bytes.fromhex("080e0011000328"))
    air.l2cap(gadget, bytes.fromhex("0907 0f00 12 1000 192a"))
    air.l2cap(phone, bytes.fromhex("0411001100"))
    air.l2cap(gadget, bytes.fromhex("0501 1100 0229"))
    air.l2cap(phone, bytes.fromhex("0a1000"))
    air.l2cap(gadget, bytes.fromhex("010a10000f"))  # Insufficient Encryption
    # The temporary key is 0 (Vol 3, Part H, 2.3.5.2). The central distributes its identity, the peripheral a key, too.
    request, response = bytes.fromhex("01030001100203"), bytes.fromhex("02030001100203")
    air.l2cap(phone, request, SECURITY_MANAGER)
    air.l2cap(gadget, response, SECURITY_MANAGER)
    randoms = b"air-phone-random", b"air-gadget-rand."
    confirms = [
        ciphers.c1(bytes(16), value, request, response, (1, 1), (CENTRAL, PERIPHERAL)) for value in randoms
    ]
    for code, values in ((b"\x03", confirms), (b"\x04", randoms)):
        for side, value in zip((phone, gadget), values):
            air.l2cap(side, code + value, SECURITY_MANAGER)
    air.encrypt(ciphers.s1(bytes(16), randoms[1], randoms[0]), seed=b"first")
    air.l2cap(gadget, b"\x06" + GADGET_KEY, SECURITY_MANAGER)
    air.l2cap(gadget, b"\x07" + struct.pack("<H", EDIV) + RAND, SECURITY_MANAGER)
    air.l2cap(gadget, b"\x08" + GADGET_IDENTITY, SECURITY_MANAGER)
    air.l2cap(gadget, b"\x09\x01" + PERIPHERAL, SECURITY_MANAGER)
    air.l2cap(phone, b"\x08" + PHONE_IDENTITY, SECURITY_MANAGER)
    air.l2cap(phone, b"\x09\x01" + CENTRAL, SECURITY_MANAGER)
    air.l2cap(phone, bytes.fromhex("0a1000"))
    air.l2cap(gadget, bytes.fromhex("0b57"))  # 87 %
    air.l2cap(phone, bytes.fromhex("1211000100"))
    air.l2cap(gadget, bytes.fromhex("13"))
    air.refused = {False}  # the phone has no room for the notification
    air.l2cap(gadget, bytes.fromhex("1b100056"))
    air.damaged = {True}
    air.run(3)
    air.deaf_until = air.event + 4
    air.l2cap(gadget, bytes.fromhex("1b100055"))
    air.run(6)
    air.update(12, 0, 100)
    air.l2cap(gadget, bytes.fromhex("1b100054"))
    air.control(phone, 0x02, b"\x13")
    return air


def bonded() -> Air:
    """The same devices meet again, with the key that the peripheral has distributed."""
    air = Air(0x4F2E19C6, 0x7A0913, 11, 36)
    phone, gadget = air.central, air.peripheral
    air.time += 3_600_000_000
    air.advertise(DATA)
    air.advertising(0x40, PERIPHERAL + DATA, 37)
    air.connect()
    air.exchange()
    air.encrypt(GADGET_KEY[::-1], RAND, EDIV, seed=b"second")
    air.l2cap(phone, bytes.fromhex("0a1000"))
    air.l2cap(gadget, bytes.fromhex("0b50"))  # 80 %
    air.run(5)
    air.l2cap(gadget, bytes.fromhex("1b10004f"))
    air.control(gadget, 0x02, b"\x15")
    return air


# The forms of the records


def with_pseudo_header(packet: Heard) -> bytes:
    """Link type 256: position of the channel, signal, no noise, no offences, no reference; flags: dewhitened, signal,
    CRC checked and right, who sent it.
    """
    position = {37: 0, 38: 12, 39: 39}.get(packet.channel, packet.channel + (1 if packet.channel < 11 else 2))
    flags = 0x0403 | (0x0800 if packet.is_right else 0)
    if packet.from_central is not None:
        flags |= (2 if packet.from_central else 3) << 7
    return struct.pack("<BbbBIH", position, packet.rssi, -128, 0, 0, flags) + packet.content


def of_nrf_sniffer(number: int, packet: Heard) -> bytes:
    """Link type 272, protocol version 3: board, length, version, count of packets, kind, then flags (CRC right, from the
    central, encrypted), channel index, signal, connection event, time.
    """
    flags = packet.is_right | (packet.from_central is True) << 1 | packet.is_encrypted << 2
    kind = 2 if packet.from_central is None else 6
    inner = struct.pack("<BBBBHI", 10, flags, packet.channel, -packet.rssi, packet.event, packet.time & 0xFFFFFFFF)
    inner += packet.content
    return struct.pack("<BHBHB", 19, len(inner), 3, number & 0xFFFF, kind) + inner


def pcap(air: Air) -> bytes:
    out = [struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 262_144, PSEUDO_HEADER)]
    for packet in air.heard:
        data = with_pseudo_header(packet)
        out.append(struct.pack("<IIII", *divmod(packet.time, 1_000_000), len(data), len(data)) + data)
    return b"".join(out)


def pcapng(air: Air) -> bytes:
    out = [formats.section(formats.LITTLE), formats.interface(formats.LITTLE, NRF_SNIFFER, 0, (2, b"nRF Sniffer"))]
    for number, packet in enumerate(air.heard, 1):
        data = of_nrf_sniffer(number, packet)
        out.append(formats.enhanced(formats.LITTLE, 0, packet.time, data, len(data)))
    return b"".join(out)


CAPTURES = {
    "sniffed-pairing.pcap": lambda: pcap(pairing()),
    "sniffed-bond.pcapng": lambda: pcapng(bonded()),
}


def make_all(folder: Path) -> None:
    for name, made in CAPTURES.items():
        (folder / name).write_bytes(made())
