"""Tests the scale: how it reads callgrind's profiles, what it compares, which rows it records, and its captures."""

import contextlib
import hashlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import build_cost
import cost
from cost import ALLOCATIONS, DIGEST, INSTRUCTIONS, PEAK, Change, Comparison, Measured, Row
from traffic import attacks, costs

SHOW, JSON = ("show, mixed", INSTRUCTIONS), ("show --json, mixed", INSTRUCTIONS)
MEMORY = ("show, mixed", PEAK)
CAPTURE = ("capture mixed", DIGEST)
TABLE = {CAPTURE: Row("aa"), SHOW: Row("1000", "with names"), MEMORY: Row("20000"), JSON: Row("3000")}

# A function that calls another one twice, and itself; the second file position belongs to the same function.
PROFILE = """# callgrind format
positions: line
events: Ir
summary: 190

ob=(1) /program
fl=(1) ???
fn=(1) main
0 10
cob=(1)
cfi=(1)
cfn=(2) $s5Bytes3sumyyF
calls=2 0
0 150
fi=(2) inlined.h
+5 20

fn=(2)
0 100
cfn=(3) $s5Bytes3sumyyF'2
calls=1 0
* 40

fn=(3)
0 40

fn=(4) exit
0 20

totals: 190
"""


def changed(**values: int) -> dict:
    names = {"show": SHOW, "json": JSON, "memory": MEMORY}
    return TABLE | {names[name]: Row(str(value)) for name, value in values.items()}


def compared(measured: dict, **options) -> Comparison:
    return Comparison(TABLE, measured, is_whole=True, **options)


class ComparisonTest(unittest.TestCase):
    def test_two_percent_are_accepted(self) -> None:
        for measured in (TABLE, changed(show=1020, json=2940)):
            result = compared(measured)
            self.assertTrue(result.is_good)
            self.assertEqual((result.grown, result.shrunk, result.wrong), ([], [], []))

    def test_more_is_not(self) -> None:
        result = compared(changed(show=1021, json=3000))
        self.assertFalse(result.is_good)
        self.assertEqual(result.grown, [Change(SHOW, 1000, 1021)])
        self.assertEqual(cost.sentence(result.grown[0]), "show, mixed: 1,021 instructions, recorded 1,000 (+2.1%)")

    def test_what_fell_is_only_reported(self) -> None:
        result = compared(changed(json=2000))
        self.assertTrue(result.is_good)
        self.assertEqual(result.shrunk, [Change(JSON, 3000, 2000)])

    def test_memory_may_be_noisy(self) -> None:
        for measured, noise, grown in ((20401, 0, 1), (20401, 1024, 0), (21424, 1024, 0), (21425, 1024, 1)):
            self.assertEqual(len(compared(changed(memory=measured), noise_kb=noise).grown), grown, (measured, noise))
        # The noise is that of memory only.
        self.assertEqual(len(compared(changed(show=1021), noise_kb=1024).grown), 1)

    def test_rows_must_be_the_same(self) -> None:
        new = ("map, mixed", ALLOCATIONS)
        self.assertEqual(compared(TABLE | {new: Row("5")}).wrong, ["map, mixed: allocations are not in the table"])
        without = {key: row for key, row in TABLE.items() if key != JSON}
        self.assertEqual(compared(without).wrong, ["show --json, mixed: instructions are in the table but not measured"])
        self.assertTrue(Comparison(TABLE, without, is_whole=False).is_good)

    def test_another_capture_is_an_error(self) -> None:
        result = compared(TABLE | {CAPTURE: Row("bb")})
        self.assertEqual(result.wrong, ["capture mixed is not the one that was measured: its bytes differ"])
        self.assertFalse(result.is_good)


