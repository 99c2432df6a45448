"""The scenarios of L2CAP channels: enhanced ATT bearers, and a vendor's own credit-based channel."""

import asyncio
import struct
from pathlib import Path

from bumble import att, l2cap
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.gatt_client import Client
from bumble.pairing import PairingConfig, PairingDelegate

from .world import Person, World, as_uuid

READ, WRITE, NOTIFY = (getattr(Characteristic.Properties, name) for name in ("READ", "WRITE", "NOTIFY"))
READABLE, WRITEABLE = Characteristic.Permissions.READABLE, Characteristic.Permissions.WRITEABLE
LOG, STATE, SETTING, COUNTER = (f"5ca1ab1e-00{number}-4b0d-9f00-626561726572" for number in (10, 11, 12, 13))
FIRST_CHANNEL_OF_GADGET = 0x0061
VENDOR_PSM = 0x0081
LE_SIGNALLING = l2cap.L2CAP_LE_SIGNALING_CID


def own_numbers(manager: l2cap.ChannelManager) -> None:
    """Makes the gadget number its channels differently from the phone, as two stacks would.

    bumble gives both ends the same numbers, and finds the channel for credits only if they are the same.
    """

    def free(channels, count=1):
        return [cid for cid in range(FIRST_CHANNEL_OF_GADGET, 0x80) if cid not in channels][:count]

    def channel_of_peer(connection_handle: int, cid: int):
        channels = manager.channels.get(connection_handle, {}).values()
        return next((each for each in channels if getattr(each, "destination_cid", None) == cid), None)

    manager.find_free_le_cids = free
    manager.find_free_le_cid = lambda channels: free(channels)[0]
    manager.find_le_coc_channel = channel_of_peer


def accepting_reconfiguration(manager: l2cap.ChannelManager) -> None:
    """Makes the larger MTU and MPS take effect; bumble refuses to reconfigure."""

    def request(connection, cid, asked) -> None:
        for channel in manager.channels[connection.handle].values():
            if channel.destination_cid in asked.destination_cid:
                channel.peer_mtu, channel.peer_mps = asked.mtu, asked.mps
        done = l2cap.L2CAP_Credit_Based_Reconfigure_Response(identifier=asked.identifier, result=0)
        manager.send_control_frame(connection, cid, done)

    manager.on_l2cap_credit_based_reconfigure_request = request
    manager.on_l2cap_credit_based_reconfigure_response = lambda *_: None


def just_works() -> tuple[PairingConfig, PairingConfig]:
    delegates = (Person(PairingDelegate.NO_OUTPUT_NO_INPUT, asyncio.Queue()) for _ in range(2))
    random = PairingConfig.AddressType.RANDOM
    phone, gadget = (
        PairingConfig(sc=True, mitm=False, bonding=True, delegate=each, identity_address_type=random)
        for each in delegates
    )
    return phone, gadget


