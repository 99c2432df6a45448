"""Two devices in range of each other: a phone (central) and a gadget (peripheral), with a snooper on each host."""

import asyncio
import random
import secrets
import zlib
from pathlib import Path

from bumble import att, core, crypto, hci
from bumble.core import AdvertisingData
from bumble.device import ConnectionParametersPreferences, Device, DeviceConfiguration, Peer
from bumble.hci import Address
from bumble.host import Host
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.snoop import Snooper
from bumble.transport.common import AsyncPipeSink

from . import btsnoop
from .radio import Radio, RadioController

PHONE, GADGET = "C0:FF:EE:C0:FF:EE", "F1:F1:F1:F1:F1:F1"  # random static
PUBLIC = {"phone": "00:00:5E:00:53:01", "gadget": "00:00:5E:00:53:02"}  # addresses reserved for documentation
P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


def seed_everything(name: str) -> None:
    """Makes the "random" values the same on every run, and different for each scenario."""
    source = random.Random(zlib.crc32(name.encode()))
    secrets.token_bytes = lambda count=32: source.randbytes(count)
    secrets.randbelow = source.randrange
    random.randint = lambda low, high: source.randrange(low, high)  # LE Rand asks for 0...2^64, which is one too many

    def generate(cls):
        return cls.from_private_key_bytes(source.randrange(1, P256_ORDER).to_bytes(32, "big"))

    crypto.EccKey.generate = classmethod(generate)


class RecordingSnooper(Snooper):
    def __init__(self) -> None:
        self.content = bytearray(btsnoop.header(btsnoop.H4))

    def snoop(self, hci_packet: bytes, direction) -> None:
        now = btsnoop.SAMPLE_START + round(asyncio.get_running_loop().time() * 1_000_000)
        flags = btsnoop.h4_flags(hci_packet[0], direction == Snooper.Direction.CONTROLLER_TO_HOST)
        self.content += btsnoop.record(hci_packet, flags, now)


class UnhurriedHost(Host):
    """A host that waits a moment before it sends, instead of answering within the same microsecond."""

    _THINKING = 0.000_23
    _free_at = 0.0

    def send_hci_packet(self, packet) -> None:
        loop = asyncio.get_running_loop()
        self._free_at = max(loop.time(), self._free_at) + self._THINKING
        loop.call_at(self._free_at, super().send_hci_packet, packet)