class RecordingTest(unittest.TestCase):
    def record(self, measured: dict, is_whole=True, everything=False) -> dict:
        return cost.recorded(TABLE, measured, is_whole, everything)

    def test_small_changes_stay_so_that_they_add_up(self) -> None:
        self.assertEqual(self.record(changed(show=1015, json=2950)), TABLE)

    def test_noise_is_not_recorded(self) -> None:
        self.assertEqual(self.record(changed(memory=20900)), TABLE)

    def test_large_changes_are_written_with_the_old_note(self) -> None:
        new = self.record(changed(show=1100, json=2000))
        self.assertEqual((new[SHOW], new[JSON], new[MEMORY]), (Row("1100", "with names"), Row("2000"), TABLE[MEMORY]))

    def test_everything(self) -> None:
        self.assertEqual(self.record(changed(show=1001), everything=True)[SHOW], Row("1001", "with names"))

    def test_the_captures_are_those_that_were_measured(self) -> None:
        self.assertEqual(self.record(TABLE | {CAPTURE: Row("bb")})[CAPTURE], Row("bb"))

    def test_what_is_no_longer_measured_goes(self) -> None:
        measured = {SHOW: Row("1000")}
        self.assertEqual(list(self.record(measured)), [SHOW])
        self.assertEqual(list(self.record(measured, is_whole=False)), list(TABLE))

    def test_files(self) -> None:
        functions = {"show, mixed": {"a(b:)": 20, "c": 10}, "map, mixed": {"c": 1}}
        with tempfile.TemporaryDirectory() as name:
            table, profiles = Path(name) / "cost.tsv", Path(name) / "functions.tsv"
            self.assertEqual((cost.read_table(table), cost.read_functions(profiles)), ({}, {}))
            cost.write_table(table, TABLE)
            cost.write_functions(profiles, functions)
            self.assertEqual(cost.read_table(table), TABLE)
            self.assertEqual(cost.read_functions(profiles), functions)
            self.assertNotRegex(table.read_text(), r"[ \t]\n")


