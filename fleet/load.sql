-- Loads the rows that `gattscope table --out FOLDER` wrote into the tables of `gattscope schema --table duckdb`:
--
--   gattscope schema --table duckdb | duckdb fleet.db
--   duckdb fleet.db -c "SET VARIABLE rows = 'FOLDER'" -f fleet/load.sql -f fleet/questions.sql
--
-- Each content is loaded once, under the first of its paths, so that loading again adds nothing. The
-- newest version of a path replaces older ones: a file that changed between two runs with --resume is
-- in two parts. A table without files is empty; captures are needed, since they show which rows are new.

SET TimeZone = 'UTC';
BEGIN;

SET VARIABLE types = (
  SELECT '{' || string_agg('"' || column_name || '":"' || data_type || '"', ',' ORDER BY column_index) || '}'
  FROM duckdb_columns()
  WHERE table_name = 'captures' AND database_name = current_database() AND schema_name = current_schema());
SET VARIABLE captures = (
  SELECT CASE WHEN count(*) = 0 THEN error('There is no part-…/captures.ndjson in ' || getvariable('rows'))
    ELSE list(file ORDER BY file) END
  FROM glob(getvariable('rows') || '/part-[0-9]*/captures.ndjson'));
CREATE TEMP TABLE loaded_captures AS
SELECT unnest(from_json(json, getvariable('types'))),
  TRY_CAST(regexp_extract(filename, 'part-(\d+)[/\\]\w+\.ndjson$', 1) AS BIGINT) AS part
FROM read_ndjson_objects(getvariable('captures'), filename = true);

CREATE TEMP TABLE latest AS
FROM loaded_captures QUALIFY row_number() OVER (PARTITION BY file ORDER BY part DESC) = 1;

-- The rows of older versions.
CREATE TEMP TABLE superseded AS
SELECT old.file, old.capture FROM captures AS old JOIN latest USING (file)
WHERE old.capture IS DISTINCT FROM latest.capture OR old.status IS DISTINCT FROM latest.status OR old.capture IS NULL;

DELETE FROM captures USING superseded AS old
WHERE captures.file = old.file AND captures.capture IS NOT DISTINCT FROM old.capture;
DELETE FROM connections USING superseded AS old
WHERE connections.file = old.file AND connections.capture IS NOT DISTINCT FROM old.capture;
DELETE FROM findings USING superseded AS old
WHERE findings.file = old.file AND findings.capture IS NOT DISTINCT FROM old.capture;
DELETE FROM operations USING superseded AS old
WHERE operations.file = old.file AND operations.capture IS NOT DISTINCT FROM old.capture;
DELETE FROM fields USING superseded AS old
WHERE fields.file = old.file AND fields.capture IS NOT DISTINCT FROM old.capture;
DELETE FROM devices USING superseded AS old
WHERE devices.file = old.file AND devices.capture IS NOT DISTINCT FROM old.capture;

CREATE TEMP TABLE fresh AS
SELECT capture, min(file) AS file, arg_min(part, file) AS part FROM latest
WHERE capture IS NOT NULL AND capture NOT IN (SELECT capture FROM captures WHERE capture IS NOT NULL)
GROUP BY capture;

INSERT INTO captures SELECT * EXCLUDE (part) FROM latest SEMI JOIN fresh USING (capture, file);
-- Files that could not be read have no digest of their content.
INSERT INTO captures SELECT * EXCLUDE (part) FROM latest WHERE capture IS NULL;

-- `read_ndjson_objects` needs at least one file. If a table has none, it reads the captures, whose rows have no part then.
SET VARIABLE types = (
  SELECT '{' || string_agg('"' || column_name || '":"' || data_type || '"', ',' ORDER BY column_index) || '}'
  FROM duckdb_columns()
  WHERE table_name = 'connections' AND database_name = current_database() AND schema_name = current_schema());
SET VARIABLE files = (
  SELECT coalesce(list(file ORDER BY file), getvariable('captures'))
  FROM glob(getvariable('rows') || '/part-[0-9]*/connections.ndjson'));
