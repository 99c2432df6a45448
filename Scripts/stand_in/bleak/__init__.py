"""A stand-in for bleak on bumble's virtual link, so that the tests can run the scripts of `trace --as bleak`.

`servers` has the servers that can be found, by address, and `names` their addresses by name; `make_central` returns a
device that can connect to them. Only what the scripts use is here.
"""

import asyncio

from bumble.att import ATT_Error
from bumble.core import ProtocolError
from bumble.device import Peer

from .exc import BleakError

servers: dict = {}
names: dict = {}
make_central = None


class BleakScanner:
    @staticmethod
    async def find_device_by_address(address):
        return address if address in servers else None

    @staticmethod
    async def find_device_by_name(name):
        return names.get(name)


class Descriptor:
    def __init__(self, proxy):
        self.proxy, self.handle = proxy, proxy.handle


class Characteristic:
    def __init__(self, proxy):
        self.proxy, self.handle, self.uuid = proxy, proxy.handle, whole(proxy.uuid)

    def get_descriptor(self, uuid):
        return next(Descriptor(each) for each in self.proxy.descriptors if whole(each.type) == uuid)


class Services:
    def __init__(self, characteristics):
        self.characteristics = {each.handle: each for each in characteristics}


class BleakClient:
    def __init__(self, device):
        self.address = device

    async def __aenter__(self):
        self.central = await make_central()
        connection = await self.central.connect(servers[self.address])
        self.connection, self.peer = connection, Peer(connection)
        await self.peer.request_mtu(517)
        await self.peer.discover_services()
        found = []
        for service in self.peer.services:
            for proxy in await service.discover_characteristics():
                await proxy.discover_descriptors()
                found.append(Characteristic(proxy))
        self.services = Services(found)
        self.descriptors = {each.handle: each for one in found for each in one.proxy.descriptors}
        self.callbacks = {}
        return self

    async def __aexit__(self, *_):
        # What the server still sends.
        await asyncio.sleep(0.2)
        await self.connection.disconnect()

    def _find(self, characteristic):
        if isinstance(characteristic, Characteristic):
            return characteristic
        found = [each for each in self.services.characteristics.values() if each.uuid == characteristic]
        if len(found) != 1:
            raise BleakError(f"{len(found)} characteristics have the UUID {characteristic}")
        return found[0]

    async def read_gatt_char(self, characteristic):
        return bytearray(await attempt(self._find(characteristic).proxy.read_value()))

    async def write_gatt_char(self, characteristic, data, response=None):
        await attempt(self._find(characteristic).proxy.write_value(data, with_response=response))

    async def read_gatt_descriptor(self, handle):
        return bytearray(await attempt(self.descriptors[handle].read_value()))

    async def write_gatt_descriptor(self, handle, data):
        await attempt(self.descriptors[handle].write_value(data, with_response=True))

    async def start_notify(self, characteristic, callback):
        found = self._find(characteristic)
        if found.handle in self.callbacks:
            raise BleakError("already subscribed")
        self.callbacks[found.handle] = receive = lambda value: callback(found, bytearray(value))
        await attempt(found.proxy.subscribe(receive))

    async def stop_notify(self, characteristic):
        found = self._find(characteristic)
        await attempt(found.proxy.unsubscribe(self.callbacks.pop(found.handle)))


def whole(uuid):
    """Returns a UUID as bleak writes it."""
    return str(uuid.to_hex_str("-") if len(uuid.uuid_bytes) == 16 else f"{int.from_bytes(uuid.uuid_bytes, 'little'):08x}-0000-1000-8000-00805f9b34fb").lower()


async def attempt(operation):
    try:
        return await operation
    except (ATT_Error, ProtocolError) as error:
        raise BleakError(str(error)) from error