class World:
    def __init__(self, name, services, uuids=(), manufacturer_data=b"", extended=True, bearers=False) -> None:
        self.air = Radio()
        self.snoopers = {"phone": RecordingSnooper(), "gadget": RecordingSnooper()}
        self.advertising_data = self._advertisement(uuids, manufacturer_data)
        self.scan_response = bytes(AdvertisingData([(AdvertisingData.COMPLETE_LOCAL_NAME, name.encode())]))
        self.phone = self._device("phone", PHONE, "Phone", extended)
        self.gadget = self._device("gadget", GADGET, name, extended, bearers)
        self.gadget.add_services(services)
        self.connection = self.gadget_connection = self.peer = None

    @staticmethod
    def _advertisement(uuids, manufacturer_data) -> bytes:
        fields = [(AdvertisingData.FLAGS, b"\x06")]
        if uuids:
            listed = b"".join(uuid.to_bytes(2, "little") for uuid in uuids)
            fields.append((AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, listed))
        if manufacturer_data:
            fields.append((AdvertisingData.MANUFACTURER_SPECIFIC_DATA, manufacturer_data))
        return bytes(AdvertisingData(fields))

    def _device(self, role, address, name, extended, bearers=False) -> Device:
        """Returns a device; `bearers` enables enhanced ATT bearers."""
        controller = RadioController(role, self.air, PUBLIC[role], extended)
        host = UnhurriedHost(controller, AsyncPipeSink(controller))
        controller.host = host
        host.snooper = self.snoopers[role]
        irk = secrets.token_bytes(16)
        config = DeviceConfiguration(name=name, address=Address(address), irk=irk, eatt_enabled=bearers)
        return Device(config=config, host=host)

    # Actions of the user.

    async def connect(self) -> None:
        """Powers on, finds the gadget, connects to it."""
        await self.gadget.power_on()
        await self.phone.power_on()
        await self.reconnect()

    async def reconnect(self) -> None:
        """Finds the gadget, connects to it."""
        found = asyncio.get_running_loop().create_future()
        accepted = asyncio.get_running_loop().create_future()
        self.phone.on("advertisement", lambda seen: found.done() or found.set_result(seen.address))
        self.gadget.once("connection", accepted.set_result)
        await self.phone.start_scanning(legacy=False, active=True, scan_interval=100, scan_window=50)
        await asyncio.sleep(0.4)
        await self.gadget.start_advertising(
            auto_restart=False,
            advertising_interval_min=100,
            advertising_interval_max=150,
            advertising_data=self.advertising_data,
            scan_response_data=self.scan_response,
        )
        address = await found
        await asyncio.sleep(0.25)
        await self.phone.stop_scanning()
        wanted = ConnectionParametersPreferences(
            connection_interval_min=30, connection_interval_max=50, supervision_timeout=5000
        )
        self.connection = await self.phone.connect(
            address, connection_parameters_preferences={hci.HCI_LE_1M_PHY: wanted}
        )
        self.gadget_connection = await accepted
        self.peer = Peer(self.connection)
        await asyncio.sleep(0.1)

    async def discover(self) -> None:
        await self.peer.discover_services()
        for service in self.peer.services:
            await service.discover_characteristics()
            for characteristic in service.characteristics:
                await characteristic.discover_descriptors()

    def characteristic(self, uuid):
        return self.peer.get_characteristics_by_uuid(as_uuid(uuid))[0]

    async def read(self, uuid) -> bytes | int:
        """Returns the value, or the error code."""
        try:
            return bytes(await self.characteristic(uuid).read_value())
        except att.ATT_Error as error:
            return int(error.error_code)

    async def write(self, uuid, value: bytes, with_response=True) -> int:
        try:
            await self.characteristic(uuid).write_value(value, with_response=with_response)
        except att.ATT_Error as error:
            return int(error.error_code)
        return 0

    async def subscribe(self, uuid, indications=False) -> None:
        characteristic = self.characteristic(uuid)
        await self.peer.subscribe(characteristic, lambda value: None, prefer_notify=not indications)

    async def pair(self, phone: PairingConfig, gadget: PairingConfig) -> bool:
        self.phone.pairing_config_factory = lambda _: phone
        self.gadget.pairing_config_factory = lambda _: gadget
        try:
            await self.connection.pair()
        except core.ProtocolError:
            return False
        finally:
            await asyncio.sleep(0.3)
        return True

    async def disconnect(self) -> None:
        await self.connection.disconnect(hci.HCI_ErrorCode.REMOTE_USER_TERMINATED_CONNECTION_ERROR)
        await asyncio.sleep(0.1)

    def write_files(self, folder: Path, name: str, both_sides=False) -> None:
        (folder / f"{name}.btsnoop").write_bytes(self.snoopers["phone"].content)
        if both_sides:
            (folder / f"{name}.peripheral.btsnoop").write_bytes(self.snoopers["gadget"].content)


def as_uuid(uuid) -> core.UUID:
    return core.UUID(uuid) if isinstance(uuid, str) else core.UUID.from_16_bits(uuid)


class Person(PairingDelegate):
    """A user who reads a passkey from one screen and types it on the other, with a mistake if `slip` is set."""

    _KEYS = PairingDelegate.KeyDistribution.DISTRIBUTE_ENCRYPTION_KEY | (
        PairingDelegate.KeyDistribution.DISTRIBUTE_IDENTITY_KEY
    )

    def __init__(self, capability, screen: asyncio.Queue, slip=False) -> None:
        super().__init__(capability, self._KEYS, self._KEYS)
        self.screen, self.slip = screen, slip

    async def display_number(self, number, digits) -> None:
        self.screen.put_nowait(number)

    async def get_number(self) -> int:
        shown = await self.screen.get()
        await asyncio.sleep(3.2)
        return (shown + 1) % 1_000_000 if self.slip else shown


def passkey_entry(secure_connections: bool, slip=False) -> tuple[PairingConfig, PairingConfig]:
    """Returns a configuration in which the gadget shows six digits, which are typed on the phone."""
    screen: asyncio.Queue = asyncio.Queue()
    ends = (PairingDelegate.KEYBOARD_INPUT_ONLY, slip), (PairingDelegate.DISPLAY_OUTPUT_ONLY, False)
    phone, gadget = (
        PairingConfig(
            sc=secure_connections,
            mitm=True,
            bonding=True,
            delegate=Person(capability, screen, slips),
            identity_address_type=PairingConfig.AddressType.RANDOM,
        )
        for capability, slips in ends
    )
    return phone, gadget
