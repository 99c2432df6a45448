"""Tests the tables of a fleet in DuckDB and Spark (`make test-fleet`). Both must have the same rows, even if a worker is lost.

Spark runs as a standalone cluster: a master and two workers, each in its own process."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Scripts"))

import fleet_files  # noqa: E402
from tested_program import IN_CI, PROGRAM  # noqa: E402

try:
    import duckdb
except ImportError:
    duckdb = None
try:
    import pyspark
except ImportError:
    pyspark = None

FLEET = ROOT / "fleet"
CAPTURES = ROOT / "captures"
MORE = ROOT.parent / "shared" / "captures"
KINDS = ("captures", "connections", "findings", "operations", "fields", "devices")
# `make test-fleet` installs the command beside Python, as docs/fleet.md does.
COMMAND = next((path for path in (Path(sys.executable).with_name("duckdb"), shutil.which("duckdb")) if path and Path(path).exists()), None)
# Runs a command of the documents with the package instead of the command, which need not have the same version.
PACKAGE = """#!{python}
import sys
import duckdb
path, *options = sys.argv[1:]
database = duckdb.connect(path)
if not options:
    database.execute(sys.stdin.read())
for option, text in zip(options[::2], options[1::2], strict=True):
    if option == "-f":
        database.execute(open(text).read())
    elif (answer := database.sql(text)) is not None:
        print(str(answer).strip())
