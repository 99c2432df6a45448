#!/usr/bin/env python3
"""Writes the generated files of Profiles/sig, which are marked in their first line: layouts of the Bluetooth SIG's
characteristics.

usage: import-characteristics.py [--check] PATH

PATH is the wheel of the Python package bluetooth-sig (`pip download --no-deps bluetooth-sig`), which has a copy of the
SIG's GATT Specification Supplement as YAML, or a folder with its contents. Only facts are imported: UUID, name, order,
type, exponents, bounds, special numbers, unit; no prose. What other files of Profiles/sig define stays there: layouts
with flags, choices or meanings that the Supplement describes in sentences are written by hand. With --check nothing is
written; exit status 1: a file differs from what PATH produces, or a layout is in no file.
"""

import re
import sys
from datetime import date, timedelta
from decimal import Decimal
from importlib import util
from pathlib import Path

import made_files

SCRIPTS = Path(__file__).resolve().parent
FOLDER = SCRIPTS.parent / "Profiles" / "sig"
MARK = "# Made by Scripts/import-characteristics.py; do not edit."
WIDTH = 118

# File, title, and the layouts that belong there unless another file has them.
FILES = (
    ("environment", "Weather and surroundings", "2a2c 2a6c-2a7b 2aa0-2aa1 2aa3 2be4 2c1b"),
    ("gases", "Concentrations in air", "2b8c 2bcf-2bd9 2be7"),
    ("user_data", "User Data Service", "2a7e-2a9a 2aa2 2b46-2b50"),
    ("quantities", "Counts, durations, texts", "2ae2 2ae8 2aea-2aed 2af4-2afa 2b04 2b0b 2b12-2b17 2b8d 2bba 2bde 2be6 2c05"),
    ("electricity", "Voltage, current, power, energy", "2ae0-2ae1 2aee-2af3 2b05-2b09 2b18-2b1a 2b89-2b8a 2ba8 2be0 2be8"),
    ("light", "Light and colour", "2ae3-2ae7 2ae9 2afb-2b01 2b03 2b0a 2b1c 2be1-2be3 2be5 2c1c"),
    ("heat", "Temperatures and flows", "2b02 2b0c-2b11 2b1b 2bdf 2c2e 2c30"),
    ("motion", "Movement, contacts, buttons", "2c06-2c0b 2c1d-2c22"),
)

# Common spellings of the units; an exponent belongs to the symbol if there is a common one for it.
UNITS = {
    "acceleration.metres_per_seconds_squared": "m/s²",
    "concentration.count_per_cubic_metre": "/m³",
    "concentration.parts_per_billion": "ppb",
    "density.kilogram_per_cubic_meter": "kg/m³",
    "electric_current.ampere": "A",
    "electric_potential_difference.volt": "V",
    "electrical_apparent_energy.kilovolt_ampere_hour": "kVAh",
    "electrical_apparent_power.volt_ampere": "VA",
    "energy.joule": "J",
    "energy.kilogram_calorie": "kcal",
    "energy.kilowatt_hour": "kWh",
    "flow.cubic_metre_per_second": "m³/s",
    "force.newton": "N",
    "hertz": "Hz",
    "illuminance.lumen": "lm",
    "illuminance.lux": "lx",
    "irradiance.watt_per_square_metre": "W/m²",
    "length.meter": "m",
    "length.metre": "m",
    "luminous_efficacy.lumen_per_watt": "lm/W",
    "luminous_energy.lumen_per_hour": "lm·h",
    "luminous_exposure.lux_hour": "lx·h",
    "luminous_flux.lumen": "lm",
    "luminous_intensity.candela": "cd",
    "magnetic_flux_density.tesla": "T",
    "mass.kilogram": "kg",
    "mass_flow.gram_per_second": "g/s",
    "metabolic_equivalent": "MET",
    "moment_of_force.newton_metre": "N·m",
    "percentage": "%",
    "period.beats_per_minute": "bpm",
    "plane_angle.degree": "°",
    "power.watt": "W",
    "ppb": "ppb",
    "ppm": "ppm",
    "pressure.pascal": "Pa",
    "rotational_speed.revolutions_per_minute": "rpm",
    "sound_pressure.decibel_spl": "dB",
    "standard_acceleration_due_to_gravity": "g",
    "thermodynamic_temperature.degree_celsius": "°C",
    "thermodynamic_temperature.kelvin": "K",
    "time.day": "d",
    "time.hour": "h",
    "time.second": "s",
    "time.year": "years",
    "transfer_rate.milliliter_per_kilogram_per_minute": "mL/kg/min",
    "unitless": None,
    "velocity.metres_per_second": "m/s",
    "volume_flow.litre_per_second": "L/s",
}
SYMBOLS = {
    ("T", -7): ("µT", -1),
    ("J", 3): ("kJ", 0),
    ("lm·h", 3): ("klm·h", 0),
    ("lx·h", 3): ("klx·h", 0),
    ("kg/m³", 0): ("µg/m³", 9),
    ("m", -2): ("cm", 0),
    ("m", -3): ("mm", 0),
}
# Elevation stays in metres, as do other lengths of many metres.
METRES = {"2a6c"}

