#!/usr/bin/env python3
"""Writes the output of the documents' examples anew, from the program in GATTSCOPE, for reading before it is committed.

Where an example skips lines (…), each shown line becomes the printed line that is most like it.
"""
import difflib
import os
import subprocess
import tempfile
from pathlib import Path

from test_docs import DOCUMENTS, PROGRAM, ROOT, SKIPPED, examples, fits


def renewed(shown: list[str], printed: list[str]) -> list[str]:
    """What an example should show, with its skips where they were."""
    printed = [line.rstrip() for line in printed]
    if SKIPPED not in shown:
        return printed
    lines = []
    for line in shown:
        like = difflib.get_close_matches(line, printed, n=1, cutoff=0.4)
        lines.append(line if line == SKIPPED or not like else like[0])
    return lines


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "gattscope").symlink_to(PROGRAM.resolve())
        environment = os.environ | {
            "PATH": f"{folder}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "TZ": "UTC", "NO_COLOR": "1",
        }
        for document in DOCUMENTS:
            text = document.read_text(encoding="utf-8")
            for command, shown in examples(document):
                result = subprocess.run(
                    ["bash", "-c", command], cwd=ROOT, env=environment, check=False, text=True,
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
                printed = result.stdout.splitlines()
                if fits(shown, printed):
                    continue
                before = "\n".join([f"$ {command}", *shown])
                after = "\n".join([f"$ {command}", *renewed(shown, printed)])
                text = text.replace(before, after)
                print(f"{document.name}: {command}")
            document.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