class ProfileTest(unittest.TestCase):
    def test_costs_of_functions_themselves(self) -> None:
        profile = cost.read_profile(PROFILE.splitlines(keepends=True))
        self.assertEqual(profile, {"main": 30, "$s5Bytes3sumyyF": 140, "exit": 20})
        self.assertEqual(sum(profile.values()), 190)

    def test_names_are_merged_and_cut(self) -> None:
        long = "f" * 200
        with unittest.mock.patch.object(cost.shutil, "which", lambda _: None):
            found = cost.readable({"small": 1, "a\tb": 4000, long: 3000, long + "g": 3000})
        self.assertEqual(found, {"a b": 4000, "f" * cost.NAME: 6000})

    def test_names_of_another_number_are_not_used(self) -> None:
        answer = subprocess.CompletedProcess([], 0, "one name\n", "")
        with unittest.mock.patch.object(cost.shutil, "which", lambda _: "swift"), \
                unittest.mock.patch.object(cost.subprocess, "run", lambda *_, **__: answer):
            self.assertEqual(cost.readable({"$s1": 10, "$s2": 20}), {"$s1": 10, "$s2": 20})

    def test_largest(self) -> None:
        profile = {f"f{number:02}": number // 2 for number in range(40)}
        found = cost.largest(profile)
        self.assertEqual(list(found)[:4], ["f38", "f39", "f36", "f37"])
        self.assertEqual(len(found), cost.LISTED)

    def test_growth(self) -> None:
        before = {f"f{number}": 1000 - number for number in range(cost.LISTED)}
        self.assertEqual(
            cost.growth(before, before | {"f3": 2000, "new": 1500, "f1": 900, "small": 990}),
            ["f3: 2,000, was 997", "new: 1,500, was at most 991"])
        self.assertEqual(cost.growth({"a": 5}, {"a": 5, "b": 3}), ["b: 3, was at most 0"])
        self.assertEqual(cost.growth(before, before | {"a": 1}), [
            f"none of the {cost.LISTED} most expensive functions grew: the rise is in many small ones"])
        self.assertEqual(cost.growth({}, before), [])


class WholeTest(unittest.TestCase):
    """Runs the script with a stand-in for the measuring."""

    def run_with(self, table: dict, measured: dict, arguments=(), here="Debian 12", there="Debian 12") -> tuple[int, str, dict]:
        cells = {name: Measured({key: row for key, row in measured.items() if key[0] == name}, {"f": 1200}) for name, _ in (SHOW, JSON)}

        class StandIn:
            noise_kb = 0

            def __init__(self, *_) -> None:
                pass

            def program(self) -> dict:
                return {CAPTURE: measured[CAPTURE]}

        with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
            paths = Path(name) / "cost.tsv", Path(name) / "functions.tsv"
            cost.write_table(paths[0], {("machine", ""): Row(there), **table})
            cost.write_functions(paths[1], {"show, mixed": {"f": 1000}})
            for attribute, value in {
                "TABLE": paths[0], "FUNCTIONS": paths[1], "ROOT": Path(name), "Scale": StandIn, "machine": lambda _: here,
                "cells": lambda: [cost.Cell(each, ()) for each in cells], "measure": lambda *_: cells,
            }.items():
                stack.enter_context(unittest.mock.patch.object(cost, attribute, value))
            stack.enter_context(unittest.mock.patch.object(cost.shutil, "which", lambda tool: tool == "valgrind" or None))
            stack.enter_context(unittest.mock.patch.object(sys, "argv", ["cost.py", "program", *arguments]))
            printed = stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
            status = cost.main()
            return status, printed.getvalue(), cost.read_table(paths[0])

    def test_nothing_changed(self) -> None:
        status, printed, _ = self.run_with(TABLE, TABLE)
        self.assertEqual((status, printed), (0, "2 cells: 0 rows rose by more than 2%, 0 fell\n"))

    def test_a_rise_names_cell_values_and_function(self) -> None:
        status, printed, table = self.run_with(TABLE, changed(show=1200, json=2000))
        self.assertEqual(status, 1)
        self.assertIn("ROSE  show, mixed: 1,200 instructions, recorded 1,000 (+20.0%)\n        f: 1,200, was 1,000\n", printed)
        self.assertIn("fell  show --json, mixed: 2,000 instructions, recorded 3,000 (-33.3%): record it\n", printed)
        self.assertIn("make cost-record", printed)
        self.assertEqual(table[SHOW], TABLE[SHOW])

    def test_rows_of_the_build_need_the_option(self) -> None:
        key = ("build of Bytes", cost.BUILD)
        status, _, table = self.run_with(TABLE | {key: Row("200")}, changed(show=1200), ["--record"])
        self.assertEqual((status, table[key]), (0, Row("200")))
        self.assertEqual(self.run_with(TABLE | {key: Row("200")}, TABLE)[0], 0)
        with unittest.mock.patch.object(cost, "build_rows", lambda flags, _: {key: Row("300")}):
            status, printed, _ = self.run_with(TABLE | {key: Row("200")}, TABLE, ["--build", "-c release"])
        self.assertEqual(status, 1)
        self.assertIn("ROSE  build of Bytes: 300", printed)

    def test_another_system_only_reports(self) -> None:
        status, printed, _ = self.run_with(TABLE, changed(show=1200), here="Debian 13")
        self.assertEqual(status, 0)
        self.assertIn("ROSE", printed)
        self.assertIn("recorded on another system (Debian 12; this one: Debian 13)", printed)

    def test_record(self) -> None:
        status, printed, table = self.run_with(TABLE, changed(show=1200, json=3001), ["--record"])
        self.assertEqual((status, printed), (0, "1 of 4 rows written to cost.tsv\n"))
        self.assertEqual((table[SHOW].value, table[JSON].value), ("1200", "3000"))
        # With numbers of another system the rows do not fit each other.
        _, _, table = self.run_with(TABLE, changed(json=3001), ["--record"], here="Debian 13")
        self.assertEqual((table["machine", ""].value, table[JSON].value), ("Debian 13", "3001"))


class BuildTest(unittest.TestCase):
    """Runs the stand-in for the compiler with a stand-in for Swift."""

    SWIFT = """#!/bin/sh
for module in ArgumentParser Bytes Captures Captures; do
  "$SWIFT_EXEC" -O -module-name $module a.swift || exit 1
done
"$SWIFT_EXEC" -module-name gattscope -emit-executable
"$SWIFT_EXEC" -print-target-info
"""
    COMPILER = """#!/bin/sh
case "$*" in *Fails*) exit 3;; *Captures*) i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done;; esac
"""

    def build(self, swift: str) -> dict[str, float]:
        with tempfile.TemporaryDirectory() as name:
            tools, folder = Path(name) / "tools", Path(name) / "out"
            tools.mkdir()
            folder.mkdir()
            for tool, text in (("swift", swift), ("swiftc", self.COMPILER)):
                (tools / tool).write_text(text)
                (tools / tool).chmod(0o755)
            with unittest.mock.patch.dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}"):
                return build_cost.build(["-c", "release"], folder)

    def test_times_of_modules(self) -> None:
        times = self.build(self.SWIFT)
        self.assertEqual(set(times), {"ArgumentParser", "Bytes", "Captures"})
        self.assertGreater(times["Captures"], times["Bytes"])

    def test_a_failing_compiler(self) -> None:
        with self.assertRaises(subprocess.CalledProcessError):
            self.build(self.SWIFT.replace("Bytes", "Fails"))

    def test_ratios(self) -> None:
        times = build_cost.seconds(["ArgumentParser 1.5", "Bytes 0.5", "ArgumentParserToolInfo 0.5", "Bytes 0.75", "other 9"])
        self.assertEqual(build_cost.ratios(times, ["Bytes"]), {"Bytes": 62})
        for missing in (["Bytes", "Captures"], []):
            with self.assertRaises(SystemExit):
                build_cost.ratios(times if missing else {"Bytes": 1}, missing or ["Bytes"])

    def test_times_may_differ_more(self) -> None:
        key = ("build of Bytes", cost.BUILD)
        for now, grown in ((220, 0), (221, 1)):
            result = Comparison({key: Row("200")}, {key: Row(str(now))}, is_whole=True)
            self.assertEqual(len(result.grown), grown)