INSERT INTO connections
SELECT loaded.* EXCLUDE (part) FROM (
  SELECT unnest(from_json(json, getvariable('types'))),
    TRY_CAST(regexp_extract(filename, 'part-(\d+)[/\\]connections\.ndjson$', 1) AS BIGINT) AS part
  FROM read_ndjson_objects(getvariable('files'), filename = true)) AS loaded
SEMI JOIN fresh USING (capture, file, part);

SET VARIABLE types = (
  SELECT '{' || string_agg('"' || column_name || '":"' || data_type || '"', ',' ORDER BY column_index) || '}'
  FROM duckdb_columns()
  WHERE table_name = 'findings' AND database_name = current_database() AND schema_name = current_schema());
SET VARIABLE files = (
  SELECT coalesce(list(file ORDER BY file), getvariable('captures'))
  FROM glob(getvariable('rows') || '/part-[0-9]*/findings.ndjson'));
INSERT INTO findings
SELECT loaded.* EXCLUDE (part) FROM (
  SELECT unnest(from_json(json, getvariable('types'))),
    TRY_CAST(regexp_extract(filename, 'part-(\d+)[/\\]findings\.ndjson$', 1) AS BIGINT) AS part
  FROM read_ndjson_objects(getvariable('files'), filename = true)) AS loaded
SEMI JOIN fresh USING (capture, file, part);

SET VARIABLE types = (
  SELECT '{' || string_agg('"' || column_name || '":"' || data_type || '"', ',' ORDER BY column_index) || '}'
  FROM duckdb_columns()
  WHERE table_name = 'operations' AND database_name = current_database() AND schema_name = current_schema());
SET VARIABLE files = (
  SELECT coalesce(list(file ORDER BY file), getvariable('captures'))
  FROM glob(getvariable('rows') || '/part-[0-9]*/operations.ndjson'));
INSERT INTO operations
SELECT loaded.* EXCLUDE (part) FROM (
  SELECT unnest(from_json(json, getvariable('types'))),
    TRY_CAST(regexp_extract(filename, 'part-(\d+)[/\\]operations\.ndjson$', 1) AS BIGINT) AS part
  FROM read_ndjson_objects(getvariable('files'), filename = true)) AS loaded
SEMI JOIN fresh USING (capture, file, part);

SET VARIABLE types = (
  SELECT '{' || string_agg('"' || column_name || '":"' || data_type || '"', ',' ORDER BY column_index) || '}'
  FROM duckdb_columns()
  WHERE table_name = 'fields' AND database_name = current_database() AND schema_name = current_schema());
SET VARIABLE files = (
  SELECT coalesce(list(file ORDER BY file), getvariable('captures'))
  FROM glob(getvariable('rows') || '/part-[0-9]*/fields.ndjson'));
INSERT INTO fields
SELECT loaded.* EXCLUDE (part) FROM (
  SELECT unnest(from_json(json, getvariable('types'))),
    TRY_CAST(regexp_extract(filename, 'part-(\d+)[/\\]fields\.ndjson$', 1) AS BIGINT) AS part
  FROM read_ndjson_objects(getvariable('files'), filename = true)) AS loaded
SEMI JOIN fresh USING (capture, file, part);

SET VARIABLE types = (
  SELECT '{' || string_agg('"' || column_name || '":"' || data_type || '"', ',' ORDER BY column_index) || '}'
  FROM duckdb_columns()
  WHERE table_name = 'devices' AND database_name = current_database() AND schema_name = current_schema());
SET VARIABLE files = (
  SELECT coalesce(list(file ORDER BY file), getvariable('captures'))
  FROM glob(getvariable('rows') || '/part-[0-9]*/devices.ndjson'));
INSERT INTO devices
SELECT loaded.* EXCLUDE (part) FROM (
  SELECT unnest(from_json(json, getvariable('types'))),
    TRY_CAST(regexp_extract(filename, 'part-(\d+)[/\\]devices\.ndjson$', 1) AS BIGINT) AS part
  FROM read_ndjson_objects(getvariable('files'), filename = true)) AS loaded
SEMI JOIN fresh USING (capture, file, part);

COMMIT;

DROP TABLE loaded_captures;
DROP TABLE latest;
DROP TABLE superseded;
DROP TABLE fresh;
RESET VARIABLE types;
RESET VARIABLE captures;
RESET VARIABLE files;
