"""Tests the documents: their examples must show exactly what the program prints.

A fenced block whose first line begins with `$` and names gattscope is run in a folder with the project's files, and the
lines after a command must be its exact output. A block whose first line is `# NAME.yaml` or `$ cat NAME.json` is a file
that the reader writes: the following commands find it in that folder. A line with only … matches any number of lines.
"""

import contextlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from tested_program import IN_CI, PROGRAM, ROOT

SCRIPTS = ROOT / "Scripts"
DOCUMENTS = [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")), *sorted((ROOT / "docs").glob("*.md"))]

FENCED = re.compile(r"^```[a-z]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FENCED_SHELL = re.compile(r"^```(?:sh|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WRITTEN = re.compile(r"# ([a-z-]+\.yaml)\n|\$ cat ([a-z-]+\.json)\n")
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
INLINE = re.compile(r"`([^`\n]+)`")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
SKIPPED = "…"

# File names in blocks of commands without output, and the samples to use for them. Commands of other programs or for
# other machines are replaced by what they would produce.
STANDS_FOR = {
    "ssh pi tail -c +1 -f trace.btsnoop": "cat captures/heart-rate.btsnoop",
    "ssh pi tail -c +1 -f trace": "cat captures/heart-rate.btsnoop",
    "bugreport.zip": "captures/heart-rate.btsnoop",
    "report.zip": "captures/heart-rate.btsnoop",
    "--redact fleet.key": "--redact captures/heart-rate.btsnoop",
    "cat report.tar.xz": "cat captures/heart-rate.btsnoop",
    "btsnoop_hci.log.gz": "captures/heart-rate.btsnoop",
    "btsnoop_hci.log.last btsnoop_hci.log": "captures/lost-subscription.btsnoop captures/heart-rate.btsnoop",
    "btsnoop_hci.log": "captures/heart-rate.btsnoop",
    "gattscope show trace": "gattscope show captures/monitor.btsnoop",
    "sniffed.pcap": "captures/sniffed-bond.pcapng",
    "--keys captures/heart-rate.btsnoop": "--keys captures/sniffed-pairing.pcap",
    "gattscope show radio": "gattscope show captures/sniffed-pairing.pcap",
    "first.log": "captures/write-refused.btsnoop",
    "second.log": "captures/mitm-demanded.btsnoop",
    "~/": "$HOME/",
}
# Lines of such blocks that are for other machines or programs or have their own tests, and why they are not run here.
NOT_RUN = {
    r"adb |unzip ": "an Android phone",
    r"ssh pi .*\| wireshark -k": "Wireshark shows it: test_pipes.py",
    r"tshark -i gattscope-": "test_extcap.py",
    r"sudo (btmon|tcpdump) |sniff_receiver.py |mkfifo (trace|radio)$": "another program records",
    r"sudo gattscope live |mkfifo /tmp/marks|echo \"pressed": "a Bluetooth adapter: make test-live",
    r"(gattscope schema --table duckdb \| )?duckdb |pip install duckdb|spark-submit |head -c 32 /dev/urandom": "make test-fleet",
    r"docker run ": "check-bare-root.sh executes the steps of the Dockerfile",
    r"sudo apt install |tar xzf gattscope-": "test_packaging.py installs the package and unpacks the archive",
    r"(sudo )?make( [a-z-]+)+( [A-Z_]+=\S+)?( +#.*)?$": "test_make_targets_exist",
}

try:
    from jsonschema import Draft202012Validator
except ImportError:
    Draft202012Validator = None


def examples(document: Path) -> list[tuple[str, list[str]]]:
    """Returns the commands of a document, each with its expected lines; a file that the reader writes becomes the
    command that writes it.
    """
    found: list[tuple[str, list[str]]] = []
    for block in FENCED.findall(document.read_text(encoding="utf-8")):
        if written := WRITTEN.match(block):
            content = block if written[1] else block[written.end():]
            found.append((f"cat > {written[1] or written[2]} <<'END'\n{content}END", []))
        if not (block.startswith("$ ") and "gattscope" in block.partition("\n")[0]):
            continue
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
    return found


def fits(shown: list[str], printed: list[str]) -> bool:
    """Returns whether the printed lines match the shown ones, where … matches any number of lines."""
    if not shown:
        return not printed
    if shown[0] == SKIPPED:
        return any(fits(shown[1:], printed[skipped:]) for skipped in range(len(printed) + 1))
    return bool(printed) and shown[0] == printed[0].rstrip() and fits(shown[1:], printed[1:])


@contextlib.contextmanager
def reader():
    """Yields a function that runs a command as a reader of the documents would, and returns its output."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for entry in ROOT.iterdir():
            if not entry.name.startswith("."):
                (place / entry.name).symlink_to(entry)
        (place / ".bin").mkdir()
        (place / ".bin" / "gattscope").symlink_to(PROGRAM.resolve())
        environment = os.environ | {
            "PATH": f"{place / '.bin'}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "TZ": "UTC", "NO_COLOR": "1",
            "HOME": folder, "XDG_CONFIG_HOME": "",
        }

        def run(command: str) -> list[str]:
            result = subprocess.run(
                ["bash", "-c", command], cwd=place, env=environment, check=False, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
            return result.stdout.splitlines()

        yield run


@unittest.skipUnless(PROGRAM.exists() or IN_CI, f"there is no {PROGRAM}")
@unittest.skipUnless(shutil.which("jq") or IN_CI, "jq is not installed")
class ExampleTests(unittest.TestCase):
    def test_commands_print_what_the_documents_show(self) -> None:
        count = 0
        for document in DOCUMENTS:
            with reader() as run:
                for command, shown in examples(document):
                    with self.subTest(f"{document.name}: {command}"):
                        count += 1
                        printed = run(command)
                        self.assertTrue(
                            fits(shown, printed),
                            f"\nshown:\n{chr(10).join(shown)}\nprinted:\n{chr(10).join(printed)}")
        self.assertGreater(count, 0)


def told(document: Path) -> list[str]:
    """Returns the lines of a document's blocks of commands without output."""
    lines = []
    for block in FENCED_SHELL.findall(document.read_text(encoding="utf-8")):
        is_written = WRITTEN.match(block)
        if not (is_written or block.startswith("$ ") and "gattscope" in block.partition("\n")[0]):
            lines += [line.removeprefix("$ ") for line in block.splitlines() if block[0] != "#" and line]
    return lines


def is_run(line: str) -> bool:
    return not any(re.match(pattern, line) for pattern in NOT_RUN)


@unittest.skipUnless(PROGRAM.exists() or IN_CI, f"there is no {PROGRAM}")
class ToldCommandTests(unittest.TestCase):
    def test_commands_to_copy_work(self) -> None:
        """A command without output must succeed, with a sample in place of the reader's file."""
        ran = 0
        for document in DOCUMENTS:
            with reader() as run:
                run("mkdir -p ~/.local/share/bash-completion/completions ~/.zsh/completions ~/.config/fish/completions")
                for line in filter(is_run, told(document)):
                    with self.subTest(f"{document.name}: {line}"):
                        ran += 1
                        self.assertIn("gattscope", line, "it is neither run nor listed with a reason")
                        for words, sample in STANDS_FOR.items():
                            line = line.replace(words, sample)
                        printed = run(f"set -o pipefail; ( {line}\n)\necho status $?")
                        self.assertEqual(printed[-1], "status 0", "\n".join(printed))
        self.assertGreater(ran, 5)

    def test_make_targets_exist(self) -> None:
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
        told_of = set()
        for document in DOCUMENTS:
            text = document.read_text(encoding="utf-8")
            lines = told(document) + INLINE.findall(FENCED.sub("", text))
            for line in lines:
                words = line.partition("#")[0].removeprefix("sudo ").split()
                if words[:1] == ["make"] and len(words) > 1:
                    told_of |= {(document.name, word) for word in words[1:] if "=" not in word}
        self.assertGreater(len(told_of), 10)
        self.assertEqual({where for where in told_of if where[1] not in targets}, set())

    def test_options_that_are_named_are_options(self) -> None:
        """Options must exist for the command's verb, or for any verb, except those of other programs."""
        # Options of swift test, spark-submit, the Spark job, the benchmark, gpg and pip.
        others = {"--filter", "--files", "--gattscope", "--quick", "--verify", "--require-hashes"}
        # Options of docker, and of the scripts that `trace --as bleak` writes.
        others |= {"--rm", "--interactive", "--tty", "--volume", "--tag", "--pace"}
        # Names from other programs, which gattscope also accepts.
        guesses = (ROOT / "Sources/gattscope/Guesses.swift").read_text(encoding="utf-8")
        others |= set(re.findall(r'"(--[a-z-]+)": "-', guesses))
        options: dict[str, set[str]] = {}

        def of(verb: str) -> set[str]:
            if verb not in options:
                printed = subprocess.run(
                    [PROGRAM, *verb.split(), "--help"], check=True, text=True, stdout=subprocess.PIPE).stdout
                options[verb] = set(OPTION.findall(printed)) | {"--help"}
            return options[verb]

        verbs = ["show", "info", "explain", "map", "values", "devices", "trace", "diff", "report", "live", "convert", "table",
                 "profiles", "schema", "completion"]
        verbs += [f"profiles {verb}" for verb in ("list", "show", "check", "decode", "match", "learn", "new", "compile")]
        everything = set().union(*(of(verb) for verb in verbs), others)
        count = 0
        for document in DOCUMENTS:
            text = document.read_text(encoding="utf-8")
            commands = [command for command, _ in examples(document)] + told(document)
            commands += INLINE.findall(FENCED.sub("", text))
            for command in commands:
                verb = re.search(r"\bgattscope (profiles [a-z]+|[a-z]+)\b([^|;]*)", command)
                known = of(verb[1]) if verb and verb[1] in verbs else everything
                for option in OPTION.findall(verb[2] if verb and verb[1] in verbs else command):
                    with self.subTest(f"{document.name}: {command}"):
                        count += 1
                        self.assertIn(option, known)
        self.assertGreater(count, 200)


@unittest.skipUnless(PROGRAM.exists() or IN_CI, f"there is no {PROGRAM}")
class CompletionTests(unittest.TestCase):
    def test_bash_reads_the_completion_script(self) -> None:
        script = subprocess.run(
            [PROGRAM, "completion", "bash"], check=True, stdout=subprocess.PIPE).stdout
        subprocess.run(["bash", "-n"], input=script, check=True)


class TextTests(unittest.TestCase):
    def test_skipping_lines(self) -> None:
        self.assertTrue(fits(["a", SKIPPED, "c"], ["a", "b", "b", "c"]))
        self.assertTrue(fits([SKIPPED], []))
        self.assertFalse(fits(["a", SKIPPED], ["b", "a"]))
        self.assertFalse(fits(["a"], ["a", "b"]))
        self.assertFalse(fits(["a", "b"], ["a"]))

    def test_files_and_folders_that_are_named_exist(self) -> None:
        """Names are relative to the project, to Sources or to a folder of it; … stands for any letters."""
        kinds = ("swift", "md", "py", "sh", "json", "txt", "h", "yaml")
        paths = [path for top in ("Sources", "Tests", "Fuzz", "Scripts", "Profiles", "docs", "captures", "Wireshark", "Release")
                 for path in (ROOT / top).rglob("*")]
        known = {"/" + path.relative_to(ROOT).as_posix() for path in [*paths, *ROOT.iterdir()]}
        tops = {path.name for path in [*ROOT.iterdir(), *(ROOT / "Sources").rglob("*")] if path.is_dir()}
        count = 0
        for name in ("CONTRIBUTING.md", "docs/architecture.md"):
            for word in INLINE.findall(FENCED.sub("", (ROOT / name).read_text(encoding="utf-8"))):
                is_file = re.fullmatch(r"[\w+…/-]+\.(%s)" % "|".join(kinds), word)
                is_folder = re.fullmatch(r"[\w/-]+", word) and "/" in word and word.partition("/")[0] in tops
                # NAME is for the reader to replace; make fuzz-corpus creates the other one.
                if not (is_file or is_folder) or "NAME" in word or word == "Fuzz/Corpus":
                    continue
                with self.subTest(f"{name}: {word}"):
                    count += 1
                    pattern = re.compile(".*/" + re.escape(word.rstrip("/")).replace("…", ".*"))
                    self.assertTrue(any(map(pattern.fullmatch, known)))
        self.assertGreater(count, 100)

    def test_speed_is_as_the_benchmark_prints_it(self) -> None:
        """The ratios and their date come from one run: both are the lines that Benchmarks/run.py prints."""
        specification = importlib.util.spec_from_file_location("run", ROOT / "Benchmarks" / "run.py")
        benchmark = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(benchmark)
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        btmon, tshark = re.search(r"^\| time for text, packet by packet \| 1 \| (\d+ times) \| (\d+ times) \|$", readme, re.MULTILINE).groups()
        ek = re.search(r"^\| time for JSON \| 1 \| – \| (\d+ times) \|$", readme, re.MULTILINE)[1]
        command, day, processors = re.search(
            r"The ratios are of one run of (`[^`]*`) on (\d{4}-\d\d-\d\d), [^.]* with (\d+) processors", " ".join(readme.split())).groups()
        printed = benchmark.for_readme(btmon, tshark, ek, day, "--quick" in command, int(processors))
        for line in filter(None, printed.splitlines()):
            self.assertIn(line, " ".join(readme.split()))

    def test_links_lead_to_files(self) -> None:
        for document in DOCUMENTS:
            for target in LINK.findall(document.read_text(encoding="utf-8")):
                self.assertTrue((document.parent / target).exists(), f"{document.name}: {target}")


class SchemaTests(unittest.TestCase):
    def setUp(self) -> None:
        self.schema = json.loads((ROOT / "docs" / "schema.json").read_text(encoding="utf-8"))

    @unittest.skipUnless(PROGRAM.exists() or IN_CI, f"there is no {PROGRAM}")
    def test_program_has_the_schema_of_the_documents(self) -> None:
        printed = subprocess.run([PROGRAM, "schema"], check=True, text=True, stdout=subprocess.PIPE).stdout
        expected = (ROOT / "docs" / "schema.json").read_text(encoding="utf-8")
        self.assertTrue(printed == expected, "`gattscope schema` does not print docs/schema.json")

    def test_every_property_is_described(self) -> None:
        """Properties must be described at their use or definition, except constants."""
        definitions = self.schema["$defs"]
        for name, definition in definitions.items():
            for key, value in definition.get("properties", {}).items():
                target = definitions.get(value.get("$ref", "").removeprefix("#/$defs/"), {})
                self.assertTrue(
                    "description" in value or "description" in target or "const" in value, f"{name}.{key}")

    def test_every_definition_is_used_and_every_reference_defined(self) -> None:
        text = json.dumps(self.schema)
        used = set(re.findall(r'"#/\$defs/(\w+)"', text))
        self.assertEqual(used | {"showLine", "devicesLine", "valuesLine", "traceLine"}, set(self.schema["$defs"]))

    @unittest.skipUnless(Draft202012Validator or IN_CI, "python3-jsonschema is not installed")
    def test_documents_fit_one_definition_and_misspelt_keys_none(self) -> None:
        """Tests documents written by hand; validate-json.py validates the verbs' output."""
        Draft202012Validator.check_schema(self.schema)
        validator = Draft202012Validator(self.schema)
        decoded = {"profile": "heart_rate", "fields": {"heart_rate": {"number": 72, "unit": "bpm"}}, "text": "72 bpm"}
        service = {
            "uuid": "180d", "name": "Heart Rate", "type": "primary", "start_handle": "0x000e", "end_handle": "0x0015",
            "via": "discovered", "packet": 50, "includes": [{"uuid": "180f", "start_handle": "0x0016", "end_handle": "0x001a"}],
            "characteristics": [{
                "uuid": "2a37", "declaration_handle": "0x000f", "value_handle": "0x0010", "properties": ["notify"],
                "via": "discovered", "packet": 71, "value": "0048", "decoded": decoded,
                "access": [{
                    "operation": "write", "security": "unencrypted", "packet": 80,
                    "outcome": {"code": "0x05", "name": "Insufficient Authentication"},
                }],
                "descriptors": [{"uuid": "2902", "handle": "0x0011", "value": "0100"}],
            }],
        }
        unknown = {"handle": "0x0021", "operations": [{"operation": "write", "count": 4}], "role": "cccd", "of": "0x0020", "via": "inferred"}
        finding = {
            "rule": "smp_passkey_mismatch", "severity": "error", "what": "Pairing failed: Confirm Value Failed (0x04)",
            "cause": "Another passkey was typed.", "certainty": "certain", "connections": [1], "evidence": [45, 53],
            "remedy": "Type it again.",
        }
        line = {"first_packet": 43, "last_packet": 43, "elapsed_s": 0.068, "text": "connected", "conclusions": ["it was heard"]}
        connection = {
            "id": 1, "opened": 43, "closed": 56, "encrypted": False, "paired": "failed", "story": [line],
            "problems": [finding | {"details": {"passkey": "this host <hidden>", "hidden": ["passkey"]}, "note": "It is known."}],
        }
        for document in (
            {"schema": 2, "devices": [{"address": "F1:F1:F1:F1:F1:F1", "services": [service], "unknown": [unknown]}]},
            {"type": "value", "packet": 142, "elapsed_s": 4.735, "connection": 1, "uuid": "2a37", "handle": "0x0010",
             "operation": "notification", "direction": "received", "value": "0048", "decoded": decoded},
            {"type": "value", "packet": 80, "operation": "write", "value": "01", "failed": "no_response"},
            {"schema": 2, "records": 56, "verdict": "1 error", "found": {"error": 1, "warning": 0, "note": 0},
             "findings": [finding | {"connections": [], "fault": "peer"}], "connections": [connection],
             "problems": [finding | {"connections": [1, 2, 3], "resolved": True}]},
            {"type": "device", "address": "F1:F1:F1:F1:F1:F1", "address_types": ["random_static"], "events": [{"event": "ADV_IND", "count": 3}],
             "rssi_dbm": {"min": -57, "median": -56, "max": -55}, "payloads": [{"data": "020106", "count": 3}]},
            {"type": "callback", "platform": "corebluetooth", "callback": "centralManager(_:didConnect:)", "packet": 43,
             "system": False},
        ):
            with self.subTest(sorted(document)):
                self.assertEqual([error.message for error in validator.iter_errors(document)], [])
                self.assertFalse(validator.is_valid(document | {"misspelt": 1}))
                for key in document:
                    if key in ("schema", "type", "packet"):
                        self.assertFalse(validator.is_valid({k: v for k, v in document.items() if k != key}), key)


if __name__ == "__main__":
    unittest.main()
