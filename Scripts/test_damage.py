"""Tests damaged captures: every verb must end with 0 or 65, print everything before the damage as before, and need at
most twice the time and memory of the intact file.

DAMAGE_ROUNDS is how much of each kind of damage a capture gets (1). With one round, captures larger than 200 kB, which
take most of the time, get only every third damage; unless SWEEPS is "full", captures get every ninth, and of those
that are not the project's own only every fifth is damaged.
"""

import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import damage
from test_live import CAPTURES, GATTSCOPE
from tested_program import SWEEP_STEP, sampled

ROUNDS = int(os.environ.get("DAMAGE_ROUNDS", "1"))
SECONDS = 20
# Captures of more bytes than LARGE get one damage in LARGE_STEP.
LARGE = 200_000 if SWEEP_STEP == 1 else 0
LARGE_STEP = 3 * SWEEP_STEP
# Additional to twice the intact file's time: starting a program takes a variable time on a busy machine.
SLACK_SECONDS, SLACK_KB = 0.25, 4096
# If no passkey fits a pairing's confirm value, all million are tried; damage may create such a value.
PASSKEY_SECONDS, PASSKEY_VERBS = 1.5, ("explain", "diff", "convert")
HEALTHY, DAMAGED = 0, 65
GOOD = HEALTHY, DAMAGED
DIFFERENT = 1  # only diff's
NOTHING = 2  # only of scripts of bleak
NOT_WRITTEN = 74
OTHER = CAPTURES[0]
WHOLE_FILES = [
    folder
    for folder in (Path(CAPTURES[0]).parent, Path(__file__).resolve().parent.parent.parent / "shared" / "captures")
    if folder.is_dir()
]


IN = "IN"  # replaced by the capture


def views(folder: Path) -> list[list[str]]:
    """Returns the verbs with their arguments. The first is compared line by line."""
    return [
        ["show", "--json", IN],
        ["show", "-v", "-x", IN],
        ["info", "--json", IN],
        ["map", IN],
        ["devices", "--json", IN],
        ["values", "--json", IN],
        ["values", "--rate", "--json", IN],
        ["values", "--changes", "--csv", IN],
        ["values", "--distinct", IN],
        ["values", "--messages", IN],
        ["explain", "--json", IN],
        ["trace", "--as", "android", "--json", IN],
        ["trace", IN],
        ["trace", "--as", "bleak", IN],
        ["diff", "--json", str(OTHER), IN],
        ["report", IN],
        ["convert", "--force", "--redact", IN, str(folder / "out.pcapng")],
    ]


class Run(NamedTuple):
    status: int
    output: bytes
    errors: str
    seconds: float
    peak_kb: int


class Launcher:
    """A small process that starts the program: a process's peak memory is never below its parent's, and this one holds
    whole outputs.
    """

    mine = threading.local()
    started: list["Launcher"] = []

    def __init__(self) -> None:
        command = [sys.executable, __file__, "--launch"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.started.append(self)

    @classmethod
    def end_all(cls) -> None:
        while cls.started:
            with cls.started.pop().process as process:
                process.stdin.close()

    @classmethod
    def of_this_thread(cls) -> "Launcher":
        if not hasattr(cls.mine, "launcher"):
            cls.mine.launcher = cls()
        return cls.mine.launcher

    def run(self, command: list[str], out: Path, err: Path) -> tuple[int, float, int]:
        """Returns the status, the processor time in seconds, and the peak in kB."""
        print(json.dumps([command, str(out), str(err)]), file=self.process.stdin, flush=True)
        return tuple(json.loads(self.process.stdout.readline()))


def launch() -> None:
    """Starts each command on standard input, and prints the kernel's accounting of it."""
    started = 0
    signal.signal(signal.SIGALRM, lambda *_: os.kill(started, signal.SIGKILL))
    for line in sys.stdin:
        command, out, err = json.loads(line)
        writing = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        files = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), (os.POSIX_SPAWN_OPEN, 1, out, writing, 0o600),
            (os.POSIX_SPAWN_OPEN, 2, err, writing, 0o600)]
        started = os.posix_spawn(command[0], command, os.environ, file_actions=files)
        signal.alarm(SECONDS)
        _, status, usage = os.wait4(started, 0)
        signal.alarm(0)
        print(json.dumps([os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss]), flush=True)


