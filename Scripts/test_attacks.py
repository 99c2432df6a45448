"""Captures that want too much: what every verb needs of time grows with the capture's length and no faster, what it needs of
memory does not grow once the tables are full, and where a table was full a sentence says so.
"""

import os
import resource
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from test_live import CAPTURES, GATTSCOPE
from traffic import attacks

COUNT = int(os.environ.get("ATTACK_COUNT", "4000"))  # of what an attack does; the longer capture does it ten times as often
# Ten times the work may take so many times as long: the short run counts its start as well, so linear stays well below ten.
GROWTH, SLACK_SECONDS = 13, 0.3
PEAK_MB = 160
MOST_SECONDS = 120
VERBS = (
    *(["show"], ["show", "--json"], ["map"], ["devices", "--json"], ["values", "--json"], ["info", "--json"]),
    *(["explain"], ["trace"], ["trace", "--as", "android", "--json"], ["diff", "--json", str(CAPTURES[0])]),
    ["convert", "--redact"],
)
STATUSES = {"diff": (0, 1)}
# What is said on standard error of the tables that an attack fills.
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


def complaints(name: str) -> list[str]:
    found = []
    with tempfile.TemporaryDirectory() as folder:
        short, long = (Path(folder) / f"{size}.btsnoop" for size in ("short", "long"))
        short.write_bytes(attacks.attack(name, COUNT))
        long.write_bytes(attacks.attack(name, COUNT * 10))
        for verb in VERBS:
            small, large = run(verb, short), run(verb, long)
            what = f"{name}: {' '.join(verb[:3])}"
            for each in (small, large):
                if each.status not in STATUSES.get(verb[0], (0,)):
                    found.append(f"{what}: status {each.status}: {each.errors[:300]}")
            if large.seconds > GROWTH * small.seconds + SLACK_SECONDS:
                found.append(f"{what}: {small.seconds:.2f} s, ten times as long {large.seconds:.2f} s")
            if large.peak_mb > PEAK_MB:
                found.append(f"{what}: {large.peak_mb:.0f} MB")
            if verb[0] in ("map", "explain", "trace", "values") and SAID.get(name, "") not in large.errors:
                found.append(f"{what}: nothing says “{SAID[name]}”: {large.errors[:300]!r}")
    return found


class AttackTest(unittest.TestCase):
    def test_every_attack(self) -> None:
        with ThreadPoolExecutor(os.cpu_count()) as workers:
            found = [line for lines in workers.map(complaints, attacks.ATTACKS) for line in lines]
        self.assertEqual(found, [], "\n" + "\n".join(found))


if __name__ == "__main__":
    unittest.main()
