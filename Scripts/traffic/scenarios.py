"""The scenarios of the captures that are made with virtual devices."""

import asyncio
import struct
from functools import reduce
from pathlib import Path

from bumble import att
from bumble.gatt import Characteristic, CharacteristicValue, Descriptor, Service

from . import failures
from .bearers import channels, enhanced_bearers
from .virtual_time import VirtualTimeLoop
from .world import World, as_uuid, passkey_entry, seed_everything

Properties = Characteristic.Properties
Permissions = Characteristic.Permissions
READ, WRITE = Properties.READ, Properties.WRITE
NOTIFY, INDICATE, COMMAND = Properties.NOTIFY, Properties.INDICATE, Properties.WRITE_WITHOUT_RESPONSE


def readable(uuid, value: bytes, extra=Properties(0), descriptors=()) -> Characteristic:
    return Characteristic(as_uuid(uuid), READ | extra, Permissions.READABLE, value, list(descriptors))


def notifying(uuid, how=NOTIFY) -> Characteristic:
    return Characteristic(as_uuid(uuid), how, Permissions(0), b"")


def device_information(manufacturer: str, model: str) -> Service:
    return Service(
        as_uuid(0x180A),
        [
            readable(0x2A29, manufacturer.encode()),
            readable(0x2A24, model.encode()),
            readable(0x2A50, bytes.fromhex("01590034120100")),
            readable(0x2A23, bytes.fromhex("123456fffe9abcde")),
        ],
    )


async def heart_rate(folder: Path) -> None:
    """A chest strap: discovery, reads, a refused control point, measurements with and without RR intervals."""

    def control_point(_, value):
        if value != b"\x01":
            raise att.ATT_Error(0x80)  # Heart Rate Service: Control Point Not Supported

    measurement, temperature = notifying(0x2A37), notifying(0x2A1C, INDICATE)
    unit = Descriptor(as_uuid(0x2904), Permissions.READABLE, bytes.fromhex("0400ad27010100"))
    battery = readable(0x2A19, bytes([98]), NOTIFY, [unit])
    reset = Characteristic(
        as_uuid(0x2A39), WRITE, Permissions.WRITEABLE, CharacteristicValue(write=control_point)
    )
    services = [
        Service(as_uuid(0x180D), [measurement, readable(0x2A38, b"\x01"), reset]),
        Service(as_uuid(0x180F), [battery]),
        device_information("Acme", "AX-1"),
        Service(as_uuid(0x1809), [temperature, readable(0x2A1D, b"\x02")]),
    ]
    world = World("HRM-7", services, uuids=[0x180D, 0x180F])
    await world.connect()
    await world.peer.request_mtu(185)
    await world.discover()
    for uuid in (0x2A38, 0x2A19, 0x2A29, 0x2A24, 0x2A50, 0x2A23, 0x2A1D):
        await world.read(uuid)
    for uuid in (0x2A37, 0x2A19):
        await world.subscribe(uuid)
    await world.subscribe(0x2A1C, indications=True)
    for value in ("0048", "0648", "104d0004", "165b0a03f402", "1e5f3c00e602", "01c800", "194f0110270004"):
        await asyncio.sleep(1)
        await world.gadget.notify_subscribers(measurement, bytes.fromhex(value))
    await world.gadget.notify_subscribers(battery, bytes([97]))
    for value in ("006c0100ff", "06f30200ffe8070b0d102a0802", "01d80300ff"):
        await asyncio.sleep(0.5)
        await world.gadget.indicate_subscribers(temperature, bytes.fromhex(value))
    await world.write(0x2A39, b"\x01")
    await world.write(0x2A39, b"\x02")
    await world.disconnect()
    world.write_files(folder, "heart-rate", both_sides=True)


def frame(command: int, payload: bytes = b"") -> bytes:
    """Returns a frame: A5, its whole length, command, payload, XOR of all preceding bytes."""
    body = bytes([0xA5, len(payload) + 4, command]) + payload
    return body + bytes([reduce(lambda left, right: left ^ right, body)])