"""
QUESTIONS = re.findall(r"TEMP VIEW (\w+)", (FLEET / "questions.sql").read_text())
SECONDS = 600
FILES = 400


def skip_unless(there: object, what: str):
    """Skips the tests if something is not installed, which is a failure in continuous integration."""
    return unittest.skipUnless(there or IN_CI, f"{what} is not installed")


def gattscope(*arguments: str | Path) -> str:
    return subprocess.run([PROGRAM, *arguments], capture_output=True, check=True, text=True, timeout=SECONDS).stdout


def load(*folders: Path):
    """Returns a database with the rows of these folders."""
    database = duckdb.connect()
    database.execute(gattscope("schema", "--table", "duckdb"))
    for folder in folders:
        database.execute("SET VARIABLE rows = ?", [str(folder)])
        database.execute((FLEET / "load.sql").read_text())
    database.execute((FLEET / "questions.sql").read_text())
    return database


def number(database, query: str):
    return database.execute(query).fetchone()[0]


class FleetTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.files = cls.folder / "files"
        fleet_files.make(cls.files, FILES, [CAPTURES])
        # The same content twice.
        shutil.copy(cls.files / "000" / "000000.log", cls.files / "000" / "again.log")
        cls.rows = cls.folder / "rows"
        gattscope("table", "--out", cls.rows, cls.files)


@skip_unless(duckdb, "DuckDB")
class DuckDBTest(FleetTest):
    def test_one_content_counts_once(self) -> None:
        database = load(self.rows)
        self.assertEqual(number(database, "SELECT count(*) FROM captures"), FILES)
        self.assertEqual(number(database, "SELECT count(DISTINCT capture) FROM captures"), FILES)
        self.assertEqual(number(database, "SELECT count(*) FROM captures WHERE file LIKE '%again%'"), 0)
        for kind, column in (("connections", "connections"), ("operations", "operations")):
            self.assertEqual(
                number(database, f"SELECT count(*) FROM {kind}"), number(database, f"SELECT sum({column}) FROM captures"), kind)
        self.assertEqual(
            number(database, "SELECT count(*) FROM findings WHERE severity = 'error'"),
            number(database, "SELECT sum(errors) FROM captures"))

    def test_loading_again_adds_nothing(self) -> None:
        once, twice = load(self.rows), load(self.rows, self.rows)
        for kind in KINDS:
            self.assertEqual(number(once, f"SELECT count(*) FROM {kind}"), number(twice, f"SELECT count(*) FROM {kind}"), kind)

    def test_the_newest_version_of_a_path_counts(self) -> None:
        files, rows = self.folder / "changing", self.folder / "changed"
        files.mkdir()
        data = (CAPTURES / "heart-rate.btsnoop").read_bytes()
        (files / "grows").write_bytes(data[:3000])
        shutil.copy(CAPTURES / "wristband.btsnoop", files / "touched")
        gattscope("table", "--out", rows, files)
        database = load(rows)
        (files / "grows").write_bytes(data)
        os.utime(files / "touched")
        gattscope("table", "--out", rows, "--resume", files)
        self.assertEqual(len(list(rows.glob("part-*"))), 2)
        database.execute((FLEET / "load.sql").read_text())
        for some in (database, load(rows)):
            self.assertEqual(some.execute("SELECT bytes FROM captures ORDER BY file").fetchall()[0], (len(data),))
            self.assertEqual(number(some, "SELECT count(*) FROM captures"), 2)
            for kind in ("connections", "operations"):
                self.assertEqual(number(some, f"SELECT count(*) FROM {kind}"), number(some, f"SELECT sum({kind}) FROM captures"), kind)

    def test_tables_that_were_not_written_are_empty(self) -> None:
        rows, key = self.folder / "without", self.folder / "key"
        key.write_bytes(b"k" * 32)
        gattscope("table", "--out", rows, "--redact", key, "--kind", "captures,findings", CAPTURES)
        database = load(rows)
        self.assertGreater(number(database, "SELECT count(*) FROM findings"), 10)
        self.assertEqual(number(database, "SELECT count(*) FROM fields"), 0)

    def test_every_capture_fits_the_types(self) -> None:
        rows = self.folder / "samples"
        gattscope("table", "--out", rows, CAPTURES, *([MORE] if MORE.exists() else []))
        database = load(rows)
        for kind in KINDS:
            self.assertGreater(number(database, f"SELECT count(*) FROM {kind}"), 10, kind)
        # Counted in the samples by hand: heart-rate.btsnoop and .pcap are the same session.
        layouts = database.execute(
            "SELECT layout FROM connections WHERE file LIKE '%/captures/heart-rate.btsnoop' OR file LIKE '%/captures/heart-rate.pcap'")
        found = layouts.fetchall()
        self.assertEqual(len(found), 2)
        self.assertEqual(len(set(found)), 1)
        self.assertIsNotNone(found[0][0])

    def test_questions(self) -> None:
        database = load(self.rows)
        self.assertEqual(len(QUESTIONS), 8)
        for question in QUESTIONS:
            start = time.process_time()
            answer = database.execute(f"SELECT * FROM {question}").fetchall()
            self.assertLess(time.process_time() - start, 1, question)
            self.assertTrue(answer, question)
        # Compared with the rows themselves, counted here.
        lines = {kind: [json.loads(line) for file in sorted(self.rows.glob(f"part-*/{kind}.ndjson"))
                        for line in file.read_text(encoding="utf-8").splitlines()] for kind in KINDS}
        lines = {kind: [row for row in some if not row["file"].endswith("again.log")] for kind, some in lines.items()}
        self.assertEqual(
            number(database, "SELECT findings FROM frequent_findings WHERE rule = 'smp_passkey_mismatch'"),
            sum(row["rule"] == "smp_passkey_mismatch" for row in lines["findings"]))
        self.assertEqual(
            number(database, "SELECT files FROM frequent_findings WHERE rule = 'smp_passkey_mismatch'"),
            len({row["capture"] for row in lines["findings"] if row["rule"] == "smp_passkey_mismatch"}))
        self.assertEqual(
            number(database, "SELECT sum(connections) FROM why_links_end WHERE reason = '0x13'"),
            sum(row["reason"] == "0x13" for row in lines["connections"]))
        self.assertEqual(
            number(database, "SELECT sum(connections) FROM pairing_outcomes WHERE paired = 'failed'"),
            sum(row["paired"] == "failed" for row in lines["connections"]))
        self.assertEqual(
            number(database, "SELECT count(DISTINCT layout) FROM gatt_layouts"),
            len({row["layout"] for row in lines["connections"]} - {None}))
        times = sorted(row["latency_ms"] for row in lines["operations"]
                       if row["latency_ms"] is not None and (row["uuid"], row["operation"]) == ("2a39", "write"))
        middle = (times[(len(times) - 1) // 2] + times[len(times) // 2]) / 2
        self.assertAlmostEqual(
            number(database, "SELECT p50_ms FROM answer_times WHERE uuid = '2a39' AND operation = 'write'"), middle, 6)
        self.assertEqual(
            number(database, "SELECT sum(operations) FROM failed_operations"),
            sum(row["outcome"] not in (None, "ok") for row in lines["operations"]))
        self.assertEqual(
            number(database, "SELECT sum(files) FROM uploads WHERE status = 'damaged'"),
            sum(row["status"] == "damaged" for row in lines["captures"]))
        self.assertEqual(
            round(number(database, "SELECT sum(lost * connections) FROM lost_links")),
            sum(row["reason"] == "0x08" and row["ended_by"] is not None for row in lines["connections"]))


class DocumentedTest(unittest.TestCase):
    """Runs the commands of docs/fleet.md and README.md, in both versions of DuckDB."""

    def follow(self, engine: Path | str) -> None:
        """Follows the documents with this as `duckdb`, in a folder with what they expect."""
        place = Path(self.enterContext(tempfile.TemporaryDirectory()))
        tools = place / "tools"
        tools.mkdir()
        (tools / "duckdb").symlink_to(engine)
        (tools / "gattscope").symlink_to(PROGRAM)
        for name in ("captures", "fleet"):
            (place / name).symlink_to(ROOT / name)
        environment = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(place), "LC_ALL": "C.UTF-8", "TZ": "UTC"}

        def run(script: str, status: int = 0) -> str:
            ended = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", script], cwd=place, env=environment, capture_output=True, text=True, timeout=SECONDS)
            self.assertEqual(ended.returncode, status, f"{script}: {ended.stderr}")
            return ended.stdout if status == 0 else ended.stderr

        guide = (ROOT / "docs" / "fleet.md").read_text(encoding="utf-8")
        commands = re.search(r"```sh\npip install duckdb-cli\b[^\n]*\n(.*?)```", guide, re.DOTALL)[1]
        run("gattscope table --out rows captures")
        self.assertIn("16b2b1380f314558", run(commands), "the layout of the heart rate sensor")
        wanted = load(place / "rows")

        def rows(kind: str) -> str:
            return re.search(r"\d+", run(f"duckdb fleet.db -c \"SELECT 'rows: ' || count(*) AS counted FROM {kind}\" | grep rows:"))[0]

        for kind in KINDS:
            self.assertEqual(rows(kind), str(number(wanted, f"SELECT count(*) FROM {kind}")), kind)
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        command, shown = re.search(r"```text\n\$ (duckdb fleet\.db [^\n]*)\n(.*?)```", readme, re.DOTALL).groups()
        self.assertEqual(run(command).strip(), shown.strip())

        # Loading again adds nothing, missing tables are empty, and a folder without rows is refused.
        before = [rows(kind) for kind in KINDS]
        load_rows = "duckdb {0}.db -c \"SET VARIABLE rows = '{0}'\" -f fleet/load.sql"
        run(load_rows.replace("{0}.db", "fleet.db").format("rows"))
        self.assertEqual([rows(kind) for kind in KINDS], before)
        run("gattscope table --out some --kind captures,findings captures; mkdir empty; rm fleet.db")
        for folder in ("some", "empty"):
            run(f"gattscope schema --table duckdb | duckdb {folder}.db")
        run(load_rows.format("some") + "; mv some.db fleet.db")
        self.assertEqual([rows(kind) for kind in KINDS], [before[0], "0", before[2], "0", "0", "0"])
        self.assertIn("There is no part-…/captures.ndjson in empty", run(load_rows.format("empty"), status=1))

    @skip_unless(duckdb and COMMAND, "DuckDB's command (pip install duckdb-cli)")
    def test_command(self) -> None:
        self.follow(Path(COMMAND).resolve())

    @skip_unless(duckdb, "DuckDB")
    def test_package(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            engine = Path(folder) / "duckdb"
            engine.write_text(PACKAGE.format(python=sys.executable))
            engine.chmod(0o755)
            self.follow(engine)

    @skip_unless(duckdb and COMMAND, "DuckDB's command (pip install duckdb-cli)")
    def test_two_versions_are_tested(self) -> None:
        said = subprocess.run([COMMAND, "--version"], capture_output=True, check=True, text=True).stdout
        self.assertNotEqual(said.split()[0].removeprefix("v").split(".")[0], duckdb.__version__.split(".")[0])


class Cluster:
    """A standalone cluster: a master and two workers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = Path(pyspark.__file__).parent
        self.port = self.free_port()
        self.environment = os.environ | {
            "SPARK_HOME": str(self.home), "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_WORKER_DIR": str(folder / "work"), "SPARK_LOCAL_DIRS": str(folder / "local"), "PYTHONPATH": "",
            # These processes end before the optimising compiler pays off: without it they take half the time.
            "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        }  # fmt: skip
        self.processes = [self.start("master.Master", "--host", "127.0.0.1", "--port", str(self.port), "--webui-port", "0")]
        self.wait_for("127.0.0.1", self.port)
        self.workers = [
            self.start("worker.Worker", "--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--webui-port", "0", self.url)
            for _ in range(2)
        ]
        self.processes += self.workers

    @property
    def url(self) -> str:
        return f"spark://127.0.0.1:{self.port}"

    def free_port(self) -> int:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return probe.getsockname()[1]

    def wait_for(self, host: str, port: int) -> None:
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex((host, port)) == 0:
                    return
            time.sleep(0.2)
        raise AssertionError("the master does not answer")

    def start(self, name: str, *arguments: str) -> subprocess.Popen:
        log = open(self.folder / f"{name}.log", "ab")
        command = [self.home / "bin" / "spark-class", f"org.apache.spark.deploy.{name}", *arguments]
        with log:
            return subprocess.Popen(command, env=self.environment, stdout=log, stderr=log, start_new_session=True)

    def submit(self, *arguments: str | Path) -> subprocess.Popen:
        command = [
            self.home / "bin" / "spark-submit", "--master", self.url, "--conf", "spark.executor.memory=512m",
            "--conf", "spark.executor.cores=1", "--conf", "spark.sql.files.maxPartitionBytes=1m",
            "--conf", "spark.sql.shuffle.partitions=4", "--conf", "spark.ui.enabled=false", FLEET / "gattscope_fleet.py", *arguments,
        ]  # fmt: skip
        log = open(self.folder / "submit.log", "wb")
        with log:
            return subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE, stderr=log, text=True)

    def lose(self, worker: subprocess.Popen) -> None:
        """Ends a worker and the executors that it started."""
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()

    def end(self) -> None:
        for process in self.processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@skip_unless(duckdb and pyspark and shutil.which("java"), "DuckDB, PySpark or Java")
