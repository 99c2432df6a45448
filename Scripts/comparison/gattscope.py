"""Facts about each packet from gattscope's JSON."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Iterator

from . import (
    APPEARANCE,
    FLAGS,
    MANUFACTURER,
    NAMES,
    SERVICE_DATA,
    TX_POWER,
    UUIDS,
    Facts,
    Told,
    listed,
    number,
    without_zeros,
)
from .tshark import (
    ADVERTISES,
    ASKS_FOR_PSM,
    CARRIES_HANDLE,
    EXTENDED_REPORT,
    LEGACY_REPORT,
    PERIODIC_REPORT,
    SECURITY,
    SECURITY_BYTES,
    SIGNALLING,
    SIGNED_WRITE,
    SYNC_ESTABLISHED,
    SYNC_LOST,
    VALUE_AT,
)

VENDOR = 0xFF  # the event code whose contents each vendor defines
DAMAGED = 65  # everything readable was printed

# The PDUs on advertising channels, by type.
PDU_TYPES = {
    **{"ADV_IND": 0, "ADV_DIRECT_IND": 1, "ADV_NONCONN_IND": 2, "SCAN_REQ": 3, "AUX_SCAN_REQ": 3, "SCAN_RSP": 4},
    **{"CONNECT_IND": 5, "AUX_CONNECT_REQ": 5, "ADV_SCAN_IND": 6, "AUX_CONNECT_RSP": 8, "ADV_DECISION_IND": 9},
    **dict.fromkeys(("ADV_EXT_IND", "AUX_ADV_IND", "AUX_SCAN_RSP", "AUX_SYNC_IND", "AUX_CHAIN_IND"), 7),
    **dict.fromkeys(("AUX_SYNC_SUBEVENT_IND", "AUX_SYNC_SUBEVENT_RSP"), 7),
}

# Command Reject's two channels, which have the other commands' names in tshark.
SIGNALLING_KEYS = {"local_cid": "source_cid", "remote_cid": "destination_cid"}
# Quantities have their unit in the key; on the air they are multiples of it.
SIGNALLING_UNITS: dict[str, tuple[str, float]] = {
    "interval_min_ms": ("interval_min", 1.25),
    "interval_max_ms": ("interval_max", 1.25),
    "timeout_ms": ("timeout", 10),
}


def lines(program: str, path: Path) -> list[dict]:
    """Returns the JSON lines with keys shown: tshark shows them, too, and both must mean the same bytes."""
    command = [program, "show", "--json", "--show-keys", str(path)]
    result = subprocess.run(command, capture_output=True, check=False)
    if result.returncode not in (0, DAMAGED):
        sys.exit(f"{path}: gattscope ended with {result.returncode}: {result.stderr.decode().strip()}")
    return [json.loads(line) for line in result.stdout.splitlines()]


def code(of, key: str) -> int | None:
    """Returns a number in any of its forms: `"0x05"`, `5` or `{"code":"0x05",...}`."""
    value = of.get(key) if isinstance(of, dict) else None
    if isinstance(value, dict):
        value = value.get("code")
    return number(value) if isinstance(value, (int, str)) else None


def _connection_handles(parameters) -> Iterator[int]:
    """Yields the handles in an event, including the results in a Command Complete, and lists of handles."""
    if isinstance(parameters, list):
        for each in parameters:
            yield from _connection_handles(each)
    elif isinstance(parameters, dict):
        for key, value in parameters.items():
            if key in ("connection_handle", "connection_handles"):
                yield from (number(each) for each in listed(value))
            else:
                yield from _connection_handles(value)


def facts(line: dict) -> Facts:
    told = Told()
    told.put("time", without_zeros(line.get("time")))
    told.put("adapter", line.get("adapter"))
    if line.get("direction_via") != "inferred":  # tshark does not guess a direction that the capture lacks
        told.put("direction", line.get("direction"))
    hci, l2cap = line.get("hci", {}), line.get("l2cap", {})
    for key in ("opcode", "event", "subevent", "handle"):
        told.put(f"hci.{key}", code(hci, key))
    if told.get("hci.event") == VENDOR:
        told.pop("hci.subevent", None)  # tshark does not read the event inside
    elif hci.get("kind") == "event":
        told.pop("hci.handle", None)
        told.put("hci.connection_handles", list(_connection_handles(hci.get("parameters", {}))))
    # A frame of a longer SDU is a whole L2CAP PDU with its length; a fragment of a PDU has none.
    if not l2cap.get("fragment") or "length" in l2cap:
        told.put("l2cap.cid", code(l2cap, "cid"))
        told.put("l2cap.sdu_length", l2cap.get("sdu_length"))
        _signalling(l2cap.get("signalling", []), told)
    if att := line.get("att"):
        _att(att, told)
    if smp := line.get("smp"):
        _security(smp, told)
    if frame := line.get("rfcomm"):
        _rfcomm(frame, told)
    if "air" in line:
        _air(line, told)
    subevent = told.get("hci.subevent")
    if subevent in (LEGACY_REPORT, EXTENDED_REPORT) and line.get("advertisements"):
        _advertisements(line["advertisements"], told)
    if subevent in (SYNC_ESTABLISHED, PERIODIC_REPORT, SYNC_LOST):
        _periodic(subevent, hci.get("parameters", {}), told)
    return told


def _air(line: dict, told: Told) -> None:
    air, link = line["air"], line.get("ll", {})
    for key in ("channel", "rssi_dbm", "crc", "event"):
        told.put(f"air.{key}", air.get(key))
    told.put("air.access_address", code(air, "access_address"))
    for key in ("llid", "sn", "nesn"):
        told.put(f"air.{key}", link.get(key))
    told.put("air.pdu_type", PDU_TYPES.get(link.get("pdu")))
    told.put("air.opcode", code(link, "opcode"))
    told.put("air.length", link.get("parameters", {}).get("length") if told.get("air.pdu_type") is not None else None)
    if link.get("empty") or "data" in link and not link.get("parameters"):
        told.put("air.length", len(link.get("data", "")) // 2 + ("opcode" in link))
    if told.get("air.pdu_type") in ADVERTISES and "adva" in link["parameters"]:
        told["adv.address"] = [link["parameters"]["adva"]]
    if reports := line.get("advertisements"):
        _structures(reports, told)
        told.put("adv.data", [each["data"] for each in reports if each.get("data")])


def _att(att: dict, told: Told) -> None:
    opcode = code(att, "opcode")
    told.put("att.opcode", opcode)
    if opcode in CARRIES_HANDLE:
        told.put("att.handle", code(att, "handle"))
    if opcode == 0x01:
        told.put("att.error", code(att, "error"))
        told.put("att.request_opcode", code(att, "request_opcode"))
    if opcode in VALUE_AT or opcode == SIGNED_WRITE:
        told.put("att.value", att.get("value"))


def _security(smp: dict, told: Told) -> None:
    told.put("smp.opcode", code(smp, "opcode"))
    parameters = smp.get("parameters", {})
    for name in SECURITY:
        told.put(f"smp.{name}", code(parameters, name))
    for name in SECURITY_BYTES:
        told.put(f"smp.{name}", parameters.get(name))
    if "rand" in parameters:  # that of Central Identification: tshark has one field for both
        told.put("smp.random_value", parameters["rand"])
    told.put("smp.address", parameters.get("bd_addr"))


def _signalling(commands: list[dict], told: Told) -> None:
    told.put("signalling.code", [code(each, "code") for each in commands])
    found: dict[str, list] = {}
    for command in commands:
        # A parameter that occurs twice in the specification, or that belongs to an option, is nested deeper.
        for key, value in _flat(command.get("parameters", {})):
            if key in SIGNALLING_UNITS:
                name, unit = SIGNALLING_UNITS[key]
                found.setdefault(name, []).append(round(value / unit))
            elif (name := SIGNALLING_KEYS.get(key, key)) in SIGNALLING:
                found.setdefault(name, []).append(value)
            elif name in ("psm", "spsm") and code(command, "code") in ASKS_FOR_PSM:
                found.setdefault("psm", []).append(value)
        found.setdefault("identifier", []).append(code(command, "identifier"))
    for name, values in found.items():
        told.put(f"signalling.{name}", values)


def _flat(parameters) -> Iterator[tuple[str, int]]:
    if isinstance(parameters, list):
        for each in parameters:
            yield from _flat(each)
    elif isinstance(parameters, dict):
        for key, value in parameters.items():
            if isinstance(value, dict) and "code" in value:
                yield key, number(value["code"])
            elif isinstance(value, (dict, list)):
                yield from _flat(value)
                if isinstance(value, list):
                    yield from ((key, number(each)) for each in value if isinstance(each, str) and each[:2] == "0x")
            elif isinstance(value, (int, float)) or isinstance(value, str) and value[:2] == "0x":
                yield key, number(value) if isinstance(value, str) else value


def _periodic(subevent: int, parameters: dict, told: Told) -> None:
    told.put("periodic.sync", code(parameters, "sync_handle"))
    if subevent == SYNC_ESTABLISHED:
        told.put("periodic.sid", parameters.get("advertising_sid"))
        told.put("periodic.address", parameters.get("advertiser_address"))
        if (interval := parameters.get("periodic_advertising_interval_ms")) is not None:
            told.put("periodic.interval", round(interval / 1.25))
    if subevent == PERIODIC_REPORT:
        told.put("periodic.rssi_dbm", parameters.get("rssi_dbm"))
        told.put("periodic.data_status", code(parameters, "data_status"))
        told.put("periodic.data", parameters.get("data", ""))


def _advertisements(reports: list[dict], told: Told) -> None:
    told.put("adv.count", len(reports))
    told.put("adv.event_type", [code(each, "event_type") for each in reports])
    told.put("adv.address", [each.get("address") for each in reports])
    told.put("adv.rssi_dbm", [each.get("rssi_dbm") for each in reports])
    told.put("adv.data", [each.get("data", "") for each in reports])
    _structures(reports, told)


def _structures(reports: list[dict], told: Told) -> None:
    fields = [field for each in reports for field in each.get("fields", [])]
    typed = [(code(field, "type"), field) for field in fields]
    told.put("adv.types", [kind for kind, _ in typed])
    # tshark ends a name at its first zero.
    names = [field.get("text") for kind, field in typed if kind in NAMES]
    told.put("adv.names", [name.partition("\0")[0] if isinstance(name, str) else name for name in names])
    for bits, kinds in UUIDS.items():
        found = [
            uuid
            for kind, field in typed
            if kind in kinds or SERVICE_DATA.get(kind) == bits
            for uuid in listed(field.get("uuids") if kind in kinds else _inside(field, "uuid"))
        ]
        told.put(f"adv.uuids_{bits}", [_uuid(uuid, bits) for uuid in found])
    told.put("adv.companies", _codes(typed, MANUFACTURER, "company"))
    told.put("adv.tx_power_dbm", _codes(typed, TX_POWER, "tx_power_dbm"))
    told.put("adv.appearances", [code(field, "value") for kind, field in typed if kind == APPEARANCE])
    told.put("adv.flags", [code(field, "value") for kind, field in typed if kind == FLAGS])
    told.put("adv.service_data", [_inside(field, "data") for kind, field in typed if kind in SERVICE_DATA])


def _inside(field: dict, key: str):
    """Returns a part of a structure that has several."""
    value = field.get("value")
    return value.get(key) if isinstance(value, dict) else None


def _codes(typed: list[tuple], wanted: int, key: str) -> list[int]:
    found = [code(field.get("value"), key) for kind, field in typed if kind == wanted]
    return [each for each in found if each is not None]


def _uuid(uuid, bits: int):
    """Returns a short UUID as a number, a long one as hex; a named one is an object."""
    text = uuid.get("uuid", "") if isinstance(uuid, dict) else str(uuid)
    return text.replace("-", "") if bits == 128 else int(text, 16)


def _rfcomm(frame: dict, told: Told) -> None:
    told.put("rfcomm.frame", code(frame, "frame_type"))
    for key in ("dlci", "channel", "length", "credits", "fcs"):
        told.put(f"rfcomm.{key}", code(frame, key))
    told.put("rfcomm.value", frame.get("value"))
    for command in frame.get("multiplexer_commands", [])[:1]:
        parameters = command.get("parameters", {})
        told.put("rfcomm.command", code(command, "command_type"))
        told.put("rfcomm.command_channel", parameters.get("server_channel"))
        told.put("rfcomm.convergence_layer", code(parameters, "convergence_layer"))
        told.put("rfcomm.frame_size", parameters.get("maximum_frame_size"))
        told.put("rfcomm.initial_credits", parameters.get("initial_credits"))
