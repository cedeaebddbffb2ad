-- The tables of the MySQL backend, in the database that the URL names.

CREATE TABLE IF NOT EXISTS tickid_realm (
    name VARCHAR(63) NOT NULL PRIMARY KEY,
    -- Never the same for two records, not even after a restore: it follows the clock.
    version BIGINT UNSIGNED NOT NULL,
    record MEDIUMTEXT NOT NULL
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Nodes that were granted at least once. Never deleted.
CREATE TABLE IF NOT EXISTS tickid_node (
    realm VARCHAR(63) NOT NULL,
    -- Sorts as the nodes do.
    node CHAR(18) NOT NULL,
    version BIGINT UNSIGNED NOT NULL,
    -- That of the row, for the index.
    ceiling BIGINT UNSIGNED NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (realm, node),
    KEY ceiling (realm, ceiling)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

/*M!
-- Identifies the copy of the database, by the age of its data file: always empty. Not in InnoDB,
-- whose files change without a write to the table.
CREATE TABLE IF NOT EXISTS tickid_identity (
    is_empty BOOLEAN
) ENGINE = MyISAM
*/
