-- Writes a record and a row with all rights that grants and renewals need, and takes both back.
START TRANSACTION;

INSERT INTO tickid_realm (name, version, record) VALUES ('.doctor', 0, '{}')
    ON DUPLICATE KEY UPDATE version = 0;

INSERT INTO tickid_node (realm, node, version, ceiling, data) VALUES ('.doctor', '', 0, 0, '{}')
    ON DUPLICATE KEY UPDATE version = 0;

ROLLBACK
