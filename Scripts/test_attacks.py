"""Tests captures that demand too much: each verb's time must grow no faster than the capture's length, its memory must
not grow once the tables are full, and a sentence must report each full table. Unless SWEEPS is "full", each attack meets
every third verb, and each verb every third attack.
"""

import os
import resource
import shutil
import subprocess
import tempfile
import unittest
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from cost import instructions, write_mix
from test_live import CAPTURES, GATTSCOPE
from tested_program import IN_CI, SWEEP_STEP
from traffic import attacks

COUNT = int(os.environ.get("ATTACK_COUNT", "4000"))  # repetitions of an attack; the longer capture has ten times as many
# The most time of ten times the work, as a multiple: linear growth stays below ten, because the short run includes the
# start, and a search among all that came before reaches a hundred. Other load adds time, hence the room between.
GROWTH, SLACK_SECONDS = 30, 0.5
TRIES = 6
# The most time of an attack's record, as a multiple of an ordinary record's, without the start; and of its bytes, if its
# records are longer.
RATIO = 20
# The attacks that cost most for their length: how many repetitions just fill what `devices` remembers, and the verbs that
# are measured.
COSTLY = {
    "crowds": (650, ("devices", "devices --json")),
    "decoded_crowds": (1090, ("devices", "devices --json")),
    "unresolved_crowds": (650, ("devices", "info", "trace")),
    "unresolved": (8000, ("devices", "info", "trace")),
    "bundles": (1000, ("trace",)),
}
# The most instructions for a byte, as a multiple of those for mixed traffic. The bytes are those of the capture or of the
# output, whichever are more.
BYTE_RATIO = 20
# The most bytes written for a byte of the capture.
WRITTEN_RATIO = 64
PEAK_MB = 160
# The attacks with which `diff` compares two captures that are both full.
COMPARED = ("busy_connections", "readings", "long_writes", "operations", "values")
# Files that are merged at once, and the most instructions for them, as a multiple of those for a tenth of the files.
MERGED, MERGED_GROWTH = 600, 13
ORDINARY = attacks.made(attacks.ordinary, 1000)
ORDINARY_BYTES = len(ORDINARY) / attacks.record_count(ORDINARY)
MOST_SECONDS = 120
VERBS = (
    *(["show"], ["show", "--json"], ["map"], ["devices", "--json"], ["values", "--json"], ["info", "--json"]),
    *(["values", "--csv", "--wide"], ["values", "--distinct"], ["values", "--changes"], ["values", "--messages"], ["values", "--rate"]),
    *(["explain"], ["trace"], ["trace", "--as", "android", "--json"], ["trace", "--as", "bleak"], ["diff", "--json", str(CAPTURES[0])]),
    *(["convert", "--force", "--redact"], ["report"], ["table"]),
)
STATUSES = {"diff": (0, 1), "trace": (0, 2)}
# Messages on standard error about the tables that an attack fills.
SAID = {
    "connections": "connections are open at once; the oldest was forgotten",
    "devices": "devices have names; the name learnt first was forgotten",
    "attributes": "attributes of one server, or too many servers, are known; not all are remembered",
    "characteristics": "attributes of one server, or too many servers, are known; not all are remembered",
    "fragments": "packets carry one PDU; the numbers of the later ones are not kept",
    "channels": "L2CAP channels are open at once; the oldest was forgotten",
    "trains": "periodic advertising trains are known; the one learnt first was forgotten",
    "chains": "advertisements wait for their next part; the oldest was given up",
}


class Run(NamedTuple):
    status: int
    seconds: float
    peak_mb: float
    errors: str


def run(verb: list[str], capture: Path) -> Run:
    out = [str(capture.with_suffix(f".{os.getpid()}.out.btsnoop"))] if verb[0] == "convert" else []
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    with tempfile.TemporaryFile() as errors:
        command = [GATTSCOPE, *verb, str(capture), *out]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors, preexec_fn=limit)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        text = errors.read().decode()
    return Run(process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, text)


def fastest(first: Run, most: float, again: Callable[[], Run]) -> Run:
    """Returns the fastest of several runs, because other load adds time. One is enough if it took at most `most`
    seconds.
    """
    best = first
    for _ in range(TRIES):
        if best.seconds <= most:
            break
        best = min(best, again(), key=lambda each: each.seconds)
    return best


def work(content: bytes) -> float:
    """Returns the number of ordinary records that a capture counts as: by its records, or by its bytes if these are more."""
    return max(attacks.record_count(content), len(content) / ORDINARY_BYTES)


def per_record(verb: list[str], content: bytes, folder: Path, start: float) -> float:
    """Returns the processor time for an ordinary record, in seconds."""
    path = folder / f"{len(content)}.btsnoop"
    path.write_bytes(content)
    return max(0.0, run(verb, path).seconds - start) / attacks.record_count(content)


