"""Tests `table`: rows of many files, each read on its own, with damaged files and interrupted runs."""

import csv
import fcntl
import io
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile
from pathlib import Path

import fleet_files
from tested_program import PROGRAM, ROOT

CAPTURES = ROOT / "captures"
MORE = ROOT.parent / "shared" / "captures"
SAMPLES = sorted(CAPTURES.glob("*.*"))
KINDS = ("captures", "connections", "findings", "operations", "fields", "devices")
SECONDS = 300
MOST_KILOBYTES = 60_000
TYPES = {"string": str, "integer": int, "number": (int, float), "boolean": bool}


def run(*arguments: str | Path, given: bytes | None = None, **more: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([PROGRAM, *arguments], input=given, capture_output=True, check=False, timeout=SECONDS, **more)


def rows(*arguments: str | Path, given: bytes | None = None) -> list[dict]:
    return [json.loads(line) for line in run("table", *arguments, given=given).stdout.splitlines()]


# A small process, since the peak memory of a child counts from that of its parent.
MEASURE = """import json, resource, subprocess, sys
done = subprocess.run(sys.argv[2:], stdout=open(sys.argv[1], "wb"), stderr=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([done.returncode, used.ru_maxrss]))"""


def peak(output: Path | str, *arguments: str | Path) -> int:
    """Returns the most memory that the program uses, in kilobytes."""
    command = [sys.executable, "-c", MEASURE, str(output), str(PROGRAM), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, check=True, timeout=SECONDS)
    status, kilobytes = json.loads(done.stdout)
    if status:
        raise AssertionError(f"it ended with {status}")
    return kilobytes


def tables(folder: Path) -> dict[str, list[dict]]:
    """Returns the rows in an output folder, by table."""
    found = {}
    for kind in KINDS:
        lines = b"".join(file.read_bytes() for file in sorted(folder.glob(f"part-*/{kind}.ndjson"))).splitlines()
        found[kind] = sorted((json.loads(line) for line in lines), key=lambda row: json.dumps(row))
    return found


def schema() -> dict[str, dict]:
    return json.loads(run("schema", "--table", "json").stdout)["$defs"]


class TableTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def start(self, *arguments: str | Path) -> subprocess.Popen:
        process = subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        return process

    def fleet(self, count: int) -> Path:
        fleet_files.make(self.folder / "files", count, [CAPTURES])
        return self.folder / "files"


class RowTest(TableTest):
    def test_every_row_has_every_column_with_its_type(self) -> None:
        known = schema()
        files = [CAPTURES, *([MORE] if MORE.exists() else [])]
        done = run("table", *files)
        self.assertEqual(done.returncode, 0, done.stderr)
        counts = dict.fromkeys(KINDS, 0)
        for line in done.stdout.splitlines():
            row = json.loads(line)
            kind = row.pop("kind")
            counts[kind] += 1
            columns = known[kind]["properties"]
            self.assertEqual(list(row), list(columns), line)
            for name, value in row.items():
                wanted = TYPES[columns[name]["type"][0]]
                fits = value is None or isinstance(value, wanted) and (wanted is bool or not isinstance(value, bool))
                self.assertTrue(fits, f"{kind}.{name} is {value!r}, not {columns[name]['type'][0]}")
        for kind, count in counts.items():
            self.assertGreater(count, 5, f"rows of {kind}")

    def test_the_same_as_the_other_verbs_say(self) -> None:
        for capture in SAMPLES:
            with self.subTest(capture.name):
                made = {kind: [] for kind in KINDS}
                for row in rows(capture):
                    made[row["kind"]].append(row)
                (one,) = made["captures"]
                info = run("info", "--json", capture)
                self.assertEqual(one["status"] == "ok", info.returncode == 0, one)
                if not info.stdout:
                    continue
                info = json.loads(info.stdout)
                self.assertEqual(one["format"], info["format"])
                self.assertEqual(one["records"], info["records"]["total"])
                self.assertEqual(one["connections"], info["connections_total"])
                self.assertEqual(one["advertisers"], info["advertisers"]["count"])
                self.assertEqual(one["records_lost"], info["dropped"])
                for row, known in zip(made["connections"], info["connections"], strict=True):
                    for key in ("transport", "peer", "peer_type", "name", "local_role", "interval_ms", "encrypted", "ended_by"):
                        self.assertEqual(row[key], known.get(key), key)
                    # A row has only an MTU that was exchanged.
                    self.assertEqual(row["mtu"], None if "mtu_via" in known else known.get("mtu"))
                    self.assertEqual(row["reason"], known.get("reason", {}).get("code"))
                explained = json.loads(run("explain", "--json", capture).stdout)
                problems = explained["problems"] + [each for link in explained["connections"] for each in link["problems"]]
                self.assertEqual({row["rule"] for row in made["findings"]}, {each["rule"] for each in problems})
                for row, known in zip(made["connections"], explained["connections"], strict=False):
                    self.assertEqual(row["paired"], known["paired"])
                values = [json.loads(line) for line in run("values", "--json", capture).stdout.splitlines()]
                values = [each for each in values if each["type"] == "value" and each["operation"] != "advertisement"]
                self.assertEqual(one["operations"], len(values))
                for row, value in zip(made["operations"], values, strict=True):
                    for key in ("packet", "operation", "uuid", "handle", "value", "latency_ms"):
                        self.assertEqual(row[key], value.get(key), key)
                    self.assertEqual(row["outcome"] == "ok", "failed" not in value)
                    self.assertEqual(row["text"], value.get("decoded", {}).get("text"))
                devices = [json.loads(line) for line in run("devices", "--json", capture).stdout.splitlines()]
                devices = [each for each in devices if each["type"] == "device" and "address_types" in each and "this_host" not in each]
                self.assertEqual([row["address"] for row in made["devices"]], [each.get("address") for each in devices])

    def test_nothing_of_a_file_is_in_the_next_one(self) -> None:
        together = run("table", *SAMPLES).stdout
        alone = b"".join(run("table", each).stdout for each in SAMPLES)
        self.assertEqual(together, alone)
        backwards = run("table", *reversed(SAMPLES)).stdout
        self.assertEqual(sorted(backwards.splitlines()), sorted(alone.splitlines()))

    def test_csv_has_the_same_cells(self) -> None:
        for kind in KINDS:
            with self.subTest(kind):
                told = list(csv.reader(io.StringIO(run("table", "--csv", "--kind", kind, CAPTURES).stdout.decode())))
                made = rows("--kind", kind, CAPTURES)
                self.assertEqual(told[0], list(schema()[kind]["properties"]))
                self.assertEqual(len(told) - 1, len(made))
                for cells, row in zip(told[1:], made, strict=True):
                    for cell, value in zip(cells, row.values(), strict=True):
                        if value is None or value == "":
                            self.assertEqual(cell, "")
                        elif isinstance(value, bool):
                            self.assertEqual(cell, "true" if value else "false")
                        elif isinstance(value, (int, float)):
                            self.assertEqual(float(cell), value)
                        else:
                            # A quote precedes what a spreadsheet would calculate, and nothing is unprintable.
                            self.assertIn(cell, {value, "'" + value} | ({cell} if not value.isprintable() else set()))

    def test_a_key_makes_pseudonyms_that_are_the_same_everywhere(self) -> None:
        key, other = self.folder / "key", self.folder / "other"
        key.write_bytes(b"k" * 32)
        other.write_bytes(b"o" * 32)
        plain = rows("--kind", "connections,devices", CAPTURES)
        hidden = rows("--kind", "connections,devices", "--redact", key, CAPTURES)
        pairs = {(a["peer"], b["peer"]) for a, b in zip(plain, hidden, strict=True) if a["kind"] == "connections" and a["peer"]}
        self.assertEqual(len(pairs), len({a for a, _ in pairs}), "one pseudonym an address")
        self.assertFalse({a for a, _ in pairs} & {b for _, b in pairs})
        self.assertNotEqual(hidden, rows("--kind", "connections,devices", "--redact", other, CAPTURES))
        names = {row["name"] for row in plain if row["name"]}
        text = run("table", "--redact", key, CAPTURES).stdout.decode()
        for name in names:
            self.assertNotIn(f'"{name}"', text)
        self.assertNotIn('"value":"', text)
        short = self.folder / "short"
        short.write_bytes(b"short")
        done = run("table", "--redact", short, CAPTURES)
        self.assertEqual(done.returncode, 65)
        self.assertIn(b"fewer than 16 bytes", done.stderr)
        self.assertEqual(run("table", "--redact", key, "--kind", "fields", CAPTURES).returncode, 64)

    def test_names_of_entries_become_pseudonyms(self) -> None:
        key = self.folder / "key"
        key.write_bytes(b"k" * 32)
        name = "Erika Mustermann/btsnoop_hci.log"
        log = (CAPTURES / "heart-rate.btsnoop").read_bytes()
        unknown = log[:12] + (9999).to_bytes(4, "big") + log[16:]
        made: dict[str, list[tuple[str, bytes]]] = {"refused": [(name, unknown)], "nested": [(name, b"")], "encrypted": [(name, log)]}
        for depth in range(4):
            holder = io.BytesIO()
            with zipfile.ZipFile(holder, "w") as archive:
                archive.writestr("Mustermann.zip" if depth else name, made["nested"][0][1] if depth else log)
            made["nested"] = [(name, holder.getvalue())]
        for kind, entries in made.items():
            with self.subTest(kind):
                path = self.folder / f"{kind}.zip"
                with zipfile.ZipFile(path, "w") as archive:
                    for entry, content in entries:
                        archive.writestr(entry, content)
                if kind == "encrypted":
                    content = bytearray(path.read_bytes())
                    # The flag in the local header and in the central directory.
                    content[6] |= 1
                    content[content.index(b"PK\1\2") + 8] |= 1
                    path.write_bytes(content)
                (plain,) = rows("--kind", "captures", path)
                self.assertIn("Mustermann", plain["damage"])
                hidden, again = (rows("--kind", "captures", "--redact", key, path)[0] for _ in range(2))
                self.assertNotIn("Mustermann", json.dumps(hidden))
                self.assertRegex(hidden["damage"], r"file-[0-9a-f]{16} ")
                self.assertEqual(hidden, again)
                self.assertEqual(re.sub(r"file-[0-9a-f]{16}", "", hidden["damage"]), re.sub(r"Erika Must\S+", "", plain["damage"]))

    def test_the_page_lists_every_column(self) -> None:
        page = (ROOT / "docs" / "fleet.md").read_text(encoding="utf-8").partition("## Columns")[2]
        found = [(kind, name) for kind in page.split("### ")[1:] for name in re.findall(r"^\| `(\w+)` \| (.*) \|$", kind, re.MULTILINE)]
        listed = [(kind.split("\n")[0], *name) for kind, name in found]
        known = [
            (kind, name, f"{'time' if 'format' in column else column['type'][0]} | {column['description']}")
            for kind, one in schema().items()
            for name, column in one["properties"].items()
        ]
        self.assertEqual(listed, known)

    def test_a_log_without_dates_has_no_times(self) -> None:
        path = self.folder / "btsnooz_hci.log"
        # Behind the header, a command and its answer, as Android's summary has them.
        records = bytes.fromhex("0400 0400 00000000 20 030c00  0700 0700 d0070000 10 0e0401030c00")
        path.write_bytes((CAPTURES / "heart-rate.btsnoop").read_bytes()[:16] + records)
        (capture,) = rows("--kind", "captures", path)
        self.assertEqual((capture["status"], capture["records"], capture["format"]), ("ok", 2, "btsnooz"))
        self.assertEqual((capture["first_time"], capture["last_time"]), (None, None))

    def test_bug_report(self) -> None:
        report = self.folder / "bugreport.zip"
        text = "== dumpstate: 2026-11-21 12:05:00\nBuild: SAMPLE.1\n[ro.build.version.release]: [16]\n[ro.product.model]: [Phone]\n"
        with zipfile.ZipFile(report, "w") as archive:
            archive.writestr("bugreport.txt", text + "[persist.bluetooth.btsnooplogmode]: [filtered]\n")
            archive.writestr("FS/data/misc/bluetooth/logs/btsnoop_hci.log", (CAPTURES / "heart-rate.btsnoop").read_bytes())
        (row,) = rows("--kind", "captures", report)
        facts = [row[key] for key in ("status", "os", "build", "device_model", "snoop_mode", "records")]
        self.assertEqual(facts, ["ok", "Android 16", "SAMPLE.1", "Phone", "filtered", 166])
        with zipfile.ZipFile(report, "w") as archive:
            archive.writestr("bugreport.txt", text + "[persist.bluetooth.btsnooplogmode]: [disabled]\n")
        (row,) = rows("--kind", "captures", report)
        self.assertEqual([row[key] for key in ("status", "build", "snoop_mode")], ["not_a_capture", "SAMPLE.1", "disabled"])
        self.assertIn("holds no Bluetooth log", row["damage"])


class BadInputTest(TableTest):
    def test_each_failure_is_a_row(self) -> None:
        sample = (CAPTURES / "heart-rate.btsnoop").read_bytes()
        cut, text, empty, pipe = (self.folder / name for name in ("cut", "text", "empty", "pipe"))
        cut.write_bytes(sample[:-3])
        text.write_text("no capture")
        empty.touch()
        os.mkfifo(pipe)
        link = self.folder / "link"
        link.symlink_to(self.folder)
        loop = self.folder / "loop"
        loop.symlink_to(loop)
        done = run("table", "--kind", "captures", self.folder, "/dev/null", "/nowhere")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = {Path(row["file"]).name: row for row in map(json.loads, done.stdout.splitlines())}
        self.assertEqual(
            {name: row["status"] for name, row in found.items()},
            {
                "cut": "damaged", "text": "not_a_capture", "empty": "not_a_capture", "pipe": "unreadable", "link": "unreadable",
                "loop": "unreadable", "null": "unreadable", "nowhere": "unreadable",
            },
        )  # fmt: skip
        self.assertRegex(found["cut"]["damage"], r"^record 166 at byte \d+: ")
        self.assertEqual(found["pipe"]["damage"], "is a pipe, not a file")
        self.assertEqual(found["cut"]["records"], 165)
        self.assertEqual(run("table", "--strict", self.folder).returncode, 65)
        self.assertEqual(run("table", "--strict", CAPTURES / "heart-rate.btsnoop").returncode, 0)

    def test_names_that_are_no_text(self) -> None:
        sample = CAPTURES / "heart-rate.btsnoop"
        names = [b"line\nfeed", b"\xff\xfe", b"\x1b[31mred", "\u202eright".encode(), b'quote"and\\', b"-", b"a" * 255]
        for name in names:
            shutil.copy(sample, os.path.join(os.fsencode(self.folder), name))
        shown = {row["file"] for row in rows("--kind", "captures", self.folder) if row["status"] == "ok"}
        self.assertEqual(shown, {f"{self.folder}/{name.decode(errors='replace')}" for name in names} | shown)
        self.assertEqual(len(shown), len(names))
        listed = b"\0".join(os.path.join(os.fsencode(self.folder), name) for name in names)
        again = rows("--kind", "captures", "--files-from", "-", "-0", given=listed)
        self.assertEqual([row["status"] for row in again], ["ok"] * len(names))
        out = self.folder.parent / f"{self.folder.name}.out"
        self.addCleanup(shutil.rmtree, out)
        self.assertEqual(run("table", "--out", out, self.folder).returncode, 0)
        self.assertEqual(len([row for row in tables(out)["captures"] if row["status"] == "ok"]), len(names))
        raw = run("table", "--csv", "--kind", "captures", self.folder).stdout
        self.assertNotIn(b"\x1b", raw)
        self.assertEqual(len(raw.splitlines()), 1 + len(names))

    def test_a_hundred_thousand_paths(self) -> None:
        listed = b"".join(b"/nowhere/%06d\n" % number for number in range(100_000)) + b"x" * 10_000_000 + b"\n"
        path = self.folder / "list"
        path.write_bytes(listed)
        rows = self.folder / "rows"
        kilobytes = peak(rows, "table", "--files-from", path)
        # The list itself has 11 MB.
        self.assertLess(kilobytes, MOST_KILOBYTES)
        lines = rows.read_bytes().splitlines()
        self.assertEqual(len(lines), 100_001)
        self.assertEqual(json.loads(lines[-1])["cells_cut"], 1)

    def test_memory_is_flat(self) -> None:
        peaks = []
        for count in (50, 300):
            files = self.folder / str(count)
            fleet_files.make(files, count, [CAPTURES])
            peaks.append(peak("/dev/null", "table", files))
        self.assertLess(peaks[1], MOST_KILOBYTES)
        self.assertLess(peaks[1], 1.2 * peaks[0], f"{peaks} KB")

    def test_two_gigabytes(self) -> None:
        """Reads the beginning of a capture with only zeros after it."""
        large = self.folder / "large"
        large.write_bytes((CAPTURES / "heart-rate.btsnoop").read_bytes())
        os.truncate(large, 2 << 30)
        output = self.folder / "rows"
        kilobytes = peak(output, "table", "--kind", "captures", "--timeout", "5", large)
        (row,) = map(json.loads, output.read_bytes().splitlines())
        self.assertEqual(row["bytes"], 2 << 30)
        # How much is read in time depends on the machine: even the digest may be unfinished.
        self.assertIn(row["status"], ("timed_out", "damaged"))
        if row["capture"] is not None:
            self.assertGreater(row["records"], 166)
        self.assertLess(kilobytes, MOST_KILOBYTES)

    def test_time_is_up(self) -> None:
        known = fleet_files.samples([CAPTURES])
        header, some = known[0]
        slow = self.folder / "slow"
        slow.write_bytes(fleet_files.capture(header, some, 200_000_000, 0))
        told = rows("--kind", "captures", "--timeout", "1", slow, CAPTURES / "heart-rate.btsnoop")
        self.assertEqual([row["status"] for row in told], ["timed_out", "ok"])
        self.assertEqual(told[0]["damage"], "not finished after 1 s")
        self.assertGreater(told[0]["records"], 0)

    def test_a_file_that_grows(self) -> None:
        """Rows and digest must be of the same bytes, even if the file grows meanwhile."""
        data = (CAPTURES / "heart-rate.btsnoop").read_bytes()
        growing = self.folder / "growing"
        growing.write_bytes(data[:16])
        seen = set()
        with open(growing, "ab", buffering=0) as writer:
            for at in range(16, len(data), 301):
                writer.write(data[at : at + 301])
                (row,) = rows("--kind", "captures", growing)
                size = row["bytes"]
                (same,) = self.of(data[:size])
                for key in ("capture", "status", "damage", "records", "bytes"):
                    self.assertEqual(row[key], same[key], key)
                seen.add(row["status"])
        self.assertIn("damaged", seen)

    def of(self, data: bytes) -> list[dict]:
        path = self.folder / "part"
        path.write_bytes(data)
        return rows("--kind", "captures", path)

    def test_standard_input(self) -> None:
        data = (CAPTURES / "heart-rate.btsnoop").read_bytes()
        (told,) = rows("--kind", "captures", "-", given=data)
        (file,) = rows("--kind", "captures", CAPTURES / "heart-rate.btsnoop")
        self.assertEqual(told | {"file": file["file"]}, file)

    def test_wrong_use(self) -> None:
        for arguments in (
            [], ["--jobs", "2", "x"], ["--resume", "x"], ["--csv", "x"], ["-0", "x"], ["--kind", "all", "x"], ["--out", "y", "-"],
            ["--jobs", "0", "--out", "y", "x"], ["--timeout", "0", "x"], ["--files-from", "-", "-"],
        ):  # fmt: skip
            with self.subTest(arguments):
                done = run("table", *arguments, cwd=self.folder)
                self.assertEqual(done.returncode, 64, done.stderr)
        self.assertEqual(run("table", "--files-from", "/nowhere").returncode, 66)

    def test_a_list_with_zero_bytes(self) -> None:
        done = run("table", "--files-from", "-", given=b"one\0two\0")
        self.assertEqual(done.returncode, 64)
        self.assertEqual(done.stderr, b"gattscope: -: paths end with a zero byte: add -0\n")

    def test_the_digest_of_a_large_file_counts(self) -> None:
        large = self.folder / "large"
        large.touch()
        os.truncate(large, 1 << 40)
        (row,) = rows("--kind", "captures", "--timeout", "1", large)
        self.assertEqual([row["status"], row["damage"], row["capture"]], ["timed_out", "not finished after 1 s", None])


class FolderTest(TableTest):
    def test_the_same_rows_with_any_number_of_processes(self) -> None:
        files = self.fleet(600)
        made = []
        for jobs in ("1", "3"):
            done = run("table", "--out", self.folder / jobs, "--jobs", jobs, files)
            self.assertEqual(done.returncode, 0, done.stderr)
            made.append(tables(self.folder / jobs))
        self.assertEqual(made[0], made[1])
        for path in (self.folder / "1").rglob("*"):
            # Only the owner may read what devices sent to each other.
            self.assertEqual(path.stat().st_mode & 0o077, 0, path)
        streamed = {kind: [] for kind in KINDS}
        for row in rows(files):
            streamed[row.pop("kind")].append(row)
        for kind in KINDS:
            self.assertEqual(sorted(streamed[kind], key=json.dumps), made[0][kind])
        # One in 25 is damaged; one in 40 is not a capture.
        statuses = [row["status"] for row in made[0]["captures"]]
        self.assertEqual(statuses.count("damaged"), 24)
        self.assertEqual(statuses.count("not_a_capture"), len([n for n in range(600) if n % 40 == 11 and n % 25 != 7]))
        self.assertIn(b" of 600 files were not read to the end", done.stderr)

    def test_interrupted_and_resumed(self) -> None:
        files, out = self.fleet(1000), self.folder / "out"
        process = self.start("table", "--out", out, "--jobs", "2", files)
        while not list(out.glob("part-*")):
            self.assertIsNone(process.poll(), "it ended before a part was done")
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(SECONDS), 130)
        parts = sorted(each.name for each in out.iterdir() if each.is_dir())
        self.assertTrue(all(name.startswith("part-") for name in parts), parts)
        self.assertLess(len(parts), 4)
        for part in out.glob("part-*"):
            for kind in KINDS:
                for line in (part / f"{kind}.ndjson").read_bytes().splitlines():
                    json.loads(line)
        self.assertEqual(run("table", "--out", out, files).returncode, 73)
        self.assertEqual(run("table", "--out", out, "--resume", "--csv", files).returncode, 64)
        self.assertEqual(run("table", "--out", out, "--resume", files).returncode, 0)
        whole = self.folder / "whole"
        self.assertEqual(run("table", "--out", whole, files).returncode, 0)
        self.assertEqual(tables(out), tables(whole))
        # Nothing is left to do; then only changed and new files are read.
        self.assertEqual(run("table", "--out", out, "--resume", files).returncode, 0)
        self.assertEqual(tables(out), tables(whole))
        shutil.copy(CAPTURES / "heart-rate.btsnoop", files / "new")
        self.assertEqual(run("table", "--out", out, "--resume", files).returncode, 0)
        self.assertEqual(len(tables(out)["captures"]), 1001)

    def test_ended_from_outside(self) -> None:
        """After a kill, only complete folders have a part's name, and the next run removes the others."""
        files, out = self.fleet(600), self.folder / "out"
        process = self.start("table", "--out", out, "--jobs", "2", files)
        while not list(out.glob("partial-*")):
            time.sleep(0.01)
        process.kill()
        process.wait(SECONDS)
        # Its child processes end after the next file, since their parent no longer listens.
        deadline = time.monotonic() + SECONDS
        while True:
            done = run("table", "--out", out, "--resume", files)
            if done.returncode != 73 or time.monotonic() > deadline:
                break
            time.sleep(0.05)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(tables(out)["captures"]), 600)
        self.assertFalse(list(out.glob("partial-*")))

    def test_a_process_that_is_lost(self) -> None:
        """The file that a killed process was reading must have a row, and so must all others."""
        files, out = self.fleet(300), self.folder / "out"
        process = self.start("table", "--out", out, "--jobs", "1", files)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while not (found := children.read_text().split()) or not (out / "partial-00000" / "captures.ndjson").exists():
            time.sleep(0.005)
        time.sleep(0.2)
        os.kill(int(found[0]), signal.SIGKILL)
        self.assertEqual(process.wait(SECONDS), 0)
        made = tables(out)["captures"]
        self.assertEqual(len(made), 300)
        failed = [row for row in made if row["status"] == "failed"]
        self.assertEqual([row["damage"] for row in failed], ["gattscope ended before it finished this file"])

    def test_two_runs_into_one_folder(self) -> None:
        out = self.folder / "out"
        out.mkdir()
        with open(out / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            done = run("table", "--out", out, CAPTURES)
        self.assertEqual(done.returncode, 73)
        self.assertIn(b"is in use by another run", done.stderr)
        self.assertEqual(run("table", "--out", out, CAPTURES).returncode, 0)

    def test_links_are_not_written_through(self) -> None:
        """In a folder that others share, the lock or the folder itself may be a link that leads elsewhere."""
        out, elsewhere = self.folder / "out", self.folder / "elsewhere"
        out.mkdir()
        (out / "lock").symlink_to(elsewhere)
        done = run("table", "--out", out, CAPTURES)
        self.assertEqual((done.returncode, done.stderr), (74, f"gattscope: {out}/lock is a link, which is not followed; name another folder\n".encode()))
        self.assertFalse(elsewhere.exists())
        if os.geteuid() != 0:
            self.skipTest("only root can make links of other users")
        shared, link = self.folder / "shared", self.folder / "shared" / "link"
        shared.mkdir()
        shared.chmod(0o1777)
        elsewhere.mkdir()
        link.symlink_to(elsewhere)
        os.lchown(link, 4711, 4711)
        done = run("table", "--out", link, CAPTURES)
        self.assertEqual(done.returncode, 74)
        self.assertIn(b"it is a link that another user made in a shared folder", done.stderr)
        self.assertEqual(list(elsewhere.iterdir()), [])

    def test_the_folder_itself_is_not_searched(self) -> None:
        files = self.folder / "files"
        files.mkdir()
        shutil.copy(CAPTURES / "heart-rate.btsnoop", files)
        for _ in range(2):
            self.assertEqual(run("table", "--out", files / "rows", "--resume", files).returncode, 0)
        self.assertEqual([row["status"] for row in tables(files / "rows")["captures"]], ["ok"])

    def test_folders_of_others_are_left_alone(self) -> None:
        out = self.folder / "out"
        for name in ("partial-results", "partial-00000", "part-9223372036854775807"):
            (out / name).mkdir(parents=True)
            (out / name / "mine").write_text("mine")
        done = run("table", "--out", out, "--resume", CAPTURES)
        self.assertEqual(done.returncode, 73, done.stderr)
        (out / "settings").write_text("mine")
        for more in ([], ["--resume"]):
            done = run("table", "--out", out, *more, CAPTURES)
            self.assertEqual(done.returncode, 73, done.stderr)
            self.assertIn(b"was not written by gattscope table", done.stderr)
        self.assertEqual((out / "settings").read_text(), "mine")
        self.assertTrue((out / "partial-00000" / "mine").exists())
        shutil.rmtree(out / "partial-00000")
        (out / "settings").unlink()
        self.assertEqual(run("table", "--out", out, CAPTURES).returncode, 0)
        self.assertEqual(sorted(each.name for each in out.glob("*/mine")), ["mine", "mine"])
        # Of its own folders, it removes incomplete ones.
        (out / "partial-00007").mkdir()
        self.assertEqual(run("table", "--out", out, "--resume", CAPTURES).returncode, 0)
        self.assertEqual(sorted(each.name for each in out.glob("part*")), ["part-00000", "part-9223372036854775807", "partial-results"])

    def test_no_path_in_a_folder_with_pseudonyms(self) -> None:
        files, key, out = self.folder / "somebody", self.folder / "key", self.folder / "out"
        files.mkdir()
        shutil.copy(CAPTURES / "heart-rate.btsnoop", files)
        (files / "no-capture").write_text("no capture")
        key.write_bytes(b"k" * 32)
        for _ in range(2):
            self.assertEqual(run("table", "--out", out, "--redact", key, "--resume", files).returncode, 0)
        self.assertEqual(len(tables(out)["captures"]), 2, "a second run finds nothing to do")
        for path in out.rglob("*"):
            if path.is_file():
                self.assertNotIn(b"somebody", path.read_bytes(), path)
        key.write_bytes(b"o" * 32)
        done = run("table", "--out", out, "--redact", key, "--resume", files)
        self.assertEqual(done.returncode, 64, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        for option in ("--redact", "--profile"):
            done = run("table", "--out", self.folder / "other", option, pipe, files)
            self.assertEqual(done.returncode, 66, done.stderr)
            self.assertIn(b"is not a regular file", done.stderr)

    def test_other_profiles(self) -> None:
        out, profile = self.folder / "out", self.folder / "mine.yaml"
        profile.write_bytes(next((ROOT / "Profiles").glob("*/*.yaml")).read_bytes())
        sample = CAPTURES / "heart-rate.btsnoop"
        self.assertEqual(run("table", "--out", out, sample).returncode, 0)
        done = run("table", "--out", out, "--resume", "--profile", profile, sample)
        self.assertEqual(done.returncode, 64, done.stderr)

    def test_a_folder_that_begins_with_a_hyphen(self) -> None:
        done = run("table", "--out=-odd", CAPTURES / "heart-rate.btsnoop", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(tables(self.folder / "-odd")["captures"]), 1)

    def test_a_process_whose_parent_is_lost(self) -> None:
        """The folder must be locked until an orphaned process ends, so that it cannot destroy another run's part."""
        out = self.folder / "out"
        process = self.start("table", "--out", out, "--jobs", "1", self.fleet(300))
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while not (found := children.read_text().split()):
            time.sleep(0.005)
        worker = int(found[0])
        while os.readlink(f"/proc/{worker}/fd/0") == "/dev/null" or not list(out.glob("partial-*")):
            time.sleep(0.005)
        os.kill(worker, signal.SIGSTOP)
        process.kill()
        process.wait(SECONDS)
        done = run("table", "--out", out, "--resume", CAPTURES)
        os.kill(worker, signal.SIGKILL)
        self.assertEqual(done.returncode, 73, done.stderr)
        self.assertIn(b"is in use by another run", done.stderr)

    def test_suspended_and_continued(self) -> None:
        """Time in which the whole job was suspended must not count."""
        files, out = self.fleet(600), self.folder / "out"
        process = self.start("table", "--out", out, "--jobs", "2", "--timeout", "1", files)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while len(found := children.read_text().split()) < 2:
            time.sleep(0.005)
        job = [process.pid, *map(int, found)]
        time.sleep(0.2)
        for each in job:
            os.kill(each, signal.SIGSTOP)
        time.sleep(4)
        for each in job:
            os.kill(each, signal.SIGCONT)
        self.assertEqual(process.wait(SECONDS), 0)
        self.assertNotIn("timed_out", {row["status"] for row in tables(out)["captures"]})

    def test_no_room(self) -> None:
        """As on a full disk, a part that cannot be written must be removed, and the exit status is 74."""
        out = self.folder / "out"
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))  # noqa: E731
        done = run("table", "--out", out, CAPTURES, preexec_fn=limit)
        self.assertEqual(done.returncode, 74, done.stderr)
        self.assertEqual(done.stderr.count(b"output could not be written: file too large"), 1, done.stderr)
        self.assertEqual([each.name for each in out.iterdir() if each.is_dir()], [])
        with open("/dev/full", "wb") as full:
            done = subprocess.run([PROGRAM, "table", CAPTURES], stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 74)
        self.assertEqual(run("table", "--out", "/proc/none", CAPTURES).returncode, 74)


if __name__ == "__main__":
    unittest.main()
