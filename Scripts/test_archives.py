"""Tests logs in archives, compressed files and bug reports: the output must equal that for the logs themselves."""

import bz2
import functools
import gzip
import io
import json
import lzma
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
import zipfile
import zlib
from pathlib import Path

from tested_program import PROGRAM, ROOT

PHONE = ROOT.parent / "shared" / "captures" / "phone"
FIRST, SECOND = "btsnoop_hci.log.last", "btsnoop_hci.log"
FILE = re.compile(rb'"file":"[^"]*",')
FOLDER = "FS/data/misc/bluetooth/logs"
# The other contents of a phone's report.
TEXT = """== dumpstate: 2026-11-21 12:05:00
Build: SAMPLE
[ro.build.version.release]: [16]
  Bonded devices:
    F1:F1:F1:F1:F1:F1 [ LE ][ 0x240404 ] Front door

GATT Client Map
  Entries: 1
    com.example.app Registered

"""


def run(*arguments: str | Path, given: bytes | None = None, **more: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([PROGRAM, *arguments], input=given, capture_output=True, check=False, timeout=120, **more)


def split(capture: bytes) -> tuple[bytes, bytes]:
    """Returns both halves of a btsnoop file, each with the header."""
    offsets, offset = [], 16
    while offset < len(capture):
        offsets.append(offset)
        offset += 24 + int.from_bytes(capture[offset + 4 : offset + 8])
    middle = offsets[len(offsets) // 2]
    return capture[:middle], capture[:16] + capture[middle:]


def zipped(entries: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return made.getvalue()


def tarred(entries: dict[str, bytes], mode: str = "w") -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode=mode, format=tarfile.PAX_FORMAT) as archive:
        for name, data in entries.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return made.getvalue()


# A small process, since the peak memory of a child counts from that of its parent. It limits processor time and the size of
# files, and prints the status, the peak memory of any process in kilobytes, and the messages.
MEASURE = f"""import json, resource, subprocess, sys
def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
    resource.setrlimit(resource.RLIMIT_FSIZE, ({300 << 20}, {300 << 20}))
done = subprocess.run(sys.argv[1:], capture_output=True, check=False, preexec_fn=limit)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([done.returncode, used.ru_maxrss, done.stdout.decode(), done.stderr.decode()]))"""
MOST_KILOBYTES = 100_000


def measured(*arguments: str | Path) -> tuple[int, int, str, str]:
    """Returns the status, the peak memory in kilobytes, the output and the messages."""
    command = [sys.executable, "-c", MEASURE, str(PROGRAM), *map(str, arguments)]
    return tuple(json.loads(subprocess.run(command, capture_output=True, check=True, timeout=300).stdout))


def seven_number(value: int) -> bytes:
    """A number in 7z: the high bits of the first byte count the bytes that follow (7zFormat.txt)."""
    for extra in range(8):
        if value < 1 << (7 * (extra + 1)):
            first = (0xFF00 >> extra) & 0xFF | value >> (8 * extra)
            return bytes([first]) + (value & ((1 << (8 * extra)) - 1)).to_bytes(extra, "little")
    return b"\xff" + value.to_bytes(8, "little")


def seven(header: bytes, packed: bytes = b"") -> bytes:
    """A 7z archive with this header."""
    place = struct.pack("<QQI", len(packed), len(header), zlib.crc32(header))
    return b"7z\xbc\xaf\x27\x1c\0\4" + struct.pack("<I", zlib.crc32(place)) + place + packed + header


def seven_coded(coder: bytes, properties: bytes, size: int) -> bytes:
    """A 7z archive with one file, whose coder has these properties."""
    packed, name = bytes(1000), "a.log\0".encode("utf-16-le")
    streams = b"\6\0\1\x09" + seven_number(len(packed)) + b"\0"
    folder = b"\1" + bytes([0x20 | len(coder)]) + coder + bytes([len(properties)]) + properties
    streams += b"\7\x0b\1\0" + folder + b"\x0c" + seven_number(size) + b"\0" + b"\x08\0" + b"\0"
    files = b"\5\1\x11" + seven_number(len(name) + 1) + b"\0" + name + b"\0"
    return seven(b"\1\4" + streams + files + b"\0", packed)


def seven_of_empty_files(count: int) -> bytes:
    """A 7z archive that lists this many empty files."""
    empty = b"\xff" * (count // 8)
    return seven(b"\1\5" + seven_number(count) + b"\x0e" + seven_number(len(empty)) + empty + b"\0\0")


def zip_of_method(method: int, data: bytes, size: int) -> bytes:
    """A zip with one entry of this compression method."""
    name = b"a.log"
    fields = struct.pack("<HHHIIIIHH", 63, 0, method, 0, 0, len(data), size, len(name), 0)
    local = b"PK\3\4" + fields + name + data
    central = b"PK\1\2\x14\3" + fields + struct.pack("<HHHII", 0, 0, 0, 0o100644 << 16, 0) + name
    return local + central + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(local), 0)


def tar_header(name: bytes, kind: bytes, size: int) -> bytes:
    """A tar entry's header."""
    header = bytearray(name.ljust(100, b"\0") + b"0000644\0" + b"0000000\0" * 2 + b"%011o\0" % size + b"00000000000\0")
    header += b" " * 8 + kind + bytes(100) + b"ustar\x0000" + bytes(247)
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header)


def rar(dictionary: int) -> bytes:
    """A RAR 5 archive with a dictionary of 128 KB shifted by this."""
    def part(content: bytes) -> bytes:
        sized = bytes([len(content)]) + content
        return struct.pack("<I", zlib.crc32(sized)) + sized
    def number(value: int) -> bytes:
        return bytes([value & 0x7F]) if value < 128 else bytes([value & 0x7F | 0x80]) + number(value >> 7)
    file = b"\2\2" + number(100) + b"\0" + number(1 << 33) + b"\0" + number(1 << 7 | dictionary << 10) + b"\0\5a.log"
    return b"Rar!\x1a\7\1\0" + part(b"\1\0\0") + part(file) + bytes(100) + part(b"\5\0\0")


def xz_of_dictionary(data: bytes, code: int) -> bytes:
    """An xz file whose header asks for a dictionary of this code (xz-file-format.txt, 5.3.1)."""
    made = bytearray(lzma.compress(data))
    length = 4 * (made[12] + 1)
    place = made.index(b"\x21\1", 12) + 2
    made[place] = code
    made[12 + length - 4 : 12 + length] = struct.pack("<I", zlib.crc32(made[12 : 12 + length - 4]))
    return bytes(made)


def zstd_of_window(data: bytes, exponent: int) -> bytes:
    """A zstd file with one block that is not compressed, and a window of 2 to this power (RFC 8878, 3.1.1)."""
    block = (len(data) << 3 | 1).to_bytes(3, "little") + data
    return b"\x28\xb5\x2f\xfd\0" + bytes([exponent - 10 << 3]) + block


class ArchiveTests(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="gattscope-archives-"))
        self.addCleanup(shutil.rmtree, self.folder)
        capture = (ROOT / "captures" / "heart-rate.btsnoop").read_bytes()
        self.first, self.second = split(capture)
        (self.folder / FIRST).write_bytes(self.first)
        (self.folder / SECOND).write_bytes(self.second)
        self.entries = {
            "main_entry.txt": b"bugreport-x.txt",
            f"{FOLDER}/{SECOND}": self.second,
            f"{FOLDER}/{FIRST}": self.first,
            f"{FOLDER}/btsnooz_hci.log": self.first[:16],
            "bugreport-x.txt": TEXT.encode(),
        }
        self.expected = run("show", "--json", self.folder / FIRST, self.folder / SECOND)
        self.assertEqual(len(self.packets(self.expected)), 166)

    def packets(self, result: subprocess.CompletedProcess[bytes]) -> list[bytes]:
        """Returns the packets' lines, without the file name in each."""
        return [FILE.sub(b"", line) for line in result.stdout.splitlines() if b'"type":"packet"' in line]

    def assert_same(self, what: str, result: subprocess.CompletedProcess[bytes]) -> None:
        self.assertEqual((result.returncode, result.stderr), (0, b""), what)
        self.assertEqual(self.packets(result), self.packets(self.expected), what)

    def test_every_kind_from_a_file_and_from_a_pipe(self) -> None:
        archives = {
            "report.zip": zipped(self.entries),
            "stored.zip": zipped(self.entries, zipfile.ZIP_STORED),
            "bzip2.zip": zipped(self.entries, zipfile.ZIP_BZIP2),
            "lzma.zip": zipped(self.entries, zipfile.ZIP_LZMA),
            "report.tar": tarred(self.entries),
            "report.tar.gz": tarred(self.entries, "w:gz"),
            "report.tar.bz2": tarred(self.entries, "w:bz2"),
            "report.tar.xz": tarred(self.entries, "w:xz"),
            "zip-in-zip.zip": zipped({"bugreport.zip": zipped(self.entries)}),
            "zip-in-tar.tar.gz": tarred({"bugreport.zip": zipped(self.entries)}, "w:gz"),
            "no-ending": zipped(self.entries),
        }
        if shutil.which("zstd"):
            archives["report.tar.zst"] = subprocess.run(
                ["zstd", "-q"], input=tarred(self.entries), capture_output=True, check=True
            ).stdout
        if shutil.which("bsdtar"):
            for name, data in self.entries.items():
                (self.folder / "in" / name).parent.mkdir(parents=True, exist_ok=True)
                (self.folder / "in" / name).write_bytes(data)
            seven = subprocess.run(
                ["bsdtar", "-c", "--format", "7zip", "-C", self.folder / "in", "-f", "-", "."], capture_output=True, check=True
            ).stdout
            archives["report.7z"] = seven
            archives["seven-in-zip.zip"] = zipped({"logs.7z": seven})
        for name, data in archives.items():
            with self.subTest(name):
                path = self.folder / name
                path.write_bytes(data)
                self.assert_same(name, run("show", "--json", path))
                self.assert_same(f"{name} from a pipe", run("show", "--json", "-", given=data))

    def test_one_compressed_log(self) -> None:
        capture = ROOT / "captures" / "heart-rate.btsnoop"
        expected = run("show", capture).stdout
        for ending, pack in (("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)):
            path = self.folder / f"heart-rate.btsnoop.{ending}"
            path.write_bytes(pack(capture.read_bytes()))
            self.assertEqual(run("show", path).stdout, expected, ending)

    def test_all_verbs(self) -> None:
        path = self.folder / "report.zip"
        path.write_bytes(zipped(self.entries))
        logs = (self.folder / FIRST, self.folder / SECOND)
        for verb in ("map", "values", "trace", "devices"):
            given = ("--as", "android") if verb == "trace" else ()
            self.assertEqual(run(verb, *given, path).stdout, run(verb, *given, *logs).stdout, verb)
        # Android is the platform of a bug report.
        self.assertEqual(run("trace", path).stdout, run("trace", "--as", "android", *logs).stdout)
        self.assertEqual(run("explain", "--strict", path).returncode, run("explain", "--strict", *logs).returncode)
        self.assertEqual(run("convert", path, self.folder / "a.pcapng").returncode, 0)
        self.assertEqual(run("convert", "--merge", *logs, self.folder / "b.pcapng").returncode, 0)
        self.assertEqual(
            self.packets(run("show", "--json", self.folder / "a.pcapng")),
            self.packets(run("show", "--json", self.folder / "b.pcapng")),
        )
        self.assertEqual(run("diff", path, path).returncode, 0)

    def test_entries_are_chosen(self) -> None:
        path = self.folder / "report.zip"
        path.write_bytes(zipped(self.entries))
        self.assertEqual(run("show", "--entry", "*.last", path).stdout, run("show", self.folder / FIRST).stdout)
        result = run("show", "--entry", "nothing", path)
        self.assertEqual(result.returncode, 65)
        self.assertIn(b"holds no log that --entry matches", result.stderr)

    def test_info_says_what_is_inside(self) -> None:
        path = self.folder / "report.zip"
        path.write_bytes(zipped(self.entries))
        text = run("info", path).stdout.decode()
        for line in (
            f"captures     {path}:{FOLDER}/{FIRST}: btsnoop, HCI UART (H4), 83 records",
            "phone        Android 16, build SAMPLE, report of 2026-11-21 12:05:00",
            f"not read     the summary in {FOLDER}/btsnooz_hci.log: no records",
            'bonded       F1:F1:F1:F1:F1:F1 "Front door"',
            "apps         com.example.app",
        ):
            self.assertIn(line, text)

    def test_what_ends_early(self) -> None:
        """A file cut at any byte must give the packets before the cut, in order, and status 65."""
        whole = zipped(self.entries)
        path = self.folder / "cut.zip"
        expected = self.packets(self.expected)
        read = 0
        for length in [*range(1, len(whole), 97), *range(len(whole) - 40, len(whole))]:
            path.write_bytes(whole[:length])
            result = run("show", "--json", path)
            found = self.packets(result)
            self.assertLessEqual(len(found), len(expected), length)
            self.assertEqual(result.returncode, 65, f"{length} bytes: {result.stderr}")
            self.assertLessEqual(result.stderr.count(b"\n"), 3, result.stderr)
            read = max(read, len(found))
        self.assertEqual(read, len(expected))

    def test_directories_of_zips_that_end_early(self) -> None:
        """A zip cut off after its entries must give all packets, and say that it was cut; one with a comment, or with
        something after it, must not.
        """
        made = io.BytesIO(zipped(self.entries))
        with zipfile.ZipFile(made, "a") as archive:
            archive.comment = b"PK\5\6 and PK"
        # So many entries that the directory is longer than what libarchive reads ahead.
        many = zipped(self.entries | {f"folder-{number:05d}/{number:0100d}.bin": b"" for number in range(2_000)})
        nested = zipped({"report.zip": zipped(self.entries)}, zipfile.ZIP_STORED)
        for name, whole in {"comment": made.getvalue(), "many": many, "nested": nested}.items():
            start = whole.rindex(b"PK\1\2") if name != "many" else whole.index(b"PK\1\2")
            path = self.folder / f"{name}.zip"
            for length in [*range(start + 4, len(whole), max(1, (len(whole) - start) // 40)), len(whole) - 1]:
                path.write_bytes(whole[:length])
                result = run("show", "--json", path)
                self.assertEqual(self.packets(result), self.packets(self.expected), f"{name}: {length}")
                self.assertEqual(result.returncode, 65, f"{name}: {length} of {len(whole)}")
                self.assertIn(f"ends at byte {length}, within the directory".encode(), result.stderr, name)
            for behind in (b"", b"and more", b"PK\5\6" + b"\xff" * 30, bytes(200_000)):
                path.write_bytes(whole + behind)
                self.assert_same(f"{name} and {len(behind)} bytes", run("show", "--json", path))
                self.assert_same(f"{name} and {len(behind)} bytes from a pipe", run("show", "--json", "-", given=whole + behind))

    def test_compressed_logs_that_end_early(self) -> None:
        """Of a compressed file cut at any byte, what can be decompressed is shown, and never less than of a shorter one."""
        capture = ROOT / "captures" / "heart-rate.btsnoop"
        # Longer than the blocks of 64 KB that libarchive passes on.
        records = capture.read_bytes()[16:]
        whole = capture.read_bytes()[:16] + records * (300_000 // len(records))
        packers = {"gz": gzip.compress, "xz": lzma.compress, "bz2": bz2.compress, "tar.gz": lambda data: gzip.compress(tarred({"a.log": data}))}
        if shutil.which("zstd"):
            packers["zst"] = lambda data: subprocess.run(["zstd", "-q", "--check"], input=data, capture_output=True, check=True).stdout
        for ending, pack in packers.items():
            packed, path = pack(whole), self.folder / f"cut.{ending}"
            known, step = 0, max(1, len(packed) // 60)
            for length in [*range(40, len(packed), step), *range(len(packed) - 12, len(packed) + 1)]:
                path.write_bytes(packed[:length])
                result = run("info", "--json", path)
                shown = re.search(rb'"records":\{"total":(\d+)', result.stdout)
                count = int(shown[1]) if shown else 0
                self.assertGreaterEqual(count, known, f"{ending}: {length} of {len(packed)}")
                self.assertEqual(result.returncode, 65 if length < len(packed) else 0, f"{ending}: {length}: {result.stderr}")
                if ending.endswith("gz") and length < len(packed):
                    there = self.inflated(packed[:length]) - (512 if ending == "tar.gz" else 0)
                    self.assertEqual(count, self.records_within(whole, there), f"{ending}: {length}")
                known = count
            self.assertEqual(known, self.records_within(whole, len(whole)), ending)

    def inflated(self, packed: bytes) -> int:
        """How many bytes zlib inflates of the beginning of a gzip file."""
        return len(zlib.decompressobj(31).decompress(packed))

    def records_within(self, capture: bytes, length: int) -> int:
        """How many records of a btsnoop file end within its first bytes."""
        count, offset = 0, 16
        while offset + 24 <= len(capture):
            offset += 24 + int.from_bytes(capture[offset + 4 : offset + 8])
            if offset > length:
                break
            count += 1
        return count

    def test_checksums_of_compressed_logs(self) -> None:
        """A checksum that is wrong is damage: everything is shown, and the status is 65."""
        capture = (ROOT / "captures" / "heart-rate.btsnoop").read_bytes()
        places = {"gz": (gzip.compress(capture), -6), "xz": (lzma.compress(capture), None), "bz2": (bz2.compress(capture), 12)}
        for ending, (packed, place) in places.items():
            bad, path = bytearray(packed), self.folder / f"bad.{ending}"
            # The check of xz is before its index, which ends with a footer of 12 bytes.
            place = len(bad) - 12 - 4 * (int.from_bytes(bad[-8:-4], "little") + 1) - 1 if place is None else place
            bad[place] ^= 1
            for data, name in ((bytes(bad), path.name), (tarred({"bad": bytes(bad)}), "bad.tar")):
                (self.folder / name).write_bytes(data)
                result = run("info", self.folder / name)
                self.assertEqual(result.returncode, 65, f"{name}: {result.stderr}")
                self.assertRegex(result.stderr, rb"the compressed data at byte \d+ is damaged", name)
                if ending == "gz":
                    self.assertIn(b"records      166:", result.stdout, name)
                    self.assertIn(b"its checksum is wrong", result.stderr, name)

    def test_old_archives(self) -> None:
        """tar as it was before POSIX is read; cpio, which nobody sends, is not."""
        for name, data in self.entries.items():
            (self.folder / "in" / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / "in" / name).write_bytes(data)
        if not shutil.which("bsdtar"):
            self.skipTest("bsdtar is not installed")
        for kind in ("v7", "odc", "newc"):
            made = subprocess.run(
                ["bsdtar", "-c", "--format", kind, "-C", self.folder / "in", "-f", "-", *self.entries], capture_output=True, check=True)
            path = self.folder / f"report.{kind}"
            path.write_bytes(made.stdout)
            result = run("show", "--json", path)
            if kind == "v7":
                self.assert_same(kind, result)
            else:
                self.assertEqual((result.returncode, result.stdout), (65, b""), kind)
                self.assertIn(b"is not a capture", result.stderr, kind)

    def test_what_is_not_read(self) -> None:
        cases = {
            "nothing.zip": (zipped({"a.txt": b"x"}), b"holds no Bluetooth log: 1 entry"),
            "off.zip": (
                zipped({"bugreport-x.txt": ("sSnoopLogSettingAtEnable = DISABLED\n" + TEXT).encode()}),
                b"(Android 16); the phone's option \"Bluetooth HCI snoop log\" was off",
            ),
            "garbage.zip": (b"PK\3\4garbage", b"the archive is damaged, or cut off"),
            "network.zip": (
                zipped({"wifi.pcap": bytes.fromhex("d4c3b2a1020004000000000000000000ffff000001000000")}),
                b"holds no Bluetooth log",
            ),
        }
        for name, (data, words) in cases.items():
            path = self.folder / name
            path.write_bytes(data)
            result = run("show", path)
            self.assertEqual(result.returncode, 65, name)
            self.assertIn(words, result.stderr, name)
            self.assertEqual(result.stderr.count(b"\n"), 1, result.stderr)

    def test_damage_that_checksums_show(self) -> None:
        """With one flipped byte in a stored entry, its packets must be read and the damage reported; the next entry
        must follow.
        """
        whole = bytearray(zipped(self.entries, zipfile.ZIP_STORED))
        whole[whole.index(self.second[16:80]) + 40] ^= 1
        path = self.folder / "flipped.zip"
        path.write_bytes(whole)
        result = run("info", path)
        self.assertEqual(result.returncode, 65, result.stderr)
        self.assertIn(b"bad CRC", result.stderr)
        self.assertIn(b"records      166:", result.stdout)

    def test_names_beyond_ascii(self) -> None:
        path = self.folder / "names.zip"
        path.write_bytes(zipped({"\u65e5\u5fd7/btsnoop_hci.log": self.first}))
        result = run("info", "--entry", "\u65e5\u5fd7*", path)
        self.assertIn("names.zip:\u65e5\u5fd7/btsnoop_hci.log".encode(), result.stdout, result.stderr)

    def test_what_is_too_deep_is_listed(self) -> None:
        path = self.folder / "deep.zip"
        path.write_bytes(zipped({"a.log": self.first, "b.zip": zipped({"c.zip": zipped({"d.log": self.second})})}))
        self.assertIn(b"not read     b.zip:c.zip: an archive inside an archive inside an archive", run("info", path).stdout)

    def test_summaries_beside_logs(self) -> None:
        """A btsnooz summary in any form must be ignored beside a log with records, and read beside an empty one."""
        summary = (PHONE / "btsnooz_hci.odd.log").read_bytes() if PHONE.is_dir() else None
        if summary is None:
            self.skipTest(f"{PHONE} does not exist")
        path = self.folder / "both.zip"
        path.write_bytes(zipped({"odd.log": summary, "btsnoop_hci.log": self.first}))
        self.assertIn(b"the summary in odd.log: other logs have records", run("info", path).stdout)
        path.write_bytes(zipped({"odd.log": summary, "btsnoop_hci.log": self.first[:30]}))
        self.assertIn(b"records      109:", run("info", path).stdout)

    def test_text_without_an_end(self) -> None:
        """btmon's text must get an answer at once, while it still arrives."""
        with subprocess.Popen([PROGRAM, "show", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            child.stdin.write(b"Bluetooth monitor ver 5.66\n")
            child.stdin.flush()
            self.assertEqual(child.wait(timeout=20), 65)
            self.assertIn(b"is btmon's text", child.stderr.read())

    def test_hostile_names_and_links(self) -> None:
        made = io.BytesIO()
        with tarfile.open(fileobj=made, mode="w") as archive:
            for name in ("../../escaped.log", "/tmp/gattscope-absolute.log", "a\x1b[31mb\n.log", "x" * 200 + ".log"):
                entry = tarfile.TarInfo(name)
                data = self.first + name.encode()[:0]
                entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data))
            for kind, target in ((tarfile.SYMTYPE, "/etc/passwd"), (tarfile.CHRTYPE, ""), (tarfile.DIRTYPE, "")):
                entry = tarfile.TarInfo(f"special{int(kind)}.log")
                entry.type, entry.linkname = kind, target
                archive.addfile(entry)
        path = self.folder / "hostile.tar"
        path.write_bytes(made.getvalue())
        result = run("info", path)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn(b"\x1b", result.stdout + result.stderr)
        self.assertFalse(os.path.exists("/tmp/gattscope-absolute.log"))
        self.assertFalse((self.folder.parent / "escaped.log").exists())

    def test_bombs_cost_little(self) -> None:
        """A gigabyte of zeros, and 200,001 entries, must each take at most 3 s of processor time."""
        # Compresses a 64th once: after a full flush, the compressed bytes can be repeated.
        part = bytes(1 << 24)
        compressor = zlib.compressobj(1, wbits=-15)
        repeated = compressor.compress(part) + compressor.flush(zlib.Z_FULL_FLUSH)
        checksum = functools.reduce(lambda checksum, _: zlib.crc32(part, checksum), range(64), 0)
        length = (1 << 30).to_bytes(4, "little")
        zeros = gzip.compress(b"")[:10] + repeated * 64 + b"\x03\0" + checksum.to_bytes(4, "little") + length
        many = io.BytesIO()
        with tarfile.open(fileobj=many, mode="w") as archive:
            entry = tarfile.TarInfo("x")
            for _ in range(200_001):
                archive.addfile(entry)
        cases = {
            "zeros.gz": zeros,
            "zeros.zip": zipped({"a.bin": bytes(1 << 28), "b.bin": bytes(1 << 28)}),
            "zeros-in-zip.zip": zipped({"zeros.gz": zeros}, zipfile.ZIP_STORED),
            "entries.tar.gz": gzip.compress(many.getvalue(), 1),
        }
        for name, data in cases.items():
            path = self.folder / name
            path.write_bytes(data)
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            result = run("info", path)
            spent = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.assertEqual(result.returncode, 65, f"{name}: {result.stderr}")
            seconds = spent.ru_utime + spent.ru_stime - before.ru_utime - before.ru_stime
            self.assertLess(seconds, 3, name)

    def test_entries_wake_no_process(self) -> None:
        """The program and the archive's process must not wait for each other at each entry."""
        count = 5000
        cases = {
            "empty.tar.gz": tarred({str(number): b"" for number in range(count)}, "w:gz"),
            "empty.zip": zipped({str(number): b"" for number in range(count)}),
            "texts.zip": zipped({str(number): b"a" * 600 for number in range(count)}),
            "small.zip": zipped({str(number): bytes(600) for number in range(count)}),
            "small.tar": tarred({str(number): bytes(600) for number in range(count)}),
        }
        for name, data in cases.items():
            path = self.folder / name
            path.write_bytes(data)
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_nvcsw
            self.assertIn(f"holds no Bluetooth log: {count} entries".encode(), run("info", path).stderr)
            self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_nvcsw - before, count / 10, name)

    def test_what_was_read_before_the_process_ends(self) -> None:
        """If libarchive crashes, the entries that it has read must be shown."""
        name = "btsnoop_hci.log"
        # The end of the archive is missing, so the process waits for more.
        given = tar_header(name.encode(), b"0", len(self.first)) + self.first + bytes(-len(self.first) % 512)
        with subprocess.Popen([PROGRAM, "info", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
            program.stdin.write(given)
            program.stdin.flush()
            process = Path(f"/proc/{program.pid}")
            for _ in range(1000):
                children = (process / f"task/{program.pid}/children").read_text().split()
                # In read(2), of x86-64 or AArch64, of standard input: what was given has been passed on.
                if children and (process / "syscall").read_text().split()[:2] in (["0", "0x0"], ["63", "0x0"]):
                    break
                time.sleep(0.02)
            os.kill(int(children[0]), signal.SIGSEGV)
            shown, errors = program.communicate(timeout=60)
        self.assertEqual(program.returncode, 65, errors)
        self.assertIn(b"records      83:", shown)
        self.assertIn(b"the archive is damaged: libarchive crashed while it read it", errors)

    def test_what_asks_for_memory(self) -> None:
        """No number in an archive may make any process use more than 100 MB: one sentence must explain it."""
        log = self.first
        attacks = {
            "lzma2.7z": seven_coded(b"\x21", b"\x24", 1 << 30),
            "lzma.7z": seven_coded(b"\3\1\1", b"\x5d\0\0\0\x60", 1 << 32),
            "ppmd.7z": seven_coded(b"\3\4\1", b"\6\0\0\0\x60", 1 << 32),
            "empty.7z": seven_of_empty_files(20_000_000),
            "lzma.zip": zip_of_method(14, b"\x13\2\5\0\x5d\0\0\0\x40" + bytes(1000), 1 << 30),
            "ppmd.zip": zip_of_method(98, struct.pack("<H", 5 | 255 << 4) + bytes(1000), 1 << 30),
            "zstd.zip": zip_of_method(93, zstd_of_window(log, 30), len(log)),
            "xz.zip": zip_of_method(95, xz_of_dictionary(log, 37), len(log)),
            "dictionary.xz": xz_of_dictionary(log, 37),
            "window.zst": zstd_of_window(log, 30),
            "dictionary.rar": rar(15),
            # Zeros compress well, but a name has no end.
            "name.tar.gz": gzip.compress(tar_header(b"x", b"L", 120 << 20) + b"n" * (120 << 20) + tar_header(b"y", b"0", 0), 1),
            "pax.tar.gz": gzip.compress(
                tar_header(b"x", b"x", 100 << 20) + b"104857600 path=" + b"n" * ((100 << 20) - 16) + b"\n" + tar_header(b"y", b"0", 0), 1),
        }
        refused = set()
        for name, data in attacks.items():
            forms = {name: data, f"{name}.gz": gzip.compress(data), f"{name}.zip": zipped({name: data})}
            for form, content in forms.items() if len(data) < 1 << 20 else [(name, data)]:
                with self.subTest(form):
                    path = self.folder / form
                    path.write_bytes(content)
                    status, peak, _, errors = measured("info", path)
                    self.assertLess(peak, MOST_KILOBYTES)
                    self.assertEqual(status, 65, errors)
                    self.assertEqual(errors.count("\n"), 1, errors)
                    if "MB of memory" in errors or "too much memory" in errors:
                        refused.add(name)
                    # One bad file must not end a run.
                    done = measured("table", "--kind", "captures", path, self.folder / FIRST)
                    self.assertLess(done[1], MOST_KILOBYTES)
                    self.assertEqual([json.loads(line)["status"] == "ok" for line in done[2].splitlines()], [False, True])
                    self.assertEqual(done[0], 0)
        # Some versions of libarchive refuse the others for another reason, such as their header.
        self.assertLessEqual({"lzma2.7z", "lzma.7z", "empty.7z", "lzma.zip", "dictionary.xz", "window.zst"}, refused)

    def test_what_asks_for_as_much_memory_as_people_need(self) -> None:
        for name, data in {
            "9.xz": xz_of_dictionary(self.first, 28),
            "9.tar.xz": xz_of_dictionary(tarred({"a.log": self.first}), 28),
            "9.xz.zip": zipped({"a.log.xz": xz_of_dictionary(self.first, 24)}),
            "19.zst": zstd_of_window(self.first, 23),
        }.items():
            path = self.folder / name
            path.write_bytes(data)
            status, peak, output, errors = measured("info", path)
            self.assertEqual((status, errors), (0, ""), name)
            self.assertLess(peak, MOST_KILOBYTES)
            self.assertIn("83", output)

    def test_what_unpacks_to_too_much(self) -> None:
        """All parts of an input share one budget of unpacked bytes, which also limits what ends up in TMPDIR."""
        text = gzip.compress(b"a" * (64 << 20))
        log = gzip.compress(self.first[:16] + self.first[16:] * ((64 << 20) // (len(self.first) - 16)))
        parts = {f"{number}.gz": text for number in range(50)}
        for name, data in {
            "fifty.zip": zipped(parts),
            "fifty.tar.gz": gzip.compress(tarred(parts)),
            "fifty.tar.xz": lzma.compress(tarred(parts)),
            "zips.zip": zipped({f"{number}.zip": zipped({"a.bin": bytes(64 << 20), "a.txt": b"a" * (64 << 20)}) for number in range(9)}),
            "members.gz": gzip.compress(text * 50),
            "log.gz": gzip.compress(log * 9),
            "log.btsnoop.gz.bz2": bz2.compress(gzip.compress(self.first[:16] + bytes(400 << 20))),
        }.items():
            with self.subTest(name):
                path = self.folder / name
                path.write_bytes(data)
                self.assertLess(len(data), 1 << 20)
                for arguments in (("info",), ("table", "--kind", "captures")):
                    status, peak, output, errors = measured(*arguments, path)
                    self.assertLess(peak, MOST_KILOBYTES)
                    self.assertLess(len(errors.splitlines()), 2, errors)
                    self.assertEqual(status, 0 if arguments[0] == "table" else 65, errors)
                    self.assertIn("it unpacks to more than 256 MB and 100 times its own size", output + errors)

    def test_logs_before_what_unpacks_to_too_much(self) -> None:
        text = gzip.compress(b"a" * (64 << 20))
        path = self.folder / "report.zip"
        path.write_bytes(zipped({SECOND: self.second, FIRST: self.first} | {f"{number}.gz": text for number in range(50)}))
        status, _, output, errors = measured("info", path)
        self.assertEqual(status, 65)
        self.assertIn("records      166", output)
        self.assertIn("it unpacks to more than 256 MB", errors)

    def test_without_the_library(self) -> None:
        """Without libarchive, one sentence must explain what to do; plain logs need nothing."""
        path = self.folder / "report.zip"
        path.write_bytes(zipped(self.entries))
        if os.geteuid() != 0 or not shutil.which("unshare"):
            self.skipTest("hiding the library needs a mount namespace")
        library = next(iter(Path("/usr/lib").rglob("libarchive.so.13")), None)
        if library is None:
            self.skipTest("libarchive is not installed")
        hidden = f"mount --bind /dev/null {library.resolve()} && exec {PROGRAM} "
        result = subprocess.run(["unshare", "-m", "sh", "-c", f"{hidden} show {path}"], capture_output=True, check=False)
        if b"unshare" in result.stderr or b"mount:" in result.stderr:
            self.skipTest("mount namespaces are not available")
        self.assertEqual(result.returncode, 66, result.stderr)
        self.assertIn(b"install libarchive13, or unpack the file first", result.stderr)
        result = subprocess.run(["unshare", "-m", "sh", "-c", f"{hidden} show {self.folder / FIRST}"], capture_output=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)

    @unittest.skipUnless(PHONE.is_dir(), f"{PHONE} does not exist")
    def test_what_phones_hand_over(self) -> None:
        """Tests the records and coverage of each of the shared phone logs."""
        expected = {
            "bluetooth_manager.txt": (227, "a summary"),
            "btsnooz_hci.log": (227, "a summary"),
            "btsnooz_hci.odd.log": (109, "commands and events only"),
            "btsnoop_hci.log.filtered": (227, "filtered"),
            "bugreport-sample-2026-11-21-12-05-00.zip": (166, ""),
            "sysdiagnose-sample.tar.gz": (292, ""),
        }
        for name, (records, coverage) in expected.items():
            text = run("info", PHONE / name).stdout.decode()
            self.assertIn(f"records      {records}: ", text, name)
            line = next((line for line in text.splitlines() if line.startswith("coverage")), "")
            self.assertIn(coverage, line, name)


if __name__ == "__main__":
    unittest.main()
