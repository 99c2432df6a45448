"""Writes tables of the captures in any store that Spark can read, with one gattscope process for many files.

    spark-submit fleet/gattscope_fleet.py IN OUT --gattscope PATH

IN is a folder, a bucket or a pattern. The output is Parquet in OUT/TABLE/run=…, with the columns of
`gattscope schema --table spark`. Contents that are already in OUT are not added again, so repeating a
run, or running again after an interruption, changes nothing. Only one job at a time may write to OUT.
gattscope must be installed on every machine, or is sent with `--files` and the PATH ./gattscope.
docs/fleet.md explains more."""

import argparse
import hashlib
import hmac
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.types import StructType

BATCH_FILES, BATCH_BYTES = 1000, 256 << 20
# Spark passes a file as one block of memory.
MOST_BYTES = 1 << 30


def name_of(path: str) -> str:
    """Returns the path as it would be given to gattscope itself: that of a local file without the scheme."""
    return re.sub(r"^file:/+", "/", path)


def run(program: str, options: list[str], names: list[str], folder: Path, key: bytes | None) -> Iterator[tuple[str, str]]:
    """Runs gattscope on a batch of files, named by their place in it. Yields tables and rows, with the files' own names."""
    paths = b"\0".join(str(folder / "in" / str(place)).encode() for place in range(len(names)))
    command = [program, "table", "--out", str(folder / "out"), "--jobs", "1", *options, "--files-from", "-", "-0"]
    done = subprocess.run(command, input=paths, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        # No file can cause this: the task fails, and Spark tries it again elsewhere.
        raise RuntimeError(f"gattscope ended with status {done.returncode}: {done.stderr.decode(errors='replace')}")
    # One process writes the parts in the order of the files, and captures has one row for each file.
    places = iter(names)
    for part in sorted((folder / "out").glob("part-*")):
        with open(part / "captures.ndjson", encoding="utf-8") as rows:
            shown = {json.loads(row)["file"]: next(places) for row in rows}
        if key is not None:
            shown = {file: pseudonym(key, name) for file, name in shown.items()}
        for table in sorted(part.glob("*.ndjson")):
            with open(table, encoding="utf-8") as rows:
                for row in rows:
                    # Rows begin with {"file":"…", and the paths given to gattscope need no escapes.
                    end = row.index('"', 9)
                    yield table.stem, f'{{"file":{json.dumps(shown[row[9:end]])}{row[end + 1 :].rstrip()}'


def pseudonym(key: bytes, name: str) -> str:
    return f"file-{hmac.new(key, name.encode(), hashlib.sha256).hexdigest()[:16]}"


def rows_of(files: Iterator, program: str, options: list[str], key_file: str | None) -> Iterator[tuple[str, str]]:
    """Yields the rows of a partition's files, batch by batch."""
    key = Path(key_file).read_bytes() if key_file else None
    file = next(files, None)
    while file is not None:
        with tempfile.TemporaryDirectory() as name:
            folder, names, size = Path(name), [], 0
            (folder / "in").mkdir()
            while file is not None and len(names) < BATCH_FILES and size < BATCH_BYTES:
                (folder / "in" / str(len(names))).write_bytes(file.content)
                names.append(name_of(file.path))
                size += len(file.content)
                file = next(files, None)
            yield from run(program, options, names, folder, key)


class Store:
    """The operations of Hadoop's file systems other than reading and writing tables."""

    def __init__(self, spark: SparkSession, root: str) -> None:
        self.path = spark._jvm.org.apache.hadoop.fs.Path
        self.root = root
        self.system = self.path(root).getFileSystem(spark._jsc.hadoopConfiguration())

    def runs(self, table: str, complete: bool = False) -> set[str]:
        """Returns the runs that wrote a table; with `complete`, only those that wrote all of it."""
        folder = self.path(f"{self.root}/{table}")
        if not self.system.exists(folder):
            return set()
        found = {status.getPath().getName() for status in self.system.listStatus(folder)}
        found = {name for name in found if name.startswith("run=")}
        done = {name for name in found if self.system.exists(self.path(f"{self.root}/{table}/{name}/_SUCCESS"))}
        return done if complete else found

    def has_rows(self, path: str) -> bool:
        """Returns whether there are Parquet files directly in a folder; those of interrupted jobs are in other folders."""
        found = self.system.listStatus(self.path(f"{self.root}/{path}"))
        return any(status.getPath().getName().endswith(".parquet") for status in found)

    def remove(self, path: str) -> None:
        self.system.delete(self.path(f"{self.root}/{path}"), True)


def too_large(file, schema: StructType, key_file: str | None) -> tuple[str, str]:
    """Returns the row of a file that is too large for Spark to load into memory."""
    name = name_of(file.path)
    row = dict.fromkeys(schema.names) | {"bytes": file.length, "status": "unreadable"}
    row["file"] = pseudonym(Path(key_file).read_bytes(), name) if key_file else name
    row["damage"] = f"is larger than {MOST_BYTES >> 20} MB: run gattscope table on it"
    return "captures", json.dumps(row)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", metavar="IN", help="a folder, bucket or pattern of captures, archives and bug reports")
    parser.add_argument("out", metavar="OUT", help="where the Parquet tables go")
    parser.add_argument("--gattscope", default="gattscope", metavar="PATH", help="the program")
    parser.add_argument("--redact", metavar="KEY_FILE", help="write pseudonyms that depend on this key")
    parser.add_argument("--timeout", type=int, default=300, metavar="SECONDS", help="give a file up after this time")
    arguments = parser.parse_args()
    out, options, key_file = arguments.out.rstrip("/"), ["--timeout", str(arguments.timeout)], arguments.redact
    if key_file:
        options += ["--redact", key_file]

    spark = SparkSession.builder.appName("gattscope fleet").getOrCreate()
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    # A run without the file _SUCCESS does not count.
    spark._jsc.hadoopConfiguration().set("mapreduce.fileoutputcommitter.marksuccessfuljobs", "true")
    # Files are small, and one process for every few files would cost more than reading them.
    spark.conf.set("spark.sql.files.openCostInBytes", str(64 << 10))
    types = subprocess.run([arguments.gattscope, "schema", "--table", "spark"], capture_output=True, check=True).stdout
    schemas = {table: StructType.fromJson(schema) for table, schema in json.loads(types).items()}
    if key_file:
        del schemas["fields"]

    store = Store(spark, out)
    complete = store.runs("captures", complete=True)
    unmarked = sorted(run for run in store.runs("captures") - complete if store.has_rows(f"captures/{run}"))
    if unmarked and not complete:
        # Another program may have written or copied the rows: an interrupted job leaves none here.
        sys.exit(f"{out}/captures has no run with the file _SUCCESS, but {unmarked[0]} has rows: add _SUCCESS to it or remove it")
    for table in schemas:
        for orphan in store.runs(table) - complete:
            store.remove(f"{table}/{orphan}")

    files = spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(arguments.source)
    program = arguments.gattscope
    rows = files.where(files.length <= MOST_BYTES).select("path", "content").rdd.mapPartitions(
        lambda some: rows_of(some, program, options, key_file))
    captures = schemas["captures"]
    large = files.where(files.length > MOST_BYTES).select("path", "length").rdd.map(
        lambda file: too_large(file, captures, key_file))
    # Stored first, since every table is made from it and gattscope should run once per file.
    spark.createDataFrame(rows.union(large), "kind string, row string").write.mode("overwrite").partitionBy("kind").parquet(
        f"{out}/_stage")
    stage = spark.read.parquet(f"{out}/_stage")

    def loaded(table: str) -> DataFrame:
        parsed = f.from_json("row", schemas[table], {"mode": "FAILFAST"}).alias("row")
        return stage.where(stage.kind == table).select(parsed).select("row.*")

    # Each content counts once, under the first of its paths. Unreadable files have no content.
    read = loaded("captures")
    fresh = read.where("capture IS NOT NULL").groupBy("capture").agg(f.min("file").alias("file"))
    failed = read.where("capture IS NULL").dropDuplicates(["file"])
    if complete:
        known = spark.read.schema(captures).parquet(f"{out}/captures")
        fresh = fresh.join(known.select("capture"), "capture", "left_anti")
        failed = failed.join(known.where("capture IS NULL").select("file"), "file", "left_anti").select(read.columns)
    fresh.persist()
    new = read.join(fresh, ["capture", "file"], "left_semi").select(read.columns).unionByName(failed).persist()
    count, digest = new.agg(f.count("*"), f.expr("bit_xor(xxhash64(file, capture))")).first()
    if count:
        # The same files give the same run name. Captures are written last and mark the run as complete.
        run_name = f"run={count}-{digest & 0xFFFFFFFFFFFFFFFF:016x}"
        for table in sorted(schemas, key="captures".__eq__):
            some = new if table == "captures" else loaded(table).join(fresh, ["capture", "file"], "left_semi").select(
                schemas[table].names)
            some.write.mode("overwrite").parquet(f"{out}/{table}/{run_name}")
    store.remove("_stage")
    print(f"{count} files are new in {out}")
    spark.stop()


if __name__ == "__main__":
    main()
