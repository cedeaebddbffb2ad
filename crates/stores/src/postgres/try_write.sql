-- Writes a record and a row with all rights that grants and renewals need, and takes both back.
DO $$
BEGIN
    PERFORM pg_catalog.set_config('lock_timeout', '2s', true);
    INSERT INTO tickid.realm (name, version, record) VALUES ('.doctor', 0, '{}')
    ON CONFLICT (name) DO UPDATE SET version = excluded.version;
    INSERT INTO tickid.node (realm, node, version, ceiling, data) VALUES ('.doctor', '', 0, 0, '{}')
    ON CONFLICT (realm, node) DO UPDATE SET version = excluded.version;
    RAISE EXCEPTION 'taken back';
EXCEPTION
    WHEN raise_exception THEN NULL;
END
$$
