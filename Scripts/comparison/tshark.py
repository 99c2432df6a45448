"""Facts about each packet from tshark (4.0)."""

import functools
import hashlib
import json
import os
import pickle
import struct
import subprocess
import tempfile
from pathlib import Path

from . import Facts, Told, first, listed, number, without_zeros

KEPT = Path(__file__).resolve().parents[2] / ".build" / "tshark"
LAYERS = "frame nordic_ble btle_rf btle hci_mon packetlogger bthci_evt bthci_cmd bthci_acl bthci_sco bthci_iso btl2cap btatt btsmp btrfcomm"

# What is inside PPI, if it was written before Link Layer packets had a link type.
PREFERENCES = ("-o", 'uat:user_dlts:"User 0 (DLT=147)","btle","0","","0",""')

# Where an ATT PDU's value begins; only these PDUs have tshark's handle on the wire, for others tshark remembers it.
VALUE_AT = {0x0B: 1, 0x0D: 1, 0x0F: 1, 0x12: 3, 0x52: 3, 0x1B: 3, 0x1D: 3, 0x16: 5, 0x17: 5}
CARRIES_HANDLE = {0x01, 0x0A, 0x0C, 0x12, 0x52, 0xD2, 0x16, 0x17, 0x1B, 0x1D}
SIGNED_WRITE, SIGNATURE = 0xD2, 12
UIH = 0xEF  # the frame of RFCOMM that carries data

# The direction of the monitor's packet opcodes: commands, events, ACL, SCO, ISO.
MONITOR_DIRECTION = {2: 0, 3: 1, 4: 0, 5: 1, 6: 0, 7: 1, 18: 0, 19: 1}
LOGGER_DIRECTION = {0x00: 0, 0x01: 1, 0x02: 0, 0x03: 1, 0x08: 0, 0x09: 1, 0x0A: 0, 0x0B: 1, 0x12: 0, 0x13: 1}

# A header's radio channel, counted from 2402 MHz, and the Link Layer's index of it.
RADIO_CHANNELS = {0: 37, 12: 38, 39: 39, **{n: n - 1 for n in range(1, 12)}, **{n: n - 2 for n in range(13, 39)}}
BLUETOOTH_FIELD = 30006  # of PPI
DIRECTIONS = ("central_to_peripheral", "peripheral_to_central")
CLAIMS_DIRECTION = range(2, 6)  # data of connections and of their streams, by side
ADVERTISES = {0, 1, 2, 4, 6, 7}  # the types of PDUs that an advertiser sends to everyone
HEADER = {"sn": "sequence_number", "nesn": "next_expected_sequence_number"}

LEGACY_REPORT, EXTENDED_REPORT = 0x02, 0x0D
SYNC_ESTABLISHED, PERIODIC_REPORT, SYNC_LOST = 0x0E, 0x0F, 0x10

# A signalling field's name here, and tshark's names for it in different commands.
SIGNALLING = {
    "identifier": ("cmd_ident",),
    "source_cid": ("scid",),
    "destination_cid": ("dcid",),
    "mtu": ("option_mtu",),
    "mps": ("mps",),
    "initial_credits": ("initial_credits",),
    "credits": ("credits",),
    "result": ("result", "le_result", "conf_result", "info_result", "move_result"),
    "reason": ("rej_reason",),
    "info_type": ("info_type",),
    "interval_min": ("min_interval",),
    "interval_max": ("max_interval",),
    "latency": ("slave_latency",),
    "timeout": ("timeout_multiplier",),
}
ASKS_FOR_PSM = {0x02: "psm", 0x14: "le_psm"}  # in other commands tshark remembers the PSM, instead of reading it