async def enhanced_bearers(folder: Path) -> None:
    """Three bearers beside the first one: responses overtake each other, values take several K-frames."""

    async def slow_log(_):
        await asyncio.sleep(0.4)
        return bytes(index & 0xFF for index in range(180))

    stored = [b"\x00"]
    setting = CharacteristicValue(
        read=lambda _: stored[0], write=lambda _, value: stored.__setitem__(0, value)
    )
    counter = Characteristic(as_uuid(COUNTER), NOTIFY, Characteristic.Permissions(0), b"")
    service = Service(
        "5ca1ab1e-0001-4b0d-9f00-626561726572",
        [
            Characteristic(as_uuid(LOG), READ, READABLE, CharacteristicValue(read=slow_log)),
            Characteristic(as_uuid(STATE), READ, READABLE, b"\x01"),
            Characteristic(as_uuid(SETTING), READ | WRITE, READABLE | WRITEABLE, setting),
            counter,
        ],
    )
    world = World("Logger", [service], bearers=True)
    manager = world.gadget.l2cap_channel_manager
    own_numbers(manager)
    accepting_reconfiguration(manager)
    accepting_reconfiguration(world.phone.l2cap_channel_manager)
    del manager.le_coc_servers[att.EATT_PSM]
    spec = l2cap.LeCreditBasedChannelSpec(psm=att.EATT_PSM, mtu=200, mps=64, max_credits=5)
    world.gadget.gatt_server.register_eatt(spec)

    await world.connect()
    await world.peer.request_mtu(100)
    await world.discover()
    if not await world.pair(*just_works()):
        raise AssertionError("pairing failed")
    await world.read(0x2B3A)  # Server Supported Features
    clients = await Client.connect_eatt(
        world.connection, l2cap.LeCreditBasedChannelSpec(psm=att.EATT_PSM, mtu=150, mps=64, max_credits=4), count=3
    )
    for client in clients:
        client.bearer.att_mtu = min(client.bearer.mtu, client.bearer.peer_mtu)
    handles = {uuid: world.characteristic(uuid).handle for uuid in (LOG, STATE, SETTING, COUNTER)}

    # The first bearer waits for the log while the two others get responses; then the unenhanced one gets one, too.
    first, second, third = clients
    await asyncio.gather(
        first.read_value(handles[LOG]),
        second.read_value(handles[STATE]),
        third.write_value(handles[SETTING], bytes(range(100)), with_response=True),
        world.read(STATE),
    )
    await second.read_value(handles[SETTING])
    reconfigure = l2cap.L2CAP_Credit_Based_Reconfigure_Request(
        identifier=world.phone.l2cap_channel_manager.next_identifier(world.connection),
        mtu=190,
        mps=100,
        destination_cid=[third.bearer.source_cid],
    )
    third.bearer.mtu, third.bearer.mps = 190, 100
    world.phone.l2cap_channel_manager.send_control_frame(world.connection, LE_SIGNALLING, reconfigure)
    await asyncio.sleep(0.2)

    # A notification on an enhanced bearer, then two in one PDU, which bumble's client cannot read.
    bearer = next(
        channel
        for channel in manager.channels[world.gadget_connection.handle].values()
        if channel.destination_cid == second.bearer.source_cid
    )
    second.on_gatt_pdu = lambda pdu: None
    bearer.write(bytes([0x1B]) + struct.pack("<H", handles[COUNTER]) + b"\x07\x00")
    several = b"".join(
        struct.pack("<HH", handles[uuid], len(value)) + value for uuid, value in ((COUNTER, b"\x08\x00"), (STATE, b"\x02"))
    )
    bearer.write(b"\x23" + several)
    await asyncio.sleep(0.2)
    await first.bearer.disconnect()
    await third.read_value(handles[SETTING])
    try:
        nowhere = l2cap.LeCreditBasedChannelSpec(psm=0x00F1, mtu=64, mps=64, max_credits=1)
        await world.phone.l2cap_channel_manager.create_enhanced_credit_based_channels(world.connection, nowhere, 2)
    except Exception as refused:  # the channels of a PSM without a server
        if "SPSM" not in str(refused):
            raise
    await world.disconnect()
    world.write_files(folder, "enhanced-bearers", both_sides=True)


async def channels(folder: Path) -> None:
    """A vendor's channel: SDUs over several K-frames, exhausted credits, and a PSM without a server."""
    battery = Service(as_uuid(0x180F), [Characteristic(as_uuid(0x2A19), READ, READABLE, b"\x42")])
    world = World("Camera", [battery])
    own_numbers(world.gadget.l2cap_channel_manager)
    served: list[l2cap.LeCreditBasedChannel] = []
    spec = l2cap.LeCreditBasedChannelSpec(psm=VENDOR_PSM, mtu=300, mps=48, max_credits=4)

    def opened(channel) -> None:
        channel.sink = lambda sdu: channel.write(b"got " + struct.pack("<H", len(sdu)))
        served.append(channel)

    world.gadget.create_l2cap_server(spec, handler=opened)
    await world.connect()
    offered = l2cap.LeCreditBasedChannelSpec(psm=VENDOR_PSM, mtu=120, mps=60, max_credits=3)
    channel = await world.connection.create_l2cap_channel(offered)
    received: list[bytes] = []
    channel.sink = received.append
    channel.write(b"hello")
    await asyncio.sleep(0.3)
    channel.write(bytes(index & 0xFF for index in range(290)))  # seven K-frames, and four credits
    await asyncio.sleep(1)
    served[0].write(bytes(0x80 | index & 0x7F for index in range(118)))
    served[0].write(b"and a short one")
    await asyncio.sleep(1)
    if [len(each) for each in received] != [6, 6, 118, 15]:
        raise AssertionError(f"the phone received {[len(each) for each in received]}")
    try:
        await world.connection.create_l2cap_channel(l2cap.LeCreditBasedChannelSpec(psm=0x00F1))
    except l2cap.L2capError:
        pass
    else:
        raise AssertionError("a PSM without a server was opened")
    await world.gadget_connection.device.l2cap_channel_manager.update_connection_parameters(
        world.gadget_connection, 24, 40, 0, 500
    )
    await asyncio.sleep(0.3)
    await channel.disconnect()
    await world.disconnect()
    world.write_files(folder, "channels")
