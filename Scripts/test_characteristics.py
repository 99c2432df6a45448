"""Tests the profiles of the standard characteristics: generated ones must be up to date, and all must follow the rules
for profiles. As in test_import.py, BLUETOOTH_SIG names a copy of the SIG's files; tests that need it are skipped
without it.
"""

import importlib.util
import re
import shutil
import tempfile
import unittest
from pathlib import Path

import test_import

FOLDER = Path(__file__).resolve().parent.parent / "Profiles" / "sig"


def load():
    file = Path(__file__).resolve().parent / "import-characteristics.py"
    spec = importlib.util.spec_from_file_location("characteristics", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Made(unittest.TestCase):
    def path(self) -> str:
        path = test_import.source()
        if path is None:
            self.skipTest("no copy of the SIG's files: set BLUETOOTH_SIG to a wheel of bluetooth-sig")
        if importlib.util.find_spec("yaml") is None:
            self.skipTest("no PyYAML, which reads the SIG's files")
        return str(path)

    def test_every_layout_is_in_a_file_and_the_files_are_what_the_importer_makes(self):
        self.assertEqual(test_import.run(load(), "--check", self.path()), (0, ""))

    def test_what_no_file_has_is_named(self):
        path, importer = self.path(), load()
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(FOLDER / "activity.yaml", folder)
            importer.FOLDER = Path(folder)
            status, printed = test_import.run(importer, path)
        self.assertEqual(status, 1)
        self.assertIn("2a37", printed.split(":")[1].split())


class Layouts(unittest.TestCase):
    """Tests how the importer reads the Supplement's sentences."""

    def setUp(self):
        self.importer = load()
        self.supplement = object.__new__(self.importer.Supplement)
        self.supplement.uuids = {}
        self.supplement.layouts = {}

    def field(self, uuid: str, name: str, type: str, *sentences: str) -> dict:
        row = {"field": name, "type": type, "size": "", "description": "\n".join(sentences)}
        self.supplement.layouts[uuid] = {"name": name, "structure": [row]}
        return self.supplement.fields(uuid)[0]

    def test_scale_unit_bounds_and_special_numbers(self):
        field = self.field(
            "2a6e",
            "Temperature",
            "sint16",
            "Base Unit: org.bluetooth.unit.thermodynamic_temperature.degree_celsius",
            "Represented values: M = 1, d = -2, b = 0",
            "Allowed range is: -273.15 to 327.67.",
            'A value of 0x8000 represents "value is not known".',
        )
        self.assertEqual(
            field,
            {
                "name": "temperature",
                "type": "i16",
                "scale": {"decimal": -2},
                "unit": "°C",
                "special": {"0x8000": "not_known"},
                "range": (-27315, 32767),
            },
        )

    def test_an_exponent_of_one_gives_way_to_a_resolution_of_one(self):
        field = self.field(
            "2fff",
            "Level",
            "uint8",
            "Base Unit: org.bluetooth.unit.unitless",
            "Represented values: M = 1, d = 1, b = 0",
            "Unit is 1",
        )
        self.assertEqual(field, {"name": "level", "type": "u8"})

    def test_the_exponent_of_high_voltage_lacks_its_sign(self):
        field = self.field(
            "2be0",
            "High Voltage",
            "uint24",
            "Represented values: M = 1, d = 0, b = 6",
            "Unit: org.bluetooth.unit.electric_potential_difference.volt",
        )
        self.assertEqual(field["scale"], {"binary": -6})

    def test_words_of_codes(self):
        field = self.field("2a8c", "Gender", "uint8", "0: Male", "1: Female", "3–255: Reserved for Future Use")
        self.assertEqual(field["values"], {"0": "male", "1": "female"})

    def test_a_type_that_is_not_known_is_refused(self):
        with self.assertRaises(SystemExit):
            self.field("2fff", "Odd", "uint8[2][3]")

    def test_an_example_counts_for_itself(self):
        example = self.importer.Example([{"name": "a", "type": "i16", "scale": {"multiply": 5, "decimal": -3}}])
        self.assertEqual((example.bytes.hex(), example.fields), ("3221", {"a": "42.49"}))

    def test_lines_are_cut_at_commas_and_brackets_stay_whole(self):
        lines = self.importer.wrapped("- ", "{a: [0, 1], " + "b: 'long', " * 11 + "c: {d: 1, e: 2}}")
        self.assertGreater(len(lines), 1)
        self.assertTrue(all(len(line) <= self.importer.WIDTH for line in lines), lines)
        self.assertIn("c: {d: 1, e: 2}}", lines[-1])


class Files(unittest.TestCase):
    """Tests that need no YAML reader."""

    def definitions(self):
        for file in sorted(FOLDER.glob("*.yaml")):
            text = file.read_text(encoding="utf-8")
            kinds = re.split(r"^(characteristics|descriptors):$", text, flags=re.M)
            for kind, part in zip(kinds[1::2], kinds[2::2]):
                for block in re.split(r"^  - (?=uuid:)", part, flags=re.M)[1:]:
                    yield file.name, kind, block

    def test_files_are_short_and_named_after_their_profile(self):
        for file in FOLDER.glob("*.yaml"):
            text = file.read_text(encoding="utf-8")
            self.assertLessEqual(text.count("\n"), 400, file.name)
            self.assertRegex(text, rf"(?m)^profile: {file.stem}$")
            self.assertRegex(text, "(?m)^source: ", file.name)

    def test_every_definition_has_examples(self):
        for file, _, block in self.definitions():
            self.assertIn("\n    examples:\n", block, f"{file}: {block[:60]}")

    def test_nothing_is_defined_twice(self):
        seen = {}
        for file, kind, block in self.definitions():
            conditions = tuple(re.findall(r"^    (?:service|match|size): .*$", block, re.M))
            key = kind, block[:12], conditions
            self.assertNotIn(key, seen, f"{file} and {seen.get(key)}: {key}")
            seen[key] = file


class ByHand(unittest.TestCase):
    """Compares the handwritten profiles with the Supplement's tables of bits and codes."""

    # Masks and octets that are one number there and several here; codes that belong to services.
    OTHERWISE = {"2a42", "2a43", "2aa7"}

    def setUp(self):
        path = test_import.source()
        if path is None or importlib.util.find_spec("yaml") is None:
            self.skipTest("no copy of the SIG's files (set BLUETOOTH_SIG), or no PyYAML")
        self.supplement = load().Supplement(path)

    def definitions(self):
        import yaml  # only reached if it is installed

        for file in sorted(FOLDER.glob("*.yaml")):
            profile = yaml.load(file.read_text(encoding="utf-8"), yaml.BaseLoader)
            for definition in profile.get("characteristics", []):
                if definition["uuid"] in self.supplement.layouts and definition["uuid"] not in self.OTHERWISE:
                    yield definition, profile

    def mappings(self, node, profile: dict):
        """Yields all mappings of a definition, including those of its structures."""
        if isinstance(node, list):
            for part in node:
                yield from self.mappings(part, profile)
        elif isinstance(node, dict):
            yield node
            yield from self.mappings(profile.get("structures", {}).get(node.get("layout")), profile)
            for part in node.values():
                yield from self.mappings(part, profile)

    def tables(self, node, header: str):
        """Returns the numbers that tables of the Supplement give a meaning, by the table's name."""
        for table in node if isinstance(node, list) else []:
            rows = [row for row in table.get("values", []) if isinstance(row, dict)]
            key = next((key for key in ("value", "op_code_value", "response_code_value") if rows and key in rows[0]), None)
            key = "bit" if rows and "bit" in rows[0] else key
            if key and (key == "bit" or table.get("value_header") == "Bit") == (header == "bit"):
                found = set()
                for row in rows:
                    meaning = row.get("definition") or row.get("description") or ""
                    ends = [end for end in re.split("[–-]", row[key]) if re.fullmatch(r"0x[0-9A-Fa-f]+|\d+", end)]
                    if ends and not re.match("Reserved [Ff]or|RFU|Prohibited", meaning) and (header == "bit" or len(ends) == 1):
                        found |= set(range(int(ends[0], 0), int(ends[-1], 0) + 1))
                if len(found) > 1:
                    yield table["name"], found
            yield from self.tables(table.get("subfields"), header)

    def test_all_bits_are_there_and_no_others(self):
        for definition, profile in self.definitions():
            ours = []
            for node in self.mappings(definition["fields"], profile):
                if isinstance(node.get("bits"), list) and isinstance(node["bits"][0], dict):
                    ends = [[bit["bit"]] * 2 if "bit" in bit else bit["bits"] for bit in node["bits"]]
                    ours.append({number for first, last in ends for number in range(int(first), int(last) + 1)})
            for name, bits in self.tables(self.supplement.layouts[definition["uuid"]].get("fields"), "bit"):
                self.assertIn(bits, ours, f"{definition['uuid']} {name}")

    def test_all_codes_are_there_and_no_others(self):
        for definition, profile in self.definitions():
            ours = []
            for node in self.mappings(definition["fields"], profile):
                for words in (node.get("values"), node.get("special")):
                    words = profile.get("enumerations", {}).get(words) if isinstance(words, str) else words
                    if isinstance(words, dict):
                        ours.append({int(key, 0) for key in words if "-" not in key[1:]})
            for name, codes in self.tables(self.supplement.layouts[definition["uuid"]].get("fields"), "code"):
                self.assertIn(codes, ours, f"{definition['uuid']} {name}")


if __name__ == "__main__":
    unittest.main()