def wristband_answer(request: bytes) -> bytes:
    """Returns the answer. Command 03 counts the packets of a day. The others are invented, for frames of several
    notifications.
    """
    if len(request) < 4 or request[0] != 0xA5 or reduce(lambda left, right: left ^ right, request) != 0:
        return frame(0xFF, b"\x01")
    command, payload = request[2], request[3:-1]
    if command == 0x02:
        return frame(0x82, b"\x55\x01")
    if command == 0x03:
        counts = {b"\x0b\x14": 3, b"\x0b\x15": 258}
        return frame(0x83, struct.pack("<H", counts.get(payload, 0)))
    if command == 0x04:
        number = int.from_bytes(payload, "little")
        samples = b"".join(struct.pack("<BH", 60 + index, 100 * index + number) for index in range(15))
        return frame(0x84, payload + samples)
    return frame(command | 0x80, b"\xee")


async def wristband(folder: Path) -> None:
    """A vendor's protocol over fff6 and fff7, on Bluetooth 4 controllers: short packets, legacy advertising."""
    answers = notifying(0xFFF7)
    waiting: asyncio.Queue = asyncio.Queue()
    requests = Characteristic(
        as_uuid(0xFFF6),
        WRITE | COMMAND,
        Permissions.WRITEABLE,
        CharacteristicValue(write=lambda _, value: waiting.put_nowait(value)),
    )
    services = [Service(as_uuid(0xFFF0), [requests, answers]), device_information("Acme", "Band")]
    world = World("J1657", services, [0xFFF0], bytes.fromhex("ffff010203"), extended=False)

    async def firmware():
        while True:
            answer = wristband_answer(await waiting.get())
            await asyncio.sleep(0.004)
            for start in range(0, len(answer), 20):
                await world.gadget.notify_subscribers(answers, answer[start : start + 20])

    running = asyncio.ensure_future(firmware())
    await world.connect()
    await world.discover()
    await world.subscribe(0xFFF7)
    day = frame(0x03, b"\x0b\x14")
    for with_response, request in (
        (False, frame(0x02)),
        (False, day),
        (True, frame(0x03, b"\x0b\x15")),
        (False, frame(0x03, b"\x01\x01")),
        (False, frame(0x04, b"\x01\x00")),
        (False, frame(0x04, b"\x02\x00")),
        (False, day[:-1] + b"\x00"),  # a wrong checksum
        (False, frame(0x77)),  # an unknown command
    ):
        await world.write(0xFFF6, request, with_response)
        await asyncio.sleep(0.2)
    running.cancel()
    await world.disconnect()
    world.write_files(folder, "wristband")


async def pairing_fails(folder: Path) -> None:
    """Legacy pairing; the user mistypes the passkey, so the gadget answers Confirm Value Failed."""
    battery = Service(as_uuid(0x180F), [readable(0x2A19, b"\x42")])
    world = World("Lock", [battery], uuids=[0x180F])
    await world.connect()
    if await world.pair(*passkey_entry(secure_connections=False, slip=True)):
        raise AssertionError("a mistyped passkey was accepted")
    await world.disconnect()
    world.write_files(folder, "pairing-fails")


async def write_refused(folder: Path) -> None:
    """A write that needs an authenticated link: refused, then allowed after pairing with a passkey."""
    bolt = "5ca1ab1e-0002-4b0d-9f00-6c6f636b0000"
    stored = [b"\x00"]
    authenticated = Permissions.WRITE_REQUIRES_AUTHENTICATION
    characteristic = Characteristic(
        bolt,
        READ | WRITE,
        Permissions.READABLE | Permissions.WRITEABLE | authenticated,
        CharacteristicValue(read=lambda _: stored[0], write=lambda _, value: stored.__setitem__(0, value)),
    )
    world = World("Lock", [Service("5ca1ab1e-0001-4b0d-9f00-6c6f636b0000", [characteristic])])
    await world.connect()
    await world.peer.request_mtu(100)
    await world.discover()
    if await world.write(bolt, b"\x01") != 0x05:
        raise AssertionError("the write was not refused with Insufficient Authentication")
    if not await world.pair(*passkey_entry(secure_connections=True)):
        raise AssertionError("pairing failed")
    if await world.write(bolt, b"\x01") != 0 or await world.read(bolt) != b"\x01":
        raise AssertionError("the write was refused on an authenticated link")
    await world.disconnect()
    world.write_files(folder, "write-refused")


def make_all(folder: Path) -> None:
    for scenario in (heart_rate, wristband, pairing_fails, write_refused, enhanced_bearers, channels, *failures.SCENARIOS):
        seed_everything(scenario.__name__)
        with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
            runner.run(scenario(folder))