# Corrections if the Supplement contradicts itself, or describes parts of the layout in prose. The keys replace those of
# every field.
CORRECTIONS = {
    # Its resolution is 1/64 V: the exponent −6 is printed without its sign.
    "2be0": {"scale": {"binary": -6}, "range": None},
    # Their bounds are raw numbers, not in the unit.
    "2b1b": {"range": None},
    "2b8d": {"range": (-100, 100)},
    "2c30": {"range": None},
    "2b13": {
        "exponential": {"base": "1.1", "minus": "64"},
        "special": {"0": "zero", "0xfe": "device_lifetime", "0xff": "not_known"},
    },
    "2aec": {"special": {"0xffff": "not_known"}, "range": (0, 4095)},
    "2a85": {"unit": None},
    "2a86": {"unit": None},
    "2aed": {"epoch": "1970-01-01"},
    "2b46": {"values": "uuid", "repeat": "rest", "min": "1"},
    "2b4f": {"special": {"0": "off"}},
    "2a9a": {"special": {"255": "unknown_user"}},
    "2be8": {"special": {"0": "dc", "0xfffe": "not_valid", "0xffff": "not_known"}},
    "2afa": {"special": {"0": "not_known"}},
}
# Names of fields for which the characteristic's name is not suitable.
NAMES = {
    "2a93": "sport_type",
    "2a95": "fat_burn_fitness",
    "2ae7": "color_rendering_index",
    "2b12": "time",
    "2b13": "time",
    "2b14": "time",
    "2b15": "time",
    "2b16": "time",
    "2b17": "time",
    "2b4f": "sedentary_interval",
    "2bd3": "nmvoc_concentration",
    "2bd5": "pm1_concentration",
    "2bd6": "pm2_5_concentration",
    "2bd7": "pm10_concentration",
    "2be6": "time",
    "2c21": "button",
    "2c22": "contact",
}
WORDS = {
    "value is not known": "not_known",
    "value is not valid": "not_valid",
    "out of range": "out_of_range",
    "year is not known": "not_known",
    "month is not known": "not_known",
    "day of month is not known": "not_known",
    "no change in acceleration detected": "no_change",
    "change in acceleration detected": "change",
    "button not actuated or not in use": "not_pressed",
    "button pressed": "pressed",
    "button released": "released",
    "button held": "held",
    "contact is open or not in use": "open",
    "contact is closed": "closed",
    "other than listed above": "other",
    "type not specified": "not_specified",
}


def importer():
    """Returns the other importer, which opens wheels and folders."""
    spec = util.spec_from_file_location("import_assigned_numbers", SCRIPTS / "import-assigned-numbers.py")
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def snake(text: str) -> str:
    text = re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", "_", re.sub(r"\\textsubscript\{(.*?)\}", r"\1", text))
    return re.sub(r"[^a-z0-9]+", "_", re.sub(r"\(.*?\)", "", text).lower()).strip("_")


def word(text: str) -> str:
    text = " ".join(text.split()).strip(" .")
    known = WORDS.get(text.lower())
    if known:
        return known
    if found := re.fullmatch(r"value is (\d+) or greater", text):
        return f"{found[1]}_or_more"
    return snake(text)


