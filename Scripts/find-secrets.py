#!/usr/bin/env python3
"""Searches everything that gattscope prints without --show-keys for keys and passkeys.

usage: find-secrets.py GATTSCOPE FOLDER...

The secrets come from elsewhere: from the scripts that write the sample captures, from NAME.truth.json beside
NAME.btsnoop, from the lines of test programs in NAME.log/, and from tshark, which names the keys in SMP PDUs. The
script searches for each secret in both byte orders, as hexadecimal with any spacing, and as text. With --show-keys some
must appear, because a search that never finds anything proves nothing. Exit status 1: a secret was found, or none was
searched for.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Iterator

from comparison import tshark
from tested_program import sampled
from traffic import files, written

OTHER = str(Path(__file__).resolve().parent.parent / "captures" / "heart-rate.btsnoop")  # the capture that diff compares each capture with
VIEWS = (
    *(["show"], ["show", "-v"], ["show", "-x"], ["show", "-v", "-x"], ["show", "--ascii", "-x"]),
    *(["show", "--json"], ["show", "--json", "--raw"], ["info"], ["info", "--json"]),
    *(["map"], ["map", "--json"]),
    *(["devices"], ["devices", "--json"]),
    *(["values"], ["values", "--all"], ["values", "--csv", "--wide"], ["values", "--json"]),
    *(["values", "--distinct"], ["values", "--changes"], ["values", "--messages"], ["values", "--messages", "--json"], ["values", "--rate"]),
    *(["values", "--channel", "0x0004", "--raw", "-"], ["values", "--raw", "-"], ["profiles", "match"]),
    *(["values", "--positions"], ["profiles", "learn"], ["profiles", "learn", "--json"], ["profiles", "new"]),
    *(["explain", "--full"], ["explain", "--json"], ["explain", "--markdown"], ["report"]),
    *(["trace"], ["trace", "--json"], ["trace", "--as", "android"], ["trace", "--as", "bleak"]),
    *(["table"], ["table", "--csv", "--kind", "operations"]),
    *(["diff", "--all", OTHER], ["diff", "--json", "--all", OTHER]),
)
# The length of a piece, and where pieces begin: a dump breaks a key of 16 bytes into two lines, one of which has at
# least 8 bytes.
PIECE, STARTS = 6, (0, 5, 10)
# These captures repeat their keys in values and vendors' events, which are printed unchanged; the redaction tests use
# them.
PLANTED = "secrets-everywhere"
LEAST_DIFFERENT = 4  # different bytes in a piece that is worth searching for; zeros are everywhere
KEYS = ("long_term_key", "identity_resolving_key", "signature_key")
COMMITMENTS = ("confirm_value", "random_value")
NOT_HEXADECIMAL = re.compile(r"[^0-9a-f\n]")
DUMP_OFFSET = re.compile(r"^ *[0-9a-f]{4,8}  ", re.MULTILINE)


class Secrets:
    def __init__(self) -> None:
        self.keys: set[bytes] = set()
        self.passkeys: set[str] = set()

    def pieces(self) -> Iterator[tuple[bytes, bytes]]:
        """Yields each piece with its key."""
        for key in sorted(self.keys):
            for order in (key, key[::-1]):
                for start in STARTS:
                    piece = order[start : start + PIECE]
                    # The numbers of a page's packets look like a made key of ascending bytes.
                    is_made = {after - before for before, after in zip(piece, piece[1:])} <= {1, -1}
                    if len(piece) == PIECE and len(set(piece)) >= LEAST_DIFFERENT and not is_made:
                        yield piece, key

    def found(self, output: str) -> str | None:
        lower = output.lower()
        plain = NOT_HEXADECIMAL.sub("", DUMP_OFFSET.sub("", lower))
        for piece, key in self.pieces():
            if piece.hex() in plain or piece.isascii() and piece.decode().isprintable() and piece.decode() in output:
                return f"{piece.hex()} of {key.hex()}"
        for passkey in sorted(self.passkeys):
            if re.search(rf"(?<![\d.]){passkey}(?!\d)", output):
                return f"passkey {passkey}"
        return None


def keys_in(document) -> Iterator[bytes]:
    """Yields every `value` of 16 bytes below `keys`, and keys in other places."""
    if isinstance(document, list):
        for each in document:
            yield from keys_in(each)
    elif isinstance(document, dict):
        for name, value in document.items():
            is_key = name == "value" or name.endswith("irk") or name.endswith("ltk")
            if is_key and isinstance(value, str) and re.fullmatch(r"[0-9a-f]{32}", value):
                yield bytes.fromhex(value)
            yield from keys_in(value)


def secrets_of(path: Path, packets: list[dict]) -> Secrets:
    secrets = Secrets()
    name = path.name.split(".")[0]
    secrets.keys |= set(written.SECRETS.get(name, []))
    secrets.passkeys |= set(written.PASSKEYS.get(name, []))
    for packet in packets:
        secrets.keys |= {bytes.fromhex(packet[f"smp.{key}"]) for key in KEYS if f"smp.{key}" in packet}
    truth = path.parent / f"{name}.truth.json"
    if truth.exists():
        told = json.loads(truth.read_text())
        secrets.keys |= set(keys_in([each.get("keys") for each in told["ops"]])) | set(
            keys_in({key: value for key, value in told.items() if key.endswith("irk")})
        )
        if told.get("passkey") is not None and told.get("compare") is None:
            secrets.passkeys.add(f"{told['passkey']:06}")
            values = (packet.get(f"smp.{each}") for packet in packets for each in COMMITMENTS)
            secrets.keys |= {bytes.fromhex(each) for each in values if each}
    for log in (path.parent / f"{name}.log").glob("*.txt"):
        text = log.read_text(errors="replace")
        secrets.keys |= {bytes.fromhex(each) for each in re.findall(r"ltk ([0-9a-f]{32})", text)}
        secrets.passkeys |= {each.zfill(6) for each in re.findall(r"passkey notify (\d+)", text)}
    # Log lines of other programs are printed unchanged, and some contain secrets.
    content = path.read_bytes()
    secrets.passkeys = {each for each in secrets.passkeys if each.encode() not in content}
    return secrets


def printed(program: str, arguments: list[str], path: Path) -> str:
    result = subprocess.run([program, *arguments, str(path)], capture_output=True, check=False)
    # 2: a script of bleak has nothing to replay.
    if result.returncode not in (0, 1, 2, 64, 65):
        sys.exit(f"{path}: {' '.join(arguments)} ended with {result.returncode}: {result.stderr.decode().strip()}")
    if arguments[0] == "values" and "--raw" in arguments:
        # Raw bytes: digits may be among them, and keys are searched for in hex.
        return result.stdout.hex() + result.stdout.decode("latin-1")
    return result.stdout.decode("utf-8")


def without_logs(program: str, path: Path, packets: list) -> list:
    """Returns the facts without controllers' debug logs, whose text tshark mistakes for keys."""
    lines = printed(program, ["show", "--json"], path).splitlines()
    logs = {json.loads(line)["packet"] for line in lines if '"protocol":"controller_log"' in line}
    return [facts for number, facts in enumerate(packets, 1) if number not in logs]