def usual() -> dict[str, tuple[float, float]]:
    """Returns each verb's time without any records, and for a record of ordinary traffic."""
    found = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        nothing, ordinary = attacks.made(lambda *_: None, 0), attacks.made(attacks.ordinary, COUNT * 10)
        empty = folder / "empty.btsnoop"
        empty.write_bytes(nothing)
        for verb in VERBS:
            start = min(run(verb, empty).seconds for _ in range(3))
            found[" ".join(verb)] = start, min(per_record(verb, ordinary, folder, start) for _ in range(2))
    return found


def complaints(name: str, usual_times: dict[str, tuple[float, float]]) -> list[str]:
    found = []
    with tempfile.TemporaryDirectory() as folder:
        short, long = (Path(folder) / f"{size}.btsnoop" for size in ("short", "long"))
        short.write_bytes(attacks.attack(name, COUNT))
        long.write_bytes(attacks.attack(name, COUNT * 10))
        for verb in VERBS[list(attacks.ATTACKS).index(name) % SWEEP_STEP :: SWEEP_STEP]:
            small, large = run(verb, short), run(verb, long)
            what = f"{name}: {' '.join(verb[:3])}"
            for each in (small, large):
                if each.status not in STATUSES.get(verb[0], (0,)):
                    found.append(f"{what}: status {each.status}: {each.errors[:300]}")
            start, ordinary = usual_times[" ".join(verb)]
            records = work(long.read_bytes())
            most = min(GROWTH * small.seconds, RATIO * ordinary * records + start) + SLACK_SECONDS
            large = fastest(large, most, lambda: run(verb, long))
            if large.seconds > GROWTH * small.seconds + SLACK_SECONDS:
                found.append(f"{what}: {small.seconds:.2f} s, ten times as long {large.seconds:.2f} s")
            spent = large.seconds - start - SLACK_SECONDS
            if spent > RATIO * ordinary * records:
                each = spent / records
                found.append(f"{what}: {each * 1e6:.1f} µs a record, of ordinary traffic {ordinary * 1e6:.1f} µs")
            if large.peak_mb > PEAK_MB:
                found.append(f"{what}: {large.peak_mb:.0f} MB")
            if verb[0] in ("map", "explain", "trace", "values") and SAID.get(name, "") not in large.errors:
                found.append(f"{what}: nothing says “{SAID[name]}”: {large.errors[:300]!r}")
    return found


def spent(verb: str, content: bytes, folder: Path) -> tuple[int, int]:
    """Returns the instructions for a capture, and the number of bytes written."""
    with tempfile.NamedTemporaryFile(dir=folder) as capture:
        capture.write(content)
        capture.flush()
        command = [GATTSCOPE, *verb.split(), capture.name]
        count, status, errors = instructions(command, folder)
        if status != 0:
            raise AssertionError(f"{verb}: status {status}: {errors[-300:]}")
        return count, len(subprocess.run(command, capture_output=True).stdout)


def per_byte(verb: str, content: bytes, start: int, folder: Path) -> float:
    """Returns the instructions for a byte of a capture, or of what is written if that is longer, without the start."""
    count, written = spent(verb, content, folder)
    if written > WRITTEN_RATIO * len(content):
        raise AssertionError(f"{verb}: {written} bytes for {len(content)} of a capture")
    return (count - start) / max(len(content), written)