SECURITY = {
    "io_capability": "io_capability",
    "oob_data_flag": "oob_data_flags",
    "authreq": "authreq",
    "maximum_encryption_key_size": "max_enc_key_size",
    "initiator_key_distribution": "initiator_key_distribution",
    "responder_key_distribution": "responder_key_distribution",
    "reason": "reason",
    "ediv": "ediv",
    "address_type": "address_type",
    "notification_type": "notification_type",
}
SECURITY_BYTES = {
    "confirm_value": "cfm_value",
    "random_value": "random_value",
    "long_term_key": "long_term_key",
    "identity_resolving_key": "id_resolving_key",
    "signature_key": "signature_key",
    "dhkey_check": "dhkey_check",
    "public_key_x": "public_key_x",
    "public_key_y": "public_key_y",
}

# What identifies a device or its owner, in whichever layer it is: tshark's names of the fields.
ADDRESSES = (
    *("bthci_cmd.bd_addr", "bthci_evt.bd_addr", "bthci_evt.le_local_rpa", "bthci_evt.le_peer_rpa"),
    *("bthci_evt.direct_bd_addr", "btsmp.bd_addr", "btcommon.eir_ad.entry.bd_addr", "hci_mon.bd_addr"),
)
DEVICE_NAMES = ("btcommon.eir_ad.entry.device_name", "bthci_evt.device_name", "bthci_cmd.device_name")


def facts(path: Path) -> list[Facts] | None:
    """Returns the facts about each packet, without the user's preferences or name resolution, from one run, because
    tshark is slow to start. They are kept for the other checks of the same capture. Returns None if tshark reads
    nothing at all, such as from a PacketLogger file that it mistakes for another format.
    """
    kept = KEPT / hashlib.sha256(_reader() + path.read_bytes()).hexdigest()
    if kept.exists():
        return pickle.loads(kept.read_bytes())
    with tempfile.TemporaryDirectory() as empty:
        environment = dict(os.environ, WIRESHARK_CONFIG_DIR=empty, TZ="UTC", LC_ALL="C.UTF-8")
        command = ["tshark", "-n", *PREFERENCES, "-r", str(path), "-T", "ek", "-x", "-J", LAYERS]
        result = subprocess.run(command, capture_output=True, env=environment, check=False)
    lines = [line for line in result.stdout.splitlines() if b'"layers"' in line]
    packets = [json.loads(line, object_pairs_hook=_merged) for line in lines]
    found = [_packet(packet["layers"]) for packet in packets] if packets or result.returncode == 0 else None
    # A tshark that a signal ended may have left packets out.
    if result.returncode >= 0:
        kept.parent.mkdir(parents=True, exist_ok=True)
        # Renamed, so that another check never reads half a file.
        written = kept.with_suffix(f".{os.getpid()}")
        written.write_bytes(pickle.dumps(found))
        written.rename(kept)
    return found


@functools.cache
def _reader() -> bytes:
    """Returns everything that facts depend on besides the capture: these scripts, and tshark's version."""
    version = subprocess.run(["tshark", "--version"], capture_output=True, check=False).stdout
    return version + b"".join(script.read_bytes() for script in sorted(Path(__file__).parent.glob("*.py")))


def _merged(pairs: list) -> dict:
    """Merges keys that tshark repeats if a field occurs again deeper in a layer; the first one is the layer's own."""
    merged: dict = {}
    for key, value in pairs:
        merged[key] = [*listed(merged[key]), *listed(value)] if key in merged else value
    return merged