def main() -> int:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    if shutil.which("tshark") is None:
        print("skipped: tshark is not installed")
        return 1 if os.environ.get("CI") else 0
    program = sys.argv[1]
    found: list[str] = []
    captures = looked_for = shown = 0
    everything = (path for folder in map(Path, sys.argv[2:]) for path in sorted(folder.rglob("*")) if path.is_file())
    for path in sampled(list(everything)):
        kind = files.kind(path)
        if kind is None or not any(kind.is_read) or path.name.startswith(PLANTED):
            continue
        secrets = secrets_of(path, without_logs(program, path, tshark.facts(path) or []))
        captures, looked_for = captures + 1, looked_for + len(secrets.keys) + len(secrets.passkeys)
        if not secrets.keys and not secrets.passkeys:
            continue
        for view in VIEWS:
            if leak := secrets.found(printed(program, view, path)):
                found.append(f"{path.parent.name}/{path.name}: {' '.join(view)} shows {leak}")
        shown += secrets.found(printed(program, ["show", "--json", "--show-keys"], path)) is not None
    if looked_for == 0:
        found.append("no secret was searched for")
    elif shown == 0:
        found.append("no secret was found with --show-keys either: this search could not have found any")
    for message in found:
        print(message)
    print(f"{captures} captures, {looked_for} secrets, seen with --show-keys in {shown} captures, {len(found)} errors")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
