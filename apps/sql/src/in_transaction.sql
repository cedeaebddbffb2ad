-- For a transaction that the caller begins and commits. Renewals of leases wait for its commit, so
-- these statements come last in it.

-- Has no effect outside of a transaction, by which the next statement knows.
SET LOCAL tickid.in_transaction = on;

-- One statement, so that all or nothing is done even if the caller goes on after an error. In the
-- end all settings are what they were. Until it has set the search path, every name is qualified.
DO $tickid$
DECLARE
    path CONSTANT pg_catalog.text := pg_catalog.current_setting('search_path');
    before pg_catalog.jsonb;
BEGIN
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    IF current_setting('tickid.in_transaction', true) IS DISTINCT FROM 'on' THEN
        RAISE EXCEPTION 'these statements must run in a transaction, and there is none'
            USING ERRCODE = 'no_active_sql_transaction',
                HINT = 'Begin one, or print them without --in-transaction.';
    END IF;
    before := (SELECT jsonb_object_agg(s.name, s.setting) FROM pg_settings AS s);
    -- Without notices of tables that exist.
    PERFORM set_config('client_min_messages', 'warning', true),
        set_config('standard_conforming_strings', 'on', true);
    EXECUTE $statements$
${statements}$statements$;
    PERFORM set_config(s.name, before ->> s.name, true) FROM pg_settings AS s
    WHERE s.setting IS DISTINCT FROM before ->> s.name;
    PERFORM set_config('tickid.in_transaction', 'off', true),
        set_config('search_path', path, true);
END
$tickid$;
