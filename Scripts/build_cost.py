"""Measures the processor time of building each module, for `cost.py --build`.

A stand-in for the compiler runs the real one and notes the time that it and its children used, with the name of the
module. The result is a multiple of the time for swift-argument-parser in the same build: other load makes both slower.
"""

import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

from tested_program import ROOT

PARSER = ("ArgumentParser", "ArgumentParserToolInfo")
# Linking is not counted: it does not belong to a module.
RECORDER = """
import os, resource, subprocess, sys
compiler, log, *arguments = sys.argv[1:]
status = subprocess.call([compiler, *arguments])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
if "-module-name" in arguments and "-emit-executable" not in arguments:
    name = arguments[arguments.index("-module-name") + 1]
    with open(log, "a") as file:
        file.write(f"{name} {used.ru_utime + used.ru_stime}\\n")
sys.exit(status if status >= 0 else 1)
"""


def build(flags: list[str], folder: Path) -> dict[str, float]:
    """Builds everything anew in a folder, and returns the seconds for each module."""
    compiler = shutil.which("swiftc")
    if compiler is None:
        sys.exit("Swift is not installed")
    recorder, wrapper, log = folder / "recorder.py", folder / "swiftc", folder / "times"
    recorder.write_text(RECORDER, encoding="utf-8")
    wrapper.write_text(f"#!/bin/sh\nexec '{sys.executable}' -I -S '{recorder}' '{compiler}' '{log}' \"$@\"\n", encoding="utf-8")
    wrapper.chmod(0o755)
    command = ["swift", "build", *flags, "--product", "gattscope", "--scratch-path", str(folder / "build")]
    subprocess.run(command, cwd=ROOT, env={**os.environ, "SWIFT_EXEC": str(wrapper)}, stdout=sys.stderr, check=True)
    return seconds(log.read_text(encoding="utf-8").splitlines() if log.exists() else [])


def seconds(lines: list[str]) -> dict[str, float]:
    found: Counter[str] = Counter()
    for line in lines:
        name, used = line.split()
        found[name] += float(used)
    return dict(found)


def ratios(times: dict[str, float], modules: list[str]) -> dict[str, int]:
    """Returns each module's time in percent of that for swift-argument-parser."""
    parser = sum(times.get(name, 0) for name in PARSER)
    missing = [name for name in modules if name not in times] + [PARSER[0]] * (parser == 0)
    if missing:
        sys.exit(f"the build did not compile {', '.join(missing)}")
    return {name: round(100 * times[name] / parser) for name in modules}
