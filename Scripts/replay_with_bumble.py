#!/usr/bin/env python3
"""Runs a script of `trace --as bleak` against servers on bumble's virtual link that behave as those of the capture.

usage: replay_with_bumble.py SCRIPT MAP VALUES

MAP is what `map --json` prints, VALUES what `values --json` prints. A server answers each operation as the one of the
capture did, and sends what it sent when the client subscribes. Prints what the servers saw, as JSON, one operation per
line: [uuid, operation, value].
"""

import asyncio
import json
import runpy
import sys
from collections import defaultdict, deque
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "stand_in"))

import bleak
from bumble.att import ATT_Error
from bumble.controller import Controller
from bumble.device import Device
from bumble.gatt import Attribute, Characteristic, CharacteristicValue, Descriptor, Service
from bumble.hci import Address
from bumble.host import Host
from bumble.link import LocalLink

CONFIGURATION = "2902"
SYSTEMS = ("1800", "1801")
ANY = Attribute.Permissions.READABLE | Attribute.Permissions.WRITEABLE
SENT = ("notification", "indication")
PROPERTIES = {"notify": Characteristic.Properties.NOTIFY, "indicate": Characteristic.Properties.INDICATE}


def make_device(air: LocalLink, address: str, name: str) -> Device:
    controller = Controller(name, link=air, public_address=Address(address, Address.PUBLIC_DEVICE_ADDRESS))
    return Device(name=name, address=Address(address), host=Host(controller, controller))


class Server:
    """The server of a device of the map."""

    def __init__(self, device: Device, entry: dict, values: list[dict]):
        self.device, self.log = device, []
        # What the server did with each attribute, and what it sent, in order.
        self.answers, self.sent = defaultdict(deque), defaultdict(list)
        for value in values:
            key = (value.get("service"), value.get("uuid"), value.get("handle"))
            if value["operation"] in SENT:
                self.sent[key].append(value)
            else:
                self.answers[key, value["operation"] == "read"].append(value)
        self.characteristics = {}
        services = []
        for service in entry["services"]:
            if service["uuid"] not in SYSTEMS:
                services.append(Service(service["uuid"], [self.characteristic(service, each) for each in service["characteristics"]]))
        device.add_services(services)
        device.gatt_server.on("characteristic_subscription", self.on_subscription)

    def characteristic(self, service: dict, entry: dict) -> Characteristic:
        key = (service["uuid"], entry["uuid"], entry["value_handle"])
        properties = Characteristic.Properties.READ | Characteristic.Properties.WRITE | Characteristic.Properties.WRITE_WITHOUT_RESPONSE
        for name in entry.get("properties") or PROPERTIES:
            properties |= PROPERTIES.get(name, 0)
        descriptors = [
            Descriptor(each["uuid"], ANY, self.value((service["uuid"], each["uuid"], each["handle"])))
            for each in entry.get("descriptors", [])
            if each["uuid"] != CONFIGURATION
        ]
        made = Characteristic(entry["uuid"], properties, ANY, self.value(key), descriptors)
        self.characteristics[made] = key
        return made

    def value(self, key: tuple) -> CharacteristicValue:
        def answer(is_read: bool, given: bytes | None) -> bytes:
            answers = self.answers[key, is_read]
            before = answers.popleft() if answers else {}
            self.log.append([key[1], "read" if is_read else "write", (given or b"").hex()])
            if error := before.get("error"):
                raise ATT_Error(int(error["code"], 16))
            value = before.get("value")
            return bytes.fromhex(value) if isinstance(value, str) else b""

        return CharacteristicValue(read=lambda _: answer(True, None), write=lambda _, value: answer(False, value))

    def on_subscription(self, connection, characteristic, notifies, indicates) -> None:
        if characteristic in self.characteristics and (notifies or indicates):
            self.log.append([self.characteristics[characteristic][1], "subscribe", ""])
            asyncio.ensure_future(self.send(characteristic, indicates and not notifies))

    async def send(self, characteristic, indicates) -> None:
        for value in self.sent.pop(self.characteristics[characteristic], []):
            if isinstance(value.get("value"), str):
                send = self.device.indicate_subscribers if indicates else self.device.notify_subscribers
                await send(characteristic, bytes.fromhex(value["value"]))


async def serve(entries: list[dict], values: list[dict], air: LocalLink) -> list[Server]:
    made = []
    for number, entry in enumerate(entries):
        address = entry.get("address", f"F0:F0:F0:F0:F0:{number:02X}")
        own = [each for each in values if (each.get("server") == "local") == bool(entry.get("local"))]
        if not entry.get("local"):
            own = [each for each in own if each.get("device") in (None, entry.get("address"), *entry.get("addresses", []))]
        device = make_device(air, address, entry.get("name", ""))
        server = Server(device, entry, own)
        await device.power_on()
        await device.start_advertising(auto_restart=True)
        bleak.servers[address] = device.random_address
        for other in entry.get("addresses", []):
            bleak.servers[other] = device.random_address
        bleak.names[entry.get("name")] = address
        made.append(server)
    return made


async def main() -> None:
    script, map_file, values_file = sys.argv[1:4]
    values = [json.loads(line) for line in Path(values_file).read_text().splitlines()]
    values = [each for each in values if each.get("type") == "value" and each["operation"] != "advertisement"]
    air = LocalLink()
    count = 0

    async def make_central() -> Device:
        nonlocal count
        count += 1
        central = make_device(air, f"C0:C0:C0:C0:C0:{count:02X}", "client")
        await central.power_on()
        return central

    bleak.make_central = make_central
    servers = await serve(json.loads(Path(map_file).read_text())["devices"], values, air)
    sys.argv = [script, "--pace", "0", *sys.argv[4:]]
    module = runpy.run_path(script)
    await asyncio.wait_for(module["main"](), 60)
    await asyncio.sleep(0.1)
    for server in servers:
        for line in server.log:
            print(json.dumps(line))


if __name__ == "__main__":
    asyncio.run(main())