class CaptureTest(unittest.TestCase):
    def test_lengths(self) -> None:
        for name, make in costs.CAPTURES.items():
            self.assertAlmostEqual(attacks.record_count(make()), costs.RECORDS, delta=100, msg=name)

    def test_they_are_the_same_in_every_process(self) -> None:
        own = {name: hashlib.sha256(make()).hexdigest() for name, make in costs.CAPTURES.items()}
        code = "import hashlib, json; from traffic import costs; print(json.dumps({name: hashlib.sha256(make()).hexdigest() for name, make in costs.CAPTURES.items()}))"
        result = subprocess.run(
            [sys.executable, "-c", code], cwd=Path(__file__).resolve().parent, check=True, capture_output=True, text=True)
        self.assertEqual(json.loads(result.stdout), own)

    def test_beginning(self) -> None:
        content = costs.CAPTURES["commands"]()
        part = costs.beginning(content, 70)
        self.assertEqual(attacks.record_count(part), 70)
        self.assertTrue(content.startswith(part))

    def test_captures_and_rows_of_the_table(self) -> None:
        """The table must have a row for each cell, so that none is forgotten."""
        table, functions = cost.read_table(cost.TABLE), cost.read_functions(cost.FUNCTIONS)
        names = [cell.name for cell in cost.cells()]
        self.assertEqual(len(set(names)), len(names))
        for unit in (INSTRUCTIONS, PEAK, ALLOCATIONS):
            self.assertEqual([name for name, each in table if each == unit], names)
        self.assertEqual(list(functions), names)
        for name, make in costs.CAPTURES.items():
            digest = hashlib.sha256(make()).hexdigest()
            self.assertTrue(digest.startswith(table[f"capture {name}", DIGEST].value), f"{name} changed: make cost-record")


if __name__ == "__main__":
    unittest.main()
