-- The tables of the PostgreSQL backend and the functions that its clients call.
--
-- Run as a whole, in one transaction, any number of times. Functions are never changed once they
-- are released: their names carry a version, so that clients of different releases can share a
-- database. They decide nothing: the rules are in Rust. Arguments and results are text.
--
-- LOCKS. A record is written under a table lock that renewals and row commits wait for, and they
-- under one that they can hold together. The queue is fair, and no row of `realm` is ever locked:
-- that would cost a MultiXact for each renewal. Roles without rights on the table cannot take
-- either lock.
--
-- SECURITY. Any role that may create objects in a schema of the caller's search path could
-- otherwise have its own functions and operators called in place of those of pg_catalog, with the
-- caller's rights (CVE-2018-1058). So every function sets its search_path, this script starts by
-- setting it, and everything that runs before that is qualified. The temporary schema is named
-- because it is searched first if it is not.

SET LOCAL search_path = pg_catalog, pg_temp;
-- How the rest is read, and which warnings are errors, must not depend on the caller's settings.
SET LOCAL standard_conforming_strings = on;
SET LOCAL plpgsql.extra_errors = 'none';

-- Installations at the same time wait for each other: to create the schema and the first table by
-- the catalog's unique indexes, and from then on by a lock that takes the right to update or delete
-- records, and that renewals do not wait for. "IF NOT EXISTS" needs the right to create even where
-- it exists.
DO $$
BEGIN
    LOOP
        BEGIN
            IF to_regnamespace('tickid') IS NULL THEN
                CREATE SCHEMA tickid;
            END IF;
            IF to_regclass('tickid.realm') IS NULL THEN
                CREATE TABLE tickid.realm (
                    name text COLLATE "C" PRIMARY KEY,
                    -- Never the same for two records, not even after a restore: it follows the
                    -- clock.
                    version bigint NOT NULL,
                    record jsonb NOT NULL
                );
            END IF;
            EXIT;
        EXCEPTION
            -- Another installation has created it meanwhile.
            WHEN unique_violation OR duplicate_schema OR duplicate_table THEN NULL;
        END;
    END LOOP;
    LOCK TABLE tickid.realm IN SHARE UPDATE EXCLUSIVE MODE;
END
$$;

-- A node that was granted at least once. Never deleted. Without a foreign key, which would lock the
-- row of the realm.
CREATE TABLE IF NOT EXISTS tickid.node (
    realm text COLLATE "C" NOT NULL,
    -- Sorts as the nodes do.
    node text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    -- That of the row, for the index.
    ceiling numeric NOT NULL,
    data jsonb NOT NULL,
    PRIMARY KEY (realm, node),
    -- For its index: the rows with the lowest ceilings.
    UNIQUE (realm, ceiling, node)
) WITH (fillfactor = 50);

-- The nodes that functions of this database use for good, and their rows as they must be. The
-- functions of a realm are those of its highest number, which is in the names of their objects;
-- earlier ones have issued IDs, too.
CREATE TABLE IF NOT EXISTS tickid.generator (
    number integer PRIMARY KEY,
    realm text COLLATE "C" NOT NULL,
    node text COLLATE "C" NOT NULL,
    data jsonb NOT NULL
);

