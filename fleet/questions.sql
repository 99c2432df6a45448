-- Eight questions about a fleet, as views that run in both DuckDB and Spark.

-- 1. Which findings are frequent?
CREATE OR REPLACE TEMP VIEW frequent_findings AS
SELECT rule, severity, count(*) AS findings, count(DISTINCT capture) AS files
FROM findings
GROUP BY rule, severity
ORDER BY files DESC, findings DESC, rule;

-- 2. Why do links end?
CREATE OR REPLACE TEMP VIEW why_links_end AS
SELECT name, ended_by, reason, reason_name, count(*) AS connections
FROM connections
GROUP BY name, ended_by, reason, reason_name
ORDER BY connections DESC, name, ended_by, reason;

-- 3. How do devices pair, and does it succeed?
CREATE OR REPLACE TEMP VIEW pairing_outcomes AS
SELECT paired, pairing_error, count(*) AS connections, count(DISTINCT capture) AS files
FROM connections
GROUP BY paired, pairing_error
ORDER BY connections DESC, paired, pairing_error;

-- 4. Which GATT layouts does a product have, and since when? More than one means that a firmware changed it.
-- Logs without dates do not count for since and until, which are null if there are no others.
CREATE OR REPLACE TEMP VIEW gatt_layouts AS
SELECT name, layout, count(*) AS connections, count(DISTINCT peer) AS devices, min(opened) AS since, max(opened) AS until
FROM connections
WHERE layout IS NOT NULL
GROUP BY name, layout
ORDER BY name, since, layout;

-- 5. How long do answers take, by characteristic and month?
CREATE OR REPLACE TEMP VIEW answer_times AS
SELECT uuid, operation, date_trunc('month', time) AS month, count(*) AS answers,
  percentile_cont(0.5) WITHIN GROUP (ORDER BY latency_ms) AS p50_ms,
  percentile_cont(0.95) WITHIN GROUP (ORDER BY latency_ms) AS p95_ms
FROM operations
WHERE latency_ms IS NOT NULL
GROUP BY uuid, operation, date_trunc('month', time)
ORDER BY answers DESC, uuid, operation, month;

-- 6. Which operations fail?
CREATE OR REPLACE TEMP VIEW failed_operations AS
SELECT uuid, operation, outcome, error, error_name, count(*) AS operations, count(DISTINCT capture) AS files
FROM operations
WHERE outcome <> 'ok'
GROUP BY uuid, operation, outcome, error, error_name
ORDER BY operations DESC, uuid, operation, outcome, error;

-- 7. Which uploads are unusable?
CREATE OR REPLACE TEMP VIEW uploads AS
SELECT status, format, source, snoop_mode, coalesce(records, 0) = 0 AS empty, count(*) AS files
FROM captures
GROUP BY status, format, source, snoop_mode, coalesce(records, 0) = 0
ORDER BY files DESC, status, format, source, snoop_mode;

-- 8. How do lost links (supervision timeout) differ from others: in the phone's build, interval or MTU?
CREATE OR REPLACE TEMP VIEW lost_links AS
SELECT os, build, slow, mtu, count(*) AS connections, avg(lost) AS lost
FROM (
  SELECT captures.os, captures.build, connections.interval_ms > 50 AS slow,
    CASE WHEN connections.mtu > 23 THEN 'above 23' WHEN connections.mtu = 23 THEN '23' ELSE 'not seen' END AS mtu,
    CASE WHEN connections.reason = '0x08' THEN 1.0E0 ELSE 0.0E0 END AS lost
  FROM connections
  JOIN captures ON captures.capture = connections.capture
  WHERE connections.ended_by IS NOT NULL) AS links
GROUP BY os, build, slow, mtu
ORDER BY lost DESC, connections DESC, os, build, slow, mtu;
