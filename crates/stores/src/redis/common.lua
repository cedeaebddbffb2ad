-- KEYS: the record; the rows, a hash from nodes; and two sorted sets of nodes, in order and by
-- ceiling. Records and rows are texts "VERSION JSON". Nodes are hexadecimal digits that sort as
-- nodes do.

local RECORD, ROWS, NODES, CEILINGS = unpack(KEYS)

local replication = redis.call('INFO', 'replication')

-- A replica, or a primary that was demoted while it lives, has data that may be old.
if string.match(replication, 'role:(%w+)') ~= 'master' then
    return redis.error_reply('READONLY the server is a replica')
end

local function generation()
    local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
    return run .. '/' .. string.match(replication, 'master_replid:(%w+)')
end