class Supplement:
    """The layouts of the GATT Specification Supplement, by UUID."""

    def __init__(self, path: Path):
        import yaml  # only needed for an import

        source = importer().Source(path)
        self.uuids = {}
        for row in source.load("uuids/characteristic_uuids", "uuids"):
            self.uuids[row["id"]] = f"{int(row['uuid'], 0):04x}"
        self.layouts = {}
        for name in source.files:
            if "/gss/" in name and name.endswith(".yaml"):
                layout = yaml.load(source.read(name), yaml.BaseLoader)["characteristic"]
                if uuid := self.uuids.get(layout["identifier"]):
                    self.layouts[uuid] = layout
        if not self.layouts:
            sys.exit("no layouts were found")

    def referred(self, text: str) -> str | None:
        """Returns the characteristic whose layout a field has."""
        found = re.search(r"Refer to .*?autoref\{sec:(org\.bluetooth\.characteristic\.[a-z0-9_]+)\}", text, re.S)
        return self.uuids.get(found[1]) if found else None

    # Fields

    def fields(self, uuid: str) -> list:
        layout = self.layouts[uuid]
        rows = layout["structure"]
        if all(re.fullmatch("uint[1-7]", row["type"]) for row in rows):
            return [self.packed(uuid, rows)]
        return [self.field(uuid, row, len(rows) == 1) for row in rows]

    def packed(self, uuid: str, rows: list) -> dict:
        """Returns fields of less than a byte, starting at the least significant bit."""
        bits, at = [], 0
        for number, row in enumerate(rows):
            count = int(row["type"][4:])
            entry = {"bit": str(at)} if count == 1 else {"bits": [at, at + count - 1]}
            values = self.codes(uuid, row)
            bits.append(entry | {"name": f"{NAMES[uuid]}_{number}", "values": values})
            at += count
        return {"name": "status", "type": f"u{at}", "bits": bits}

    def field(self, uuid: str, row: dict, is_only: bool) -> dict:
        text = row["description"]
        if other := self.referred(text):
            inner = self.fields(other)
            if len(inner) != 1:
                sys.exit(f"{uuid}: {row['field']} has a layout of several fields")
            return inner[0] | {"name": self.name(uuid, row, is_only)}
        field = {"name": self.name(uuid, row, is_only)} | self.type(uuid, row)
        if "utf8" in field["type"]:
            return field
        codes = self.codes(uuid, row)
        if codes:
            field["values"] = codes
        else:
            field |= self.quantity(uuid, row, field["type"])
        field |= CORRECTIONS.get(uuid, {})
        return {key: value for key, value in field.items() if value is not None}

    def name(self, uuid: str, row: dict, is_only: bool) -> str:
        if is_only:
            name = NAMES.get(uuid) or snake(self.layouts[uuid]["name"])
            return re.sub(r"_(8|16|24|32|36|64)$", "", name)
        name = snake(row["field"].split(" - ")[-1])
        return re.sub(r"(?<!relative)_(value|limit)$", "", name)

    def type(self, uuid: str, row: dict) -> dict:
        type = row["type"].replace("\\", "").strip()
        if found := re.fullmatch(r"([us])int(8|16|24|32|48|64)(?: ?\[\d+[-–]\d+\])?", type):
            return {"type": ("u" if found[1] == "u" else "i") + found[2]}
        if re.fullmatch(r"utf8s(\{\d+\})?", type):
            return {"type": "utf8"}
        if type in ("medfloat16", "medfloat32", "float32"):
            return {"type": "f32" if type == "float32" else type}
        sys.exit(f"{uuid}: {row['field']} is of an unknown type {type}")

    # What numbers mean

    def codes(self, uuid: str, row: dict) -> dict:
        """Returns numbers and their meanings, from the field's table or from its description."""
        found = {}
        for table in self.layouts[uuid].get("fields", []):
            if table["name"] in (row["field"], "Button Status", "Contact Status"):
                for entry in table.get("values", []):
                    value = entry.get("value", "")
                    if re.fullmatch(r"0x[0-9A-Fa-f]+|\d+", value):
                        found[value.lower()] = word(entry["description"])
        for line in row["description"].splitlines():
            if match := re.fullmatch(r"\s*(\d+|0x[0-9A-Fa-f]+): (.+?)\s*", line):
                found[match[1].lower()] = word(match[2])
        found = {key: value for key, value in found.items() if "reserved" not in value and value != "prohibited"}
        return found if len(found) > 1 and not CORRECTIONS.get(uuid, {}).keys() & {"special", "values"} else {}

    def quantity(self, uuid: str, row: dict, type: str) -> dict:
        text = " ".join(row["description"].split())
        result = {}
        multiply, decimal, binary = 1, 0, 0
        if found := re.search(r"M = (-?\d+), d ?= ?(- ?\d+|\d+), b ?= ?(- ?\d+|\d+)", text):
            multiply, decimal, binary = (int(part.replace(" ", "")) for part in found.groups())
            # "d = 1" may contradict a resolution of 1: then the sentence is right.
            if decimal == 1 and re.search(r"Unit is 1\b|resolution of 1 ", text):
                decimal = 0
        unit = None
        if found := re.search(r"org\.bluetooth\.unit\.\s*([a-z_.]+?)\.?(?:\s|$)", text):
            unit = UNITS[found[1]]
        factor = Decimal(multiply) * Decimal(10) ** decimal * Decimal(2) ** binary
        if uuid not in METRES:
            unit, decimal = SYMBOLS.get((unit, decimal), (unit, decimal))
        scale = {"multiply": (multiply, 1), "decimal": (decimal, 0), "binary": (binary, 0)}
        scale = {key: value for key, (value, default) in scale.items() if value != default}
        if scale:
            result["scale"] = scale
        if unit:
            result["unit"] = unit
        special = self.special(text)
        if special:
            result["special"] = special
        if not type.startswith(("medfloat", "f")):
            result["range"] = self.range(text, type, factor, special)
        return result

    def special(self, text: str) -> dict:
        found = {}
        for number, meaning in re.findall(r"value of (0x[0-9A-Fa-f]+|\d+):? represents:? [\"'”‘“](.*?)[\"'”’“]", text):
            found[number.lower()] = word(meaning)
        for number, meaning in re.findall(r"special value is defined: (\d+) = (.*?)$", text):
            found[number] = word(meaning)
        return found

    def range(self, text: str, type: str, factor: Decimal, special: dict) -> tuple | None:
        """Returns the allowed raw numbers, if any number without a special meaning is not allowed."""
        number = r"(?: value)?:? (?:is:? ?)?(-?\d+(?:\.\d+)?)"
        least = re.search("(?:Minimum|Allowed range(?: is)?)" + number, text)
        most = re.search("Maximum" + number, text) or re.search(r"Allowed range(?: is)?:? [-\d.]+ to (-?\d+(?:\.\d+)?)", text)
        if not least or not most:
            return None
        low, high = (int((Decimal(match[1]) / factor).to_integral_value()) for match in (least, most))
        width = int(type[1:])
        bottom, top = (-(1 << width - 1), (1 << width - 1) - 1) if type[0] == "i" else (0, (1 << width) - 1)
        words = {self.fitted(int(key, 0), type) for key in special}
        while bottom in words:
            bottom += 1
        while top in words:
            top -= 1
        # A bound beyond the type, or one step of rounding before its end, excludes nothing.
        low, high = max(low, bottom), min(high, top)
        return (low, high) if low > bottom or high < top - 1 else None

    @staticmethod
    def fitted(number: int, type: str) -> int:
        width = int(type[1:])
        return number - (1 << width) if type[0] == "i" and number >= 1 << width - 1 else number


