"""Tests `gattscope convert` with tshark, which must read the output and find the same packets as in the original.

If tshark reads the original's format differently (PacketLogger's notes), `gattscope show` is used instead. Unless SWEEPS
is "full", each capture is converted to every third format.
"""

import functools
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from tested_program import PROGRAM, ROOT, SWEEP_STEP

GATTSCOPE = str(PROGRAM)
CAPTURES = sorted([*(ROOT / "captures").glob("*.btsnoop"), *(ROOT / "captures").glob("*.pcap*")])
LENGTHS = ("frame.len", "frame.cap_len")  # the same in the same format only
FIELDS = (*LENGTHS, "frame.time_epoch", "bthci_cmd.opcode", "bthci_evt.code", "bthci_acl.chandle",
          "btatt.opcode", "btatt.handle", "btatt.value", "btsmp.opcode", "btl2cap.cid")
HAS_TSHARK = shutil.which("tshark") is not None


def tshark(path: Path, *fields: str) -> list[str]:
    """Returns one line per packet, with these fields."""
    return of_sample(path, *fields) if path in CAPTURES else read(path, *fields)


def read(path: Path, *fields: str) -> list[str]:
    wanted = [option for field in fields for option in ("-e", field)]
    command = ["tshark", "-n", "-r", str(path), "-T", "fields", "-E", "separator=|", *wanted]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


of_sample = functools.cache(read)  # the samples do not change


def convert(*arguments: str) -> str:
    done = subprocess.run([GATTSCOPE, "convert", "--force", *map(str, arguments)], check=True, capture_output=True, text=True)
    return done.stderr


@unittest.skipUnless(HAS_TSHARK, "tshark is not installed")
class SeenByTshark(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_same_packets(self) -> None:
        compared = 0
        if SWEEP_STEP > 1:
            print("sampled: each capture gets every third format")
        for number, capture in enumerate(CAPTURES):
            for ending in ("btsnoop", "pcap", "pcapng", "pklg")[number % SWEEP_STEP :: SWEEP_STEP]:
                if ending == "pklg" and capture.name == "management.btsnoop":
                    continue  # it contains no packet
                if ending in ("btsnoop", "pklg") and capture.name.startswith("sniffed-"):
                    continue  # packets from the air have no place in it
                out = self.folder / f"out.{ending}"
                message = convert(capture, out)
                found = tshark(out, *FIELDS)
                self.assertGreater(len(found), 0, f"{capture.name} as {ending}")
                if message:
                    continue  # some records were left out, and reported
                # In the same format, the lengths are those of the original, including those before a packet was cut.
                first = 0 if out.suffix == capture.suffix else len(LENGTHS)
                with self.subTest(capture=capture.name, ending=ending):
                    self.assertEqual(*([line.split("|")[first:] for line in lines] for lines in (found, tshark(capture, *FIELDS))))
                    compared += 1
        self.assertGreater(compared, len(CAPTURES) // SWEEP_STEP)

    def test_comments(self) -> None:
        capture = ROOT / "captures" / "heart-rate.btsnoop"
        out = self.folder / "out.pcapng"
        self.assertEqual(convert("--comments", capture, out), "")
        comments = tshark(out, "frame.comment")
        self.assertEqual(len(comments), len(tshark(capture, "frame.number")))
        self.assertTrue(all(comments))
        self.assertTrue(any(comment.endswith("Heart Rate Measurement: 72 bpm") for comment in comments), comments[-40:])

    def test_standard_output(self) -> None:
        capture = ROOT / "captures" / "wristband.btsnoop"
        out = self.folder / "out.pcap"
        with out.open("wb") as file:
            subprocess.run([GATTSCOPE, "convert", "--as", "pcap-201", str(capture), "-"], check=True, stdout=file)
        self.assertEqual(len(tshark(out, "frame.number")), len(tshark(capture, "frame.number")))

    def test_merged(self) -> None:
        both = [ROOT / "captures" / f"heart-rate{end}.btsnoop" for end in ("", ".peripheral")]
        out = self.folder / "both.pcapng"
        convert("--merge", *both, out)
        found = tshark(out, "frame.time_epoch")
        times = sorted(float(line) for capture in both for line in tshark(capture, "frame.time_epoch"))
        self.assertEqual([float(line) for line in found], times)


if __name__ == "__main__":
    unittest.main()
