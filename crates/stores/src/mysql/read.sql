-- realm, node, first node of the page, rows of the page, rows with the lowest ceilings
SELECT 'store', TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)), NULL, $generation;

SELECT 'record', NULL, version, record FROM tickid_realm WHERE name = $1;

SELECT 'node', node, version, data FROM tickid_node WHERE realm = $1 AND node = $2;

(SELECT 'page', node, version, data FROM tickid_node FORCE INDEX (PRIMARY)
    WHERE realm = $1 AND node >= $3 ORDER BY node LIMIT $4)
UNION ALL
(SELECT 'page', node, version, data FROM tickid_node FORCE INDEX (PRIMARY)
    WHERE realm = $1 AND node < $3 ORDER BY node LIMIT $4)
LIMIT $4;

SELECT 'lowest', node, version, data FROM tickid_node FORCE INDEX (ceiling)
    WHERE realm = $1 ORDER BY ceiling LIMIT $5
