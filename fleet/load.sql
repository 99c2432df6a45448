-- Loads what `gattscope table --out FOLDER` has written into the tables of `gattscope schema --table duckdb`:
--
--   gattscope schema --table duckdb | duckdb fleet.db
--   duckdb fleet.db -c "SET VARIABLE rows = 'FOLDER'" -f fleet/load.sql -f fleet/questions.sql
--
-- One content counts once, under the first of its paths: what the tables have of it stays, so that loading again adds nothing.

SET TimeZone = 'UTC';
BEGIN;

CREATE TEMP TABLE loaded_captures AS FROM captures LIMIT 0;
COPY loaded_captures FROM (getvariable('rows') || '/part-*/captures.ndjson') (FORMAT json);

CREATE TEMP TABLE fresh AS
SELECT capture, min(file) AS file FROM loaded_captures
WHERE capture IS NOT NULL AND capture NOT IN (SELECT capture FROM captures WHERE capture IS NOT NULL)
GROUP BY capture;

INSERT INTO captures SELECT loaded.* FROM loaded_captures AS loaded SEMI JOIN fresh USING (capture, file);
-- What could not be read has no content; the latest word about a path stands.
DELETE FROM captures WHERE capture IS NULL AND file IN (SELECT file FROM loaded_captures);
INSERT INTO captures SELECT DISTINCT ON (file) * FROM loaded_captures WHERE capture IS NULL;

CREATE TEMP TABLE loaded_connections AS FROM connections LIMIT 0;
COPY loaded_connections FROM (getvariable('rows') || '/part-*/connections.ndjson') (FORMAT json);
INSERT INTO connections SELECT loaded.* FROM loaded_connections AS loaded SEMI JOIN fresh USING (capture, file);

CREATE TEMP TABLE loaded_findings AS FROM findings LIMIT 0;
COPY loaded_findings FROM (getvariable('rows') || '/part-*/findings.ndjson') (FORMAT json);
INSERT INTO findings SELECT loaded.* FROM loaded_findings AS loaded SEMI JOIN fresh USING (capture, file);

CREATE TEMP TABLE loaded_operations AS FROM operations LIMIT 0;
COPY loaded_operations FROM (getvariable('rows') || '/part-*/operations.ndjson') (FORMAT json);
INSERT INTO operations SELECT loaded.* FROM loaded_operations AS loaded SEMI JOIN fresh USING (capture, file);

CREATE TEMP TABLE loaded_fields AS FROM fields LIMIT 0;
COPY loaded_fields FROM (getvariable('rows') || '/part-*/fields.ndjson') (FORMAT json);
INSERT INTO fields SELECT loaded.* FROM loaded_fields AS loaded SEMI JOIN fresh USING (capture, file);

CREATE TEMP TABLE loaded_devices AS FROM devices LIMIT 0;
COPY loaded_devices FROM (getvariable('rows') || '/part-*/devices.ndjson') (FORMAT json);
INSERT INTO devices SELECT loaded.* FROM loaded_devices AS loaded SEMI JOIN fresh USING (capture, file);

COMMIT;

DROP TABLE loaded_captures;
DROP TABLE loaded_connections;
DROP TABLE loaded_findings;
DROP TABLE loaded_operations;
DROP TABLE loaded_fields;
DROP TABLE loaded_devices;
DROP TABLE fresh;
