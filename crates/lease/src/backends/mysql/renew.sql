-- realm, generation, the record's version, node, the row's version, token, floor, ceiling, epoch, period,
-- ticks per period, microseconds per tick, ahead, end
START TRANSACTION;

SET @now = TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)), @record = NULL;

SET @tick = (@now - $9) DIV $10 * $11 + (@now - $9) MOD $10 DIV $12;

SET @ceiling = CAST(GREATEST($8, LEAST(@tick + $13, $14)) AS UNSIGNED);

SELECT version INTO @record FROM tickid_realm WHERE name = $1 LOCK IN SHARE MODE;

UPDATE tickid_node
    SET version = version + 1, ceiling = @ceiling, data = JSON_SET(data, '$.ceiling', @ceiling)
    WHERE realm = $1 AND node = $4 AND version = $5 AND ceiling = $8
        AND JSON_VALUE(data, '$.token') = $6 AND JSON_VALUE(data, '$.floor') = '$7'
        AND JSON_VALUE(data, '$.ceiling') = '$8'
        AND @now >= $9 AND @tick < $14 AND @record = $3 AND $2 = $generation;

SET @renewed = ROW_COUNT();

COMMIT;

SELECT @ceiling, @now FROM DUAL WHERE @renewed = 1
