-- realm, generation, the record's version, new record, node, the row's version, old row, new row,
-- new ceiling, earliest time, latest time
--
-- Renewals and row commits lock the row of the realm together, record commits alone. A row that
-- another client inserts meanwhile is an error. Answers that it has written, with the record's
-- version if it wrote one, or else as read.sql does.
START TRANSACTION;

SET @now = TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)), @record = NULL, @row = NULL;

SELECT version INTO @record FROM tickid_realm WHERE name = $1 AND $4 IS NULL LOCK IN SHARE MODE;

SELECT version INTO @record FROM tickid_realm WHERE name = $1 AND $4 IS NOT NULL FOR UPDATE;

SELECT version INTO @row FROM tickid_node WHERE realm = $1 AND node = $5
    AND ($7 IS NULL OR data = $7) FOR UPDATE;

SET @same = (@record <=> $3) AND (@row <=> $6) AND $2 = $generation
    AND ($10 IS NULL OR @now BETWEEN $10 AND $11);

INSERT INTO tickid_node (realm, node, version, ceiling, data)
    SELECT $1, $5, 1, $9, $8 FROM DUAL WHERE @same AND @row IS NULL AND $8 IS NOT NULL;

UPDATE tickid_node SET version = version + 1, ceiling = $9, data = $8
    WHERE @same AND $8 IS NOT NULL AND realm = $1 AND node = $5 AND version = @row;

INSERT INTO tickid_realm (name, version, record)
    SELECT $1, @now, $4 FROM DUAL WHERE @same AND @record IS NULL AND $4 IS NOT NULL;

UPDATE tickid_realm SET version = GREATEST(version + 1, @now), record = $4
    WHERE @same AND $4 IS NOT NULL AND name = $1 AND version = @record;

COMMIT;

SELECT 'written', NULL, IF($4 IS NULL, NULL, COALESCE(GREATEST(@record + 1, @now), @now)), NULL
    FROM DUAL WHERE @same;

SELECT 'store', @now, NULL, $generation FROM DUAL WHERE NOT @same;

SELECT 'record', NULL, version, record FROM tickid_realm WHERE NOT @same AND name = $1;

SELECT 'node', node, version, data FROM tickid_node WHERE NOT @same AND realm = $1 AND node = $5