class SparkTest(FleetTest):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.cluster = Cluster(cls.folder)
        cls.addClassCleanup(cls.cluster.end)

    def submit(self, *arguments: str | Path) -> subprocess.Popen:
        process = self.cluster.submit(*arguments)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        return process

    def finish(self, process: subprocess.Popen) -> str:
        said = process.stdout.read()
        log = (self.folder / "submit.log").read_text(errors="replace")
        self.assertEqual(process.wait(SECONDS), 0, log[-4000:])
        return said

    def tables(self, out: Path) -> dict[str, str]:
        return {kind: f"read_parquet('{out}/{kind}/run=*/*.parquet', hive_partitioning = false)" for kind in KINDS}

    def compare(self, out: Path) -> None:
        """Spark must have the same rows as DuckDB, each once."""
        database = load(self.rows)
        for kind, rows in self.tables(out).items():
            columns = ", ".join(column for column, *_ in database.execute(f"DESCRIBE {kind}").fetchall())
            count, digest = f"SELECT count(*) FROM {{}}", f"SELECT sum(hash({columns})::HUGEINT) FROM {{}}"
            self.assertEqual(number(database, count.format(rows)), number(database, count.format(kind)), kind)
            self.assertEqual(number(database, digest.format(rows)), number(database, digest.format(kind)), kind)

    def test_cluster(self) -> None:
        """Tests a normal run, its repetition, the questions, and a run that loses a worker, all in one cluster."""
        out = self.folder / "out"
        said = self.finish(self.submit(self.files, out, "--gattscope", PROGRAM))
        self.assertIn(f"{FILES} files are new", said)
        self.compare(out)
        self.assertIn("0 files are new", self.finish(self.submit(self.files, out, "--gattscope", PROGRAM)))
        self.compare(out)
        self.answers(out)
        self.lost_worker()

    def answers(self, out: Path) -> None:
        """Both engines must give the same answers to the eight questions."""
        job = self.folder / "answers.py"
        job.write_text(
            "import json, re, sys\n"
            "from pyspark.sql import SparkSession\n"
            "spark = SparkSession.builder.getOrCreate()\n"
            "spark.conf.set('spark.sql.session.timeZone', 'UTC')\n"
            f"for kind in {KINDS}:\n"
            f"    spark.read.parquet('{out}/' + kind).createOrReplaceTempView(kind)\n"
            f"for statement in open('{FLEET}/questions.sql').read().split(';'):\n"
            "    if 'SELECT' in statement: spark.sql(statement)\n"
            f"answers = {{name: [[str(cell) for cell in row] for row in spark.table(name).collect()] for name in {QUESTIONS}}}\n"
            f"open('{self.folder}/answers.json', 'w').write(json.dumps(answers))\n")
        environment = self.cluster.environment | {"TZ": "UTC"}
        submit = [self.cluster.home / "bin" / "spark-submit", "--master", "local[1]", job]
        subprocess.run(submit, env=environment, check=True, capture_output=True, timeout=SECONDS)
        told = json.loads((self.folder / "answers.json").read_text())
        database = load(self.rows)

        def plain(cell: object) -> str:
            """Returns a cell in a common form: times without a zone, and numbers with six digits."""
            text = str(cell).removesuffix("+00:00")
            try:
                return f"{float(text):.6g}"
            except ValueError:
                return text.lower() if text in ("True", "False") else text

        for question in QUESTIONS:
            here = sorted([plain(cell) for cell in row] for row in database.execute(f"SELECT * FROM {question}").fetchall())
            there = sorted([plain(cell) for cell in row] for row in told[question])
            self.assertEqual(there, here, question)

    def lost_worker(self) -> None:
        """If a worker is lost half-way, its work is done again, and every row must be there once."""
        out, runs = self.folder / "disturbed", self.folder / "runs"
        runs.touch()
        slow = self.folder / "slow"
        slow.write_text(f'#!/bin/sh\n[ "$1" = table ] && echo >> {runs} && sleep 0.5\nexec {PROGRAM} "$@"\n')
        slow.chmod(0o755)
        process = self.submit(self.files, out, "--gattscope", slow)
        # gattscope runs once for each partition of a megabyte, about 13 times.
        deadline = time.monotonic() + SECONDS
        while runs.stat().st_size < 5:
            self.assertLess(time.monotonic(), deadline, "no task began")
            self.assertIsNone(process.poll(), "the job ended before a worker was lost")
            time.sleep(0.05)
        before = runs.stat().st_size
        self.cluster.lose(self.cluster.workers[0])
        self.finish(process)
        self.assertGreater(runs.stat().st_size, before, "the job was done before the worker was lost")
        log = (self.folder / "submit.log").read_text(errors="replace")
        self.assertRegex(log, r"Lost executor|worker lost|Removing executor|ExecutorLostFailure")
        self.compare(out)


if __name__ == "__main__":
    unittest.main()