-- Identifies the data: it changes when the server is restored from a backup or fails over (the
-- timeline), when the database is copied (its OID), and when a dump creates the tables anew (the
-- table's OID). An error on a standby. Servers with another kind of log, as Amazon Aurora's, refuse
-- to return a position in it (SQLSTATE 55000, as a standby does), and then have no timeline. In
-- plpgsql, as all that follows: plans are kept for it.
CREATE OR REPLACE FUNCTION tickid.generation_v1() RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    timeline text;
BEGIN
    IF pg_is_in_recovery() THEN
        RAISE EXCEPTION 'the server is a standby' USING ERRCODE = 'read_only_sql_transaction';
    END IF;
    BEGIN
        timeline := left(pg_walfile_name(pg_current_wal_lsn()), 8);
    EXCEPTION
        WHEN object_not_in_prerequisite_state THEN timeline := 'unknown';
    END;
    RETURN (pg_control_system()).system_identifier || ' timeline ' || timeline
        || ' database ' || (SELECT oid FROM pg_database WHERE datname = current_database())
        || ' table ' || 'tickid.realm'::regclass::oid;
END
$$;

-- The store's clock, in microseconds since 1970.
CREATE OR REPLACE FUNCTION tickid.now_micros_v1() RETURNS bigint
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;
END
$$;

-- Settings of a transaction that writes: no long wait for locks, and whatever is answered is on
-- disk (and on those of synchronous standbys), whatever the session says.
CREATE OR REPLACE FUNCTION tickid.settings_v1() RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM set_config('lock_timeout', '2s', true), set_config('synchronous_commit', 'on', true);
END
$$;

-- Puts back the rows of nodes that functions of this database use, where they are no longer: they
-- were deleted, damaged, or replaced by an older dump's. Returns whether there were any. With the
-- rights of its owner, as clients need none on the table of these nodes.
CREATE OR REPLACE FUNCTION tickid.restore_reserved_v1(realm_name text) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO tickid.node AS n (realm, node, version, ceiling, data)
    SELECT g.realm, g.node, 1, (g.data ->> 'ceiling')::numeric, g.data
    FROM tickid.generator AS g
    WHERE g.realm = realm_name AND NOT EXISTS (
        SELECT FROM tickid.node AS present WHERE present.realm = g.realm
            AND present.node = g.node AND present.data = g.data
    )
    ON CONFLICT ON CONSTRAINT node_pkey DO UPDATE
    SET version = n.version + 1, ceiling = excluded.ceiling, data = excluded.data;
    RETURN FOUND;
END
$$;

-- Snapshot of a realm: the store's clock and generation, the record, the row of one node, a page of
-- rows from a node on, going round, and the rows with the lowest ceilings. Sorts nothing, so that
-- it reads no more rows than it returns, also if the planner's statistics are wrong.
CREATE OR REPLACE FUNCTION tickid.read_v1(
    realm_name text, one text, start text, page_rows text, lowest_rows text
) RETURNS TABLE (kind text, key text, version text, data text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET enable_sort = off AS $$
    WITH page AS MATERIALIZED (
        SELECT n.node, n.version, n.data FROM tickid.node AS n
        WHERE n.realm = realm_name AND n.node >= start
        ORDER BY n.realm, n.node LIMIT page_rows::bigint
    )
    SELECT 'store', tickid.now_micros_v1()::text, NULL, tickid.generation_v1()
    UNION ALL
    SELECT 'record', NULL, r.version::text, r.record::text FROM tickid.realm AS r
    WHERE r.name = realm_name
    UNION ALL
    SELECT 'node', n.node, n.version::text, n.data::text FROM tickid.node AS n
    WHERE n.realm = realm_name AND n.node = one
    UNION ALL
    SELECT 'page', page.node, page.version::text, page.data::text FROM page
    UNION ALL (
        SELECT 'page', n.node, n.version::text, n.data::text FROM tickid.node AS n
        WHERE n.realm = realm_name AND n.node < start
        ORDER BY n.realm, n.node LIMIT page_rows::bigint - (SELECT count(*) FROM page)
    )
    UNION ALL (
        SELECT 'lowest', n.node, n.version::text, n.data::text FROM tickid.node AS n
        WHERE n.realm = realm_name
        ORDER BY n.realm, n.ceiling LIMIT lowest_rows::bigint
    )
$$;

-- Compare-and-set: writes a record, a row or both if this is the store of that generation, its
-- clock is between two times, if given, and the record and the row have these versions (null: there
-- is none). An old row, if given, is compared as a whole. A node without a new row is only compared.
-- Returns a row of the kind "written" if it did, with the version of the record if it wrote that, and
-- otherwise what read_v1 returns for the node. A realm that has lost a reserved row gets it back
-- instead: whatever was decided did not see that row, and could grant its node.
CREATE OR REPLACE FUNCTION tickid.commit_v2(
    realm_name text, of_generation text, record_version text, new_record text,
    node_key text, row_version text, old_row text, new_row text, new_ceiling text,
    earliest text, latest text
) RETURNS TABLE (kind text, key text, version text, data text)
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM tickid.settings_v1();
    IF new_record IS NULL THEN
        LOCK TABLE tickid.realm IN ROW EXCLUSIVE MODE;
    ELSE
        LOCK TABLE tickid.realm IN SHARE ROW EXCLUSIVE MODE;
    END IF;
    IF of_generation <> tickid.generation_v1()
        OR tickid.now_micros_v1() NOT BETWEEN earliest::bigint AND latest::bigint
        OR (SELECT r.version FROM tickid.realm AS r WHERE r.name = realm_name)
            IS DISTINCT FROM record_version::bigint
    THEN
        RETURN QUERY SELECT * FROM tickid.read_v1(realm_name, node_key, '', '0', '0');
        RETURN;
    END IF;
    IF tickid.restore_reserved_v1(realm_name) THEN
        RETURN QUERY SELECT * FROM tickid.read_v1(realm_name, node_key, '', '0', '0');
        RETURN;
    END IF;
    -- Another row commit may still be faster, and then finds nothing.
    IF new_row IS NULL THEN
        PERFORM WHERE row_version::bigint IS NOT DISTINCT FROM (
            SELECT n.version FROM tickid.node AS n WHERE n.realm = realm_name AND n.node = node_key
        );
    ELSIF row_version IS NULL THEN
        INSERT INTO tickid.node (realm, node, version, ceiling, data)
        VALUES (realm_name, node_key, 1, new_ceiling::numeric, new_row::jsonb)
        ON CONFLICT (realm, node) DO NOTHING;
    ELSE
        UPDATE tickid.node AS n
        SET version = n.version + 1, ceiling = new_ceiling::numeric, data = new_row::jsonb
        WHERE n.realm = realm_name AND n.node = node_key AND n.version = row_version::bigint
            AND (old_row IS NULL OR n.data = old_row::jsonb);
    END IF;
    IF NOT FOUND THEN
        RETURN QUERY SELECT * FROM tickid.read_v1(realm_name, node_key, '', '0', '0');
        RETURN;
    END IF;
    IF new_record IS NULL THEN
        RETURN QUERY SELECT 'written', NULL, NULL, NULL;
    ELSE
        RETURN QUERY INSERT INTO tickid.realm AS r (name, version, record)
        VALUES (realm_name, tickid.now_micros_v1(), new_record::jsonb)
        ON CONFLICT (name) DO UPDATE
        SET version = greatest(r.version + 1, excluded.version), record = excluded.record
        RETURNING 'written', NULL, r.version::text, NULL;
    END IF;
END
$$;

-- What holders of an earlier release call: a row only if it wrote, with the version of the record or
-- "done".
CREATE OR REPLACE FUNCTION tickid.commit_v1(
    realm_name text, of_generation text, record_version text, new_record text,
    node_key text, row_version text, old_row text, new_row text, new_ceiling text,
    earliest text, latest text
) RETURNS SETOF text
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT coalesce(c.version, 'done')
    FROM tickid.commit_v2(realm_name, of_generation, record_version, new_record, node_key,
        row_version, old_row, new_row, new_ceiling, earliest, latest) AS c
    WHERE c.kind = 'written';
END
$$;
