#!/usr/bin/env python3
"""Rewrites the output of the examples in the documents with the program in GATTSCOPE, for review before a commit.

If an example omits lines (…), each shown line becomes the printed line that is most similar.
"""
import difflib

from test_docs import DOCUMENTS, SKIPPED, examples, fits, reader


def renewed(shown: list[str], printed: list[str]) -> list[str]:
    """Returns what an example should show, with the same omissions."""
    printed = [line.rstrip() for line in printed]
    if SKIPPED not in shown:
        return printed
    lines = []
    for line in shown:
        like = difflib.get_close_matches(line, printed, n=1, cutoff=0.4)
        lines.append(line if line == SKIPPED or not like else like[0])
    return lines


def main() -> None:
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        # The end of the last example: the same command may appear again.
        place = 0
        with reader() as run:
            for command, shown in examples(document):
                printed = run(command)
                before = "\n".join([f"$ {command}", *shown])
                if before not in text:
                    continue  # a written file
                place = text.index(before, place)
                if fits(shown, printed):
                    place += len(before)
                    continue
                after = "\n".join([f"$ {command}", *renewed(shown, printed)])
                text = text[:place] + after + text[place + len(before):]
                place += len(after)
                print(f"{document.name}: {command}")
        document.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
