-- KEYS: the record; the rows, a hash from nodes; and two sorted sets of nodes, in order and by
-- ceiling. Records and rows are texts "VERSION JSON". Nodes are hexadecimal digits that sort as
-- nodes do.

local RECORD, ROWS, NODES, CEILINGS = unpack(KEYS)

local function generation()
    local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
    local replication = string.match(redis.call('INFO', 'replication'), 'master_replid:(%w+)')
    return run .. '/' .. replication
end