# Examples: numbers that differ from field to field, and their meanings, which are computed independently of the
# program.


class Example:
    def __init__(self, fields: list):
        self.bytes, self.fields = b"", {}
        for place, field in enumerate(fields):
            if "bits" in field:
                self.packed(field)
            else:
                self.value(field, place)

    def packed(self, field: dict) -> None:
        raw = 0
        for place, entry in enumerate(field["bits"]):
            first = int(entry["bit"]) if "bit" in entry else entry["bits"][0]
            words = list(entry["values"].items())
            number, meaning = words[(place + 1) % len(words)]
            raw |= int(number, 0) << first
            self.fields[entry["name"]] = meaning
        self.bytes += raw.to_bytes(int(field["type"][1:]) // 8, "little")

    def value(self, field: dict, place: int) -> None:
        type, name = field["type"], field["name"]
        if type == "utf8":
            self.bytes += "Zoë".encode()
            self.fields[name] = "Zoë"
        elif type == "medfloat16":
            mantissa = 123 + place
            self.bytes += ((-7 & 0xF) << 12 | mantissa).to_bytes(2, "little")
            scale = field.get("scale", {}).get("decimal", 0)
            self.fields[name] = format(Decimal(mantissa).scaleb(scale - 7), "f")
        elif type == "f32":
            self.bytes += bytes.fromhex("0000203f")
            self.fields[name] = "0.625"
        else:
            raw = self.raw(field, place)
            self.bytes += raw.to_bytes(int(type[1:]) // 8, "little", signed=type[0] == "i")
            meaning = self.meaning(field, raw)
            self.fields[name] = [meaning] if "repeat" in field else meaning

    @staticmethod
    def raw(field: dict, place: int) -> int:
        if isinstance(field.get("values"), dict):
            numbers = [int(key, 0) for key in field["values"]]
            return numbers[(place + 1) % len(numbers)]
        if field.get("values") == "uuid":
            return 0x272F
        if "epoch" in field:
            return 19_691 + place
        if "exponential" in field:
            return 64
        width = int(field["type"][1:])
        raw = int.from_bytes(bytes(0x21 + 0x13 * place + 0x11 * at for at in range(width // 8)), "big")
        low, high = field.get("range") or (0, raw)
        return raw if low <= raw <= high else low + (high - low) // (3 + place)

    @staticmethod
    def meaning(field: dict, raw: int) -> str:
        if isinstance(field.get("values"), dict):
            return next(text for key, text in field["values"].items() if int(key, 0) == raw)
        if field.get("values") == "uuid":
            return f"0x{raw:04x}"
        if "epoch" in field:
            return (date(1970, 1, 1) + timedelta(days=raw)).isoformat()
        if "exponential" in field:
            return "1"
        scale = {key: Decimal(value) for key, value in field.get("scale", {}).items()}
        number = Decimal(raw) * scale.get("multiply", 1) * Decimal(10) ** scale.get("decimal", 0)
        number *= Decimal(2) ** scale.get("binary", 0)
        return format(number.normalize(), "f")


# Writing YAML


def scalar(value) -> str:
    text = str(value)
    plain = re.fullmatch(r"[^\W\d][^:#,\[\]{}\"]*|[°/][^\s,]*|-?\d+(\.\d+)?|0x[0-9a-f]+", text)
    return text if plain and text not in ("on", "off", "yes", "no", "true", "false") else f'"{text}"'


def flow(value) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {quoted(key, part)}" for key, part in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(flow(part) for part in value) + "]"
    return scalar(value)


def quoted(key: str, value) -> str:
    """Returns a YAML value; bytes and dates are always quoted."""
    return f'"{value}"' if key in ("hex", "epoch") else flow(value)


def pieces(text: str, depth: int) -> list:
    """Returns the text, cut after commas at no more than this depth of brackets."""
    found, start, open = [], 0, 0
    for place, letter in enumerate(text):
        open += (letter in "{[") - (letter in "}]")
        if letter == " " and text[place - 1] == "," and open <= depth:
            found.append(text[start : place + 1])
            start = place + 1
    return [*found, text[start:]]


def wrapped(lead: str, text: str) -> list:
    """Returns the text after its lead, wrapped at the outermost commas that are sufficient."""
    indent = " " * (len(lead) + 1)
    parts = pieces(text, 1)
    if any(len(indent + part) > WIDTH for part in parts):
        parts = [inner for part in parts for inner in (pieces(part, 1) if len(indent + part) > WIDTH else [part])]
    lines, line = [], lead
    for part in parts:
        if line not in (lead, indent) and len((line + part).rstrip()) > WIDTH:
            lines.append(line.rstrip())
            line = indent
        line += part
    return [*lines, line.rstrip()]


def definition(uuid: str, name: str, fields: list) -> list:
    lines = [f'  - uuid: "{uuid}"', f"    name: {scalar(name)}", "    fields:"]
    for field in fields:
        bits = field.get("bits")
        if not bits:
            lines += wrapped("      - ", flow(field))
            continue
        lines += [f"      - name: {field['name']}", f"        type: {field['type']}", "        bits:"]
        for entry in bits:
            lines += wrapped("          - ", flow(entry))
    example = Example(fields)
    lines.append("    examples:")
    lines += wrapped("      - ", flow({"hex": example.bytes.hex(" "), "fields": example.fields}))
    return lines


def spread(places: str) -> list:
    found = []
    for part in places.split():
        first, _, last = part.partition("-")
        found += [f"{number:04x}" for number in range(int(first, 16), int(last or first, 16) + 1)]
    return found


def by_hand() -> set:
    """Returns the definitions in files that are not generated."""
    found = set()
    for file in FOLDER.glob("*.yaml"):
        text = file.read_text(encoding="utf-8")
        if not text.startswith(MARK):
            found |= set(re.findall(r'^  - uuid: "([0-9a-f]{4})"', text, re.M))
    return found


def files(supplement: Supplement) -> tuple[dict, list]:
    """Returns the files, and the layouts that are in no file."""
    done = by_hand()
    texts = {}
    for name, title, places in FILES:
        lines = [MARK, f"profile: {name}", f"title: {title}", "source: GATT Specification Supplement", "characteristics:"]
        for uuid in spread(places):
            if uuid in supplement.layouts and uuid not in done:
                done.add(uuid)
                people_say = re.sub(r"\\textsubscript\{(.*?)\}", r"\1", supplement.layouts[uuid]["name"])
                lines += definition(uuid, people_say, supplement.fields(uuid))
        texts[f"{name}.yaml"] = "\n".join([*lines, ""])
    return texts, sorted(set(supplement.layouts) - done)


def main() -> int:
    path, checks = made_files.arguments(__doc__)
    texts, missing = files(Supplement(Path(path)))
    if missing:
        print(f"in no file: {' '.join(missing)}")
    return 0 if made_files.keep(texts, FOLDER, path, checks) and not missing else 1


if __name__ == "__main__":
    sys.exit(main())