class AttackTest(unittest.TestCase):
    def test_every_attack(self) -> None:
        times = usual()
        if SWEEP_STEP > 1:
            print("sampled: each attack meets every third verb")
        with ThreadPoolExecutor(os.cpu_count()) as workers:
            lists = workers.map(lambda name: complaints(name, times), attacks.ATTACKS)
            found = [line for lines in lists for line in lines]
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_two_full_captures_are_compared(self) -> None:
        """Two full captures must fit into memory together, and differences must not be kept byte by byte."""
        with tempfile.TemporaryDirectory() as name:
            for attack in COMPARED:
                one, other = Path(name) / "one.btsnoop", Path(name) / "other.btsnoop"
                one.write_bytes(attacks.attack(attack, COUNT * 10))
                other.write_bytes(attacks.other_values(one.read_bytes()))
                for verb in (["diff"], ["diff", "--json"]):
                    found = run([*verb, str(one)], other)
                    self.assertEqual(found.status, 1, f"{attack}: {found.errors[:300]}")
                    self.assertLess(found.peak_mb, PEAK_MB, attack)

    def test_cost_for_each_byte(self) -> None:
        if not shutil.which("valgrind"):
            self.assertFalse(IN_CI, "valgrind is not installed")
            self.skipTest("valgrind is not installed")
        with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(os.cpu_count()) as workers:
            folder, mixed = Path(name), Path(name) / "mixed.btsnoop"
            write_mix(mixed, "mixed-layers", 40_000)
            nothing, ordinary = attacks.made(lambda *_: None, 0), mixed.read_bytes()
            verbs = {verb for _, used in COSTLY.values() for verb in used}
            starts = dict(zip(verbs, workers.map(lambda verb: spent(verb, nothing, folder)[0], verbs)))
            usual = dict(zip(verbs, workers.map(lambda verb: per_byte(verb, ordinary, starts[verb], folder), verbs)))
            cases = [(name, verb) for name, (_, used) in COSTLY.items() for verb in used]
            contents = {name: attacks.attack(name, count) for name, (count, _) in COSTLY.items()}
            costs = workers.map(lambda case: per_byte(case[1], contents[case[0]], starts[case[1]], folder), cases)
            ratios = {case: each / usual[case[1]] for case, each in zip(cases, costs)}
        found = [f"{name}: {verb}: {ratio:.1f}" for (name, verb), ratio in ratios.items() if ratio > BYTE_RATIO]
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_a_map_is_applied_once(self) -> None:
        """Two alternating connections that both use the supplied map must not cost more than without it."""
        with tempfile.TemporaryDirectory() as name:
            capture, supplied = Path(name) / "turns.btsnoop", Path(name) / "cache"
            capture.write_bytes(attacks.attack("taking_turns", COUNT * 10))
            supplied.write_text(attacks.service_map(2000))
            for verb in (["show"], ["values", "--json"], ["map"]):
                without, with_map = run(verb, capture), run([*verb, "--map", str(supplied)], capture)
                self.assertEqual(with_map.status, 0, with_map.errors)
                most = 3 * without.seconds + SLACK_SECONDS
                with_map = fastest(with_map, most, lambda: run([*verb, "--map", str(supplied)], capture))
                self.assertLess(with_map.seconds, most, verb)

    def test_memory_of_what_fills_the_tables(self) -> None:
        """What is kept of all connections, names, PDUs or lines together must be bounded, not only of each."""
        redact, trace = ["convert", "--force", "--redact"], ["trace", "--as", "android", "--json"]
        captures = {
            "full_connections": (1000, [redact, trace, ["show"], ["info"], ["map"], ["values"]]),
            "multiple_reads": (10_000, [redact, trace, ["show", "--json"]]),
            "charts": (2000, [["report"], ["values"], ["values", "--json"]]),
            "fragmented": (60_000, [redact, [*redact, "--redact-values", "all"]]),
            "secrets": (70_000, [redact]),
        }
        with tempfile.TemporaryDirectory() as name:
            capture, log = Path(name) / "capture.btsnoop", Path(name) / "app.log"
            for attack, (count, verbs) in captures.items():
                capture.write_bytes(attacks.made(getattr(attacks, attack), count))
                for verb in verbs:
                    with self.subTest(attack, verb=verb):
                        self.assert_small(run(verb, capture))
            capture.write_bytes(attacks.made(attacks.operations, 1000))
            logs = {
                "lines": (lambda: attacks.app_log(1_000_001, "x" * 40), "only the first 1000000 lines of the app's log are read"),
                "a line": (lambda: attacks.app_log(1, "\1" * (60 << 20)), "only the first 1 MB of each line of the app's log is shown"),
                "parts": (lambda: attacks.app_log(1, "x\n" * (1 << 20)), "only the first 1 MB of each line of the app's log is shown"),
            }
            # Nothing large stays here: a child's peak counts from the memory of its parent.
            for what, (text, remark) in logs.items():
                log.write_text(text())
                for verb in (["trace"], ["trace", "--json"]):
                    with self.subTest(what, verb=verb):
                        done = run([*verb, "--app-log", str(log)], capture)
                        self.assert_small(done)
                        self.assertIn(remark, done.errors)

    def assert_small(self, done: Run) -> None:
        self.assertEqual(done.status, 0, done.errors)
        self.assertLess(done.peak_mb, PEAK_MB)

    def test_many_files_are_merged(self) -> None:
        """Instructions and memory for many files must grow with their number, not with the number of pairs."""
        if not shutil.which("valgrind"):
            self.assertFalse(IN_CI, "valgrind is not installed")
            self.skipTest("valgrind is not installed")
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            ordinary = attacks.made(attacks.ordinary, 10)
            files = []
            for number in range(MERGED):
                path = folder / f"{number}.btsnoop"
                # Each with its own time and a unique byte.
                path.write_bytes(attacks.later(ordinary, number * 1_000_000 // 7))
                files.append(str(path))
            merge = [GATTSCOPE, "convert", "--force", "--merge"]
            found = []
            for those in (files[: MERGED // 10], files):
                count, status, errors = instructions([*merge, *those, str(folder / "merged.btsnoop")], folder, files=2 * MERGED)
                self.assertEqual(status, 0, errors[-300:])
                found.append(count)
            self.assertLess(found[1], MERGED_GROWTH * found[0])
            limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (2 * MERGED, 2 * MERGED))
            process = subprocess.Popen([*merge, *files, str(folder / "merged.btsnoop")], preexec_fn=limit)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, 0)
            self.assertLess(usage.ru_maxrss / 1024, PEAK_MB)


if __name__ == "__main__":
    unittest.main()