def _packet(layers: dict) -> Facts:
    told = Told()
    told.put("identity.addresses", _values(layers, ADDRESSES))
    told.put("identity.names", _values(layers, DEVICE_NAMES))

    def layer(name: str) -> dict | None:
        found = first(layers.get(name))
        return found if isinstance(found, dict) else None

    told.put("time", without_zeros(first(layers["frame"].get("frame_frame_time"))))
    monitor = layer("hci_mon")
    index = number(first(monitor.get("hci_mon_hci_mon_adapter_id"))) if monitor else 0
    told.put("adapter", None if index == 0xFFFF else index)
    side = number(first(layers["frame"].get("frame_frame_p2p_dir")))
    if monitor:
        side = MONITOR_DIRECTION.get(number(first(monitor.get("hci_mon_hci_mon_opcode"))))
    if logged := layer("packetlogger"):
        side = LOGGER_DIRECTION.get(number(first(logged.get("packetlogger_packetlogger_type"))))
    told.put("direction", None if side is None else ("sent", "received")[side])
    if command := layer("bthci_cmd"):
        told.put("hci.opcode", number(first(command.get("bthci_cmd_bthci_cmd_opcode"))))
    if event := layer("bthci_evt"):
        _event(event, told)
    for kind in ("acl", "sco", "iso"):
        if data := layer(f"bthci_{kind}"):
            told.put("hci.handle", number(first(data.get(f"bthci_{kind}_bthci_{kind}_chandle"))))
    if packet := layer("btle"):
        _air(packet, layer("nordic_ble") or {}, layer("btle_rf") or {}, told)
        if str(first(layers["frame"].get("frame_frame_protocols"))).startswith("ppi:"):
            _ubertooth(bytes.fromhex(first(layers.get("frame_raw")) or ""), told)
    if l2cap := layer("btl2cap"):
        _l2cap(l2cap, told)
    if att := layer("btatt"):
        _att(att, bytes.fromhex(first(layers.get("btatt_raw")) or ""), told)
    if smp := layer("btsmp"):
        _security(smp, told)
    if frame := layer("btrfcomm"):
        _rfcomm(frame, bytes.fromhex(first(layers.get("btrfcomm_raw")) or ""), told)
    return told


def _air(packet: dict, nordic: dict, header: dict, told: Told) -> None:
    """Tells about a packet that a sniffer recorded, and about what its header claims."""

    def field(name: str, layer: dict = packet):
        protocol = {id(nordic): "nordic_ble", id(header): "btle_rf"}.get(id(layer), "btle")
        return first(layer.get(f"{protocol}_{protocol}_{name}"))

    told.pop("direction", None)  # tshark guesses it from the packets before
    told.put("air.access_address", number(field("access_address")))
    told.put("air.pdu_type", number(field("advertising_header_pdu_type")))
    told.put("air.length", number(field("advertising_header_length") or field("data_header_length")))
    for name in ("llid", "sn", "nesn"):
        told.put(f"air.{name}", number(field(f"data_header_{HEADER.get(name, name)}")))
    told.put("air.opcode", number(field("control_opcode")))
    experts = [key for each in listed(packet.get("_ws_expert")) for key in each]
    told.put("air.crc", "wrong" if "btle_btle_crc_incorrect" in experts else None)
    if nordic:
        told.put("air.channel", number(field("channel", nordic)))
        told.put("air.rssi_dbm", number(field("rssi", nordic)))
        told["air.crc"] = "ok" if field("crcok", nordic) else "wrong"
        if (direction := field("direction", nordic)) is not None:
            told["direction"] = DIRECTIONS[0 if direction else 1]
            told.put("air.event", number(field("event_counter", nordic)))
    if header:
        told.put("air.channel", RADIO_CHANNELS.get(number(field("channel", header))))
        told.put("air.rssi_dbm", number(field("signal_dbm", header)))
        if field("flags_crc_checked", header):
            told["air.crc"] = "ok" if field("flags_crc_valid", header) else "wrong"
        kind = number(field("pdu_type", header))
        told.put("direction", DIRECTIONS[kind % 2] if kind in CLAIMS_DIRECTION else None)
    if told.get("air.pdu_type") in ADVERTISES:
        told.put("adv.address", [each.upper() for each in listed(packet.get("btle_btle_advertising_address"))])
    if packet.get("btcommon_btcommon_eir_ad_advertising_data_raw"):
        told.put("adv.data", listed(packet["btcommon_btcommon_eir_ad_advertising_data_raw"]))
        _structures(packet, told)


