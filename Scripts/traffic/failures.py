"""Scenarios that fail although app and gadget work as designed."""

import asyncio
from pathlib import Path

from bumble import att, core, hci
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.keys import MemoryKeyStore
from bumble.pairing import PairingConfig, PairingDelegate

from .world import Person, World, as_uuid

READ, WRITE, NOTIFY = (getattr(Characteristic.Properties, name) for name in ("READ", "WRITE", "NOTIFY"))
READABLE, WRITEABLE = Characteristic.Permissions.READABLE, Characteristic.Permissions.WRITEABLE
CONFIGURATION = as_uuid(0x2902)
BOLT = "5ca1ab1e-0002-4b0d-9f00-6c6f636b0000"
LOCK = "5ca1ab1e-0001-4b0d-9f00-6c6f636b0000"


def refusing(error: int):
    """Makes bumble's server refuse what a characteristic does not offer, or offers only with protection, which it would
    allow.
    """

    def refuse(*_):
        raise att.ATT_Error(error)

    return refuse


def strap(measurement: Characteristic) -> list[Service]:
    location = CharacteristicValue(read=lambda _: b"\x01", write=refusing(0x03))
    reset = CharacteristicValue(read=refusing(0x02), write=lambda _, value: None)
    own = Characteristic(as_uuid(0x2A38), READ, READABLE, location), Characteristic(as_uuid(0x2A39), WRITE, WRITEABLE, reset)
    return [Service(as_uuid(0x180D), [measurement, *own])]


def just_works() -> tuple[PairingConfig, PairingConfig]:
    phone, gadget = (
        PairingConfig(
            sc=True,
            mitm=False,
            bonding=True,
            delegate=Person(PairingDelegate.NO_OUTPUT_NO_INPUT, asyncio.Queue()),
            identity_address_type=PairingConfig.AddressType.RANDOM,
        )
        for _ in range(2)
    )
    return phone, gadget


async def refused(request) -> int:
    """Returns the error code of a client's request; 0: none."""
    try:
        await request
    except att.ATT_Error as error:
        return int(error.error_code)
    return 0


async def wrong_use(folder: Path) -> None:
    """A strap used in unsupported ways: 2a38 is written, 2a39 read, and 2a37 asked for indications, but it only
    notifies.
    """
    measurement = Characteristic(as_uuid(0x2A37), NOTIFY, Characteristic.Permissions(0), b"")
    world = World("HRM-7", strap(measurement), uuids=[0x180D])
    await world.connect()
    await world.discover()
    location, control_point = world.characteristic(0x2A38), world.characteristic(0x2A39)
    if await refused(location.write_value(b"\x02", with_response=True)) != 0x03:
        raise AssertionError("the body sensor location was written")
    if await refused(control_point.read_value()) != 0x02:
        raise AssertionError("the control point was read")
    configuration = world.characteristic(0x2A37).get_descriptor(CONFIGURATION)
    await configuration.write_value(b"\x02\x00", with_response=True)
    for value in ("0048", "0049", "004a"):
        await asyncio.sleep(1)
        await world.gadget.notify_subscribers(measurement, bytes.fromhex(value))
    await world.disconnect()
    world.write_files(folder, "wrong-use")


async def mitm_demanded(folder: Path) -> None:
    """A bolt that requires protection against a man in the middle, with a phone and a gadget that pair without it."""
    bolt = Characteristic(BOLT, WRITE, WRITEABLE, CharacteristicValue(write=refusing(0x05)))
    world = World("Lock", [Service(LOCK, [bolt])])
    await world.connect()
    await world.peer.request_mtu(100)
    await world.discover()
    for _ in range(2):
        if await world.write(BOLT, b"\x01") != 0x05:
            raise AssertionError("the write was not refused with Insufficient Authentication")
        if world.connection.is_encrypted:
            break
        if not await world.pair(*just_works()):
            raise AssertionError("pairing failed")
    await world.disconnect()
    world.write_files(folder, "mitm-demanded")


async def server_silent(folder: Path) -> None:
    """A firmware that does not answer a read: the client waits for 30 s and gives up."""
    state = "5ca1ab1e-0011-4b0d-9f00-6c6f636b0000"
    forgotten = asyncio.get_running_loop().create_future()

    async def never(_):
        await forgotten

    characteristic = Characteristic(state, READ, READABLE, CharacteristicValue(read=never))
    world = World("Lock", [Service(LOCK, [characteristic])])
    await world.connect()
    await world.discover()
    try:
        await world.characteristic(state).read_value()
    except core.TimeoutError:
        pass
    else:
        raise AssertionError("the read was answered")
    await world.disconnect()
    forgotten.cancel()
    world.write_files(folder, "server-silent", both_sides=True)


async def lost_subscription(folder: Path) -> None:
    """A bonded strap that forgets its subscriptions: on the second connection no notification arrives."""
    measurement = Characteristic(as_uuid(0x2A37), NOTIFY, Characteristic.Permissions(0), b"")
    world = World("HRM-7", strap(measurement), uuids=[0x180D])
    world.phone.keystore, world.gadget.keystore = MemoryKeyStore(), MemoryKeyStore()
    await world.connect()
    await world.discover()
    if not await world.pair(*just_works()):
        raise AssertionError("pairing failed")
    await world.subscribe(0x2A37)
    for value in ("0048", "0049", "004a", "004b"):
        await asyncio.sleep(1)
        await world.gadget.notify_subscribers(measurement, bytes.fromhex(value))
    await world.disconnect()
    await world.reconnect()
    await world.connection.encrypt()
    for value in ("004c", "004d", "004e", "004f", "0050"):
        await asyncio.sleep(1)
        await world.gadget.notify_subscribers(measurement, bytes.fromhex(value))
    await asyncio.sleep(4)
    await world.disconnect()
    world.write_files(folder, "lost-subscription", both_sides=True)


async def peer_leaves(folder: Path) -> None:
    """A lock that requests security once and disconnects after five seconds; three times."""
    bolt = Characteristic(BOLT, WRITE, WRITEABLE, CharacteristicValue(write=lambda _, value: None))
    world = World("Lock", [Service(LOCK, [bolt])])
    for attempt in range(3):
        await (world.reconnect() if attempt else world.connect())
        world.gadget_connection.request_pairing()
        await world.discover()
        await asyncio.sleep(5)
        await world.gadget_connection.disconnect(hci.HCI_ErrorCode.REMOTE_USER_TERMINATED_CONNECTION_ERROR)
        await asyncio.sleep(0.5)
    world.write_files(folder, "peer-leaves")


SCENARIOS = (wrong_use, mitm_demanded, server_silent, lost_subscription, peer_leaves)
