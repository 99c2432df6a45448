#!/usr/bin/env python3
"""Compiles every Python script without leaving files behind, and lets the shell read every shell script."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("Scripts", "Benchmarks", "fleet")

failed = False
for path in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
    try:
        compile(path.read_bytes(), str(path.relative_to(ROOT)), "exec")
    except SyntaxError as error:
        print(f"{error.filename}:{error.lineno}: {error.msg}")
        failed = True
for path in sorted([*(ROOT / "Scripts").rglob("*.sh"), ROOT / ".ci" / "run", ROOT / "Wireshark" / "gattscope"]):
    first_line = path.read_text().splitlines()[0]
    shell = "bash" if "bash" in first_line else "sh"
    failed |= subprocess.run([shell, "-n", str(path)], check=False).returncode != 0
sys.exit(1 if failed else 0)