def run(arguments: list[str], capture: Path, output: Path) -> Run:
    """Runs the program with its output in a file; returns the kernel's accounting of it."""
    errors = Path(f"{output}.err")
    command = [GATTSCOPE, *(str(capture) if each == IN else each for each in arguments)]
    status, seconds, peak = Launcher.of_this_thread().run(command, output, errors)
    return Run(status, output.read_bytes(), errors.read_text(errors="replace"), seconds, peak)


def complaints(capture: Path, rounds: int) -> list[str]:
    """Returns the problems with the output for a capture's damaged copies."""
    found = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        out, copy = folder / "out", folder / f"damaged{capture.suffix}"
        healthy = {tuple(view): run(view, capture, out) for view in views(folder)}
        lines = Lines(healthy[tuple(views(folder)[0])].output, capture.read_bytes())
        for number, kind in enumerate(damage.damages(capture, rounds)):
            if rounds == 1 and capture.stat().st_size > LARGE and number % LARGE_STEP:
                continue
            copy.write_bytes(kind.data)
            # Every verb sees each kind of damage, but not every copy: there are too many.
            every = views(folder)
            chosen = [every[0], every[1 + number % (len(every) - 1)]]
            for view in chosen:
                what = f"{capture.name}, {kind.name}: {' '.join(view[:2])}"
                before = healthy[tuple(view)]
                now = run(view, copy, out)
                good = GOOD + (DIFFERENT,) * (view[0] == "diff") + (NOTHING,) * ("bleak" in view)
                # A file with records is not replaced by one without records.
                good += (NOT_WRITTEN,) * ("stays as it is: there is no record" in now.errors)
                if now.status not in good:
                    found.append(f"{what}: status {now.status}, expected one of {good}: {now.errors[:300]}")
                if now.status == DAMAGED and not now.errors.startswith("gattscope: "):
                    found.append(f"{what}: status 65 without a sentence: {now.errors[:300]!r}")
                # Damage may make the content longer than the file: records are repeated.
                most = 2 * max(1, len(kind.data) / capture.stat().st_size)
                slack = SLACK_SECONDS + PASSKEY_SECONDS * (view[0] in PASSKEY_VERBS)
                for _ in range(3):
                    if now.seconds <= most * before.seconds + slack:
                        break
                    # Other load on the machine adds time.
                    now = now._replace(seconds=min(now.seconds, run(view, copy, out).seconds))
                if now.seconds > most * before.seconds + slack:
                    found.append(f"{what}: {now.seconds:.2f} s, healthy {before.seconds:.2f} s")
                if now.peak_kb > most * before.peak_kb + SLACK_KB:
                    found.append(f"{what}: {now.peak_kb} kB, healthy {before.peak_kb} kB")
                # A PacketLogger file has no magic number: only intact first records identify it.
                unknown = capture.suffix == ".pklg" and "is not a capture" in now.errors
                if view is every[0] and now.status in GOOD and not unknown:
                    if not now.output.startswith(lines.before(kind)):
                        found.append(f"{what}: the {kind.intact} records before the damage are told otherwise")
    return found


class Lines:
    """The lines about an intact file's records."""

    def __init__(self, output: bytes, data: bytes) -> None:
        self.output = output
        self.ends = [0, *itertools.accumulate(map(len, output.splitlines(keepends=True)))]
        self.told = [0, *itertools.accumulate(damage.told(data, damage.record_ends(data)))]

    def before(self, kind: damage.Damage) -> bytes:
        """Returns those about the records before the damage."""
        return self.output[: self.ends[min(self.told[kind.intact], len(self.ends) - 1)]]


def captures() -> list[Path]:
    files = sorted(each for folder in WHOLE_FILES for each in folder.rglob("*") if each.is_file())
    return [each for each in files if len(damage.record_ends(each.read_bytes())) > 2]


class DamageTest(unittest.TestCase):
    def test_every_capture(self) -> None:
        files = sampled(captures())
        self.assertGreater(len(files), 20, "captures to damage")
        self.addCleanup(Launcher.end_all)
        with ThreadPoolExecutor(os.cpu_count()) as workers:
            if SWEEP_STEP > 1 and ROUNDS == 1:
                print("sampled: captures get every ninth damage")
            results = workers.map(lambda each: complaints(each, ROUNDS), files)
            found = [line for lines in results for line in lines]
        self.assertEqual(found, [], "\n" + "\n".join(found[:40]))


if __name__ == "__main__":
    launch() if sys.argv[1:] == ["--launch"] else unittest.main()