def _ubertooth(record: bytes, told: Told) -> None:
    """Tells about the field of PPI that is a Bluetooth header, which tshark does not read."""
    at, end = 8, int.from_bytes(record[2:4], "little")
    while at + 4 <= end:
        kind, length = struct.unpack_from("<HH", record, at)
        if kind == BLUETOOTH_FIELD:
            frequency, strongest, average, samples = struct.unpack_from("<xHxxxxxbxbB", record, at + 4)
            told.put("air.channel", RADIO_CHANNELS.get((frequency - 2402) // 2))
            told.put("air.rssi_dbm", average if samples and strongest < 0 else None)
        at += 4 + length


def _values(layers: dict, fields: tuple[str, ...]) -> list[str]:
    """Returns the values of these fields in all layers."""
    keys = [f"{field.partition('.')[0]}_{field.replace('.', '_')}" for field in fields]
    inside = [layer for each in layers.values() for layer in listed(each) if isinstance(layer, dict)]
    return [value for layer in inside for key in keys for value in listed(layer.get(key))]


def _event(event: dict, told: Told) -> None:
    def field(name: str):
        return event.get(f"bthci_evt_bthci_evt_{name}")

    subevent = number(first(field("le_meta_subevent")))
    told.put("hci.event", number(first(field("code"))))
    told.put("hci.subevent", subevent)
    handles = [each for name in ("connection_handle", "cis_handle", "cis_bis_handle") for each in listed(field(name))]
    told.put("hci.connection_handles", [number(each) for each in handles])
    if subevent in (SYNC_ESTABLISHED, PERIODIC_REPORT, SYNC_LOST):
        told.put("periodic.sync", number(first(field("sync_handle"))))
        told.put("periodic.sid", number(first(field("advertising_sid"))))
        told.put("periodic.interval", number(first(field("periodic_advertising_interval"))))
        if subevent == SYNC_ESTABLISHED:
            told.put("periodic.address", first(field("bd_addr")).upper())
    if subevent == PERIODIC_REPORT:
        told.put("periodic.rssi_dbm", number(first(field("rssi"))))
        told.put("periodic.data_status", number(first(field("data_status"))))
        told.put("periodic.data", (first(field("data")) or "").replace(":", ""))
    types = listed(field("le_ext_advts_event_type")) or listed(field("le_advts_event_type"))
    if not types or subevent not in (LEGACY_REPORT, EXTENDED_REPORT):
        return
    data = iter(listed(event.get("btcommon_btcommon_eir_ad_advertising_data_raw")))
    lengths = [int(each) for each in listed(field("data_length"))]
    told.put("adv.count", len(types))
    told.put("adv.event_type", [number(each) for each in types])
    told.put("adv.address", [each.upper() for each in listed(field("bd_addr"))])
    # Core, Vol 4, Part E, 7.7.65.2: -127 to +20 dBm, or 127 if it is not available.
    told.put("adv.rssi_dbm", [int(each) if int(each) <= 20 else None for each in listed(field("rssi"))])
    told.put("adv.data", [next(data, "") if length else "" for length in lengths])
    _structures(event, told)


def _structures(event: dict, told: Told) -> None:
    def entry(name: str) -> list:
        return listed(event.get(f"btcommon_btcommon_eir_ad_entry_{name}"))

    told.put("adv.types", [number(each) for each in entry("type")])
    told.put("adv.names", entry("device_name"))
    told.put("adv.uuids_16", [number(each) for each in entry("uuid_16")])
    told.put("adv.uuids_32", [number(each) for each in entry("uuid_32") or entry("custom_uuid_32")])
    told.put("adv.uuids_128", [each.replace(":", "") for each in entry("uuid_128") + entry("custom_uuid_128")])
    told.put("adv.companies", [number(each) for each in entry("company_id")])
    told.put("adv.tx_power_dbm", [number(each) for each in entry("power_level")])
    told.put("adv.appearances", [number(each) for each in entry("appearance")])
    told.put("adv.service_data", [each.replace(":", "") for each in entry("service_data")])
    told.put("adv.flags", _flags(event))


def _flags(event: dict) -> list[int]:
    bits = (
        ("le_limited_discoverable_mode", 0),
        ("le_general_discoverable_mode", 1),
        ("bredr_not_supported", 2),
        ("le_bredr_support_controller", 3),
        ("le_bredr_support_host", 4),
        ("reserved", 5),
    )
    columns = [
        [_bit(each) << shift for each in listed(event.get(f"btcommon_btcommon_eir_ad_entry_flags_{name}"))]
        for name, shift in bits
    ]
    return [sum(each) for each in zip(*columns)]


def _bit(value) -> int:
    return int(value) if isinstance(value, bool) else number(value)


def _l2cap(l2cap: dict, told: Told) -> None:
    def field(name: str) -> list:
        return [number(each) for each in listed(l2cap.get(f"btl2cap_btl2cap_{name}"))]

    told.put("l2cap.cid", first(field("cid")))
    told.put("l2cap.sdu_length", first(field("le_sdu_length")))
    codes = field("cmd_code")
    told.put("signalling.code", codes)
    if not codes:
        return
    for name, theirs in SIGNALLING.items():
        told.put(f"signalling.{name}", [each for their in theirs for each in field(their)])
    asked = [name for code, name in ASKS_FOR_PSM.items() if code in codes]
    told.put("signalling.psm", [first(field(name)) for name in asked])


def _att(att: dict, pdu: bytes, told: Told) -> None:
    opcode = number(first(att.get("btatt_btatt_opcode")))
    told.put("att.opcode", opcode)
    if opcode in CARRIES_HANDLE:
        told.put("att.handle", number(first(att.get("btatt_btatt_handle"))))
    if opcode == 0x01:
        told.put("att.error", number(first(att.get("btatt_btatt_error_code"))))
        told.put("att.request_opcode", number(first(att.get("btatt_btatt_req_opcode_in_error"))))
    if opcode in VALUE_AT:
        if len(pdu) >= VALUE_AT[opcode]:  # the capture may have cut the PDU before its value
            told.put("att.value", pdu[VALUE_AT[opcode] :].hex())
    elif opcode == SIGNED_WRITE:
        told.put("att.value", pdu[3:-SIGNATURE].hex())


def _security(smp: dict, told: Told) -> None:
    told.put("smp.opcode", number(first(smp.get("btsmp_btsmp_opcode"))))
    for name, theirs in SECURITY.items():
        told.put(f"smp.{name}", number(first(smp.get(f"btsmp_btsmp_{theirs}"))))
    for name, theirs in SECURITY_BYTES.items():
        if raw := first(smp.get(f"btsmp_btsmp_{theirs}")):
            told.put(f"smp.{name}", raw.replace(":", ""))
    if address := first(smp.get("btsmp_btsmp_bd_addr")):
        told.put("smp.address", address.upper())


# tshark's names of the fields of multiplexer commands, by ours.
MULTIPLEXER = {
    "command": "mcc_cmd",
    "command_channel": "mcc_channel",
    "convergence_layer": "pn_cl",
    "frame_size": "max_frame_size",
    "initial_credits": "error_recovery_mode",
}


def _rfcomm(frame: dict, content: bytes, told: Told) -> None:
    def field(name: str) -> int | None:
        return number(first(frame.get(f"btrfcomm_btrfcomm_{name}")))

    told.put("rfcomm.frame", field("frame_type"))
    told.put("rfcomm.dlci", field("dlci"))
    told.put("rfcomm.channel", field("channel") or None)
    told.put("rfcomm.length", field("len"))
    told.put("rfcomm.credits", field("credits"))
    told.put("rfcomm.fcs", field("fcs"))
    if field("dlci") and field("frame_type") == UIH and field("len"):
        told.put("rfcomm.value", content[-field("len") - 1 : -1].hex())  # before the frame check sequence
    for name, theirs in MULTIPLEXER.items():
        told.put(f"rfcomm.{name}", field(theirs))
