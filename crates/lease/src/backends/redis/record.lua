-- What every script begins with: the realm's record, the store's generation and its clock.
--
-- KEYS: the record (a hash) and the rows (a hash: node to row). Nodes are binary digits, so that one
-- begins with another one exactly when their names do.
-- A row is "VERSION TOKEN ERA FLOOR CEILING HOLDER", the token "-" when it is nobody's.

local RECORD, ROWS = KEYS[1], KEYS[2]

local function generation()
    local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
    local replication = string.match(redis.call('INFO', 'replication'), 'master_replid:(%w+)')
    return run .. '/' .. replication
end

local function record()
    local fields = redis.call('HGETALL', RECORD)
    local record = {}
    for at = 1, #fields, 2 do
        record[fields[at]] = fields[at + 1]
    end
    return record
end

local function parse(row)
    local version, token, era, floor, ceiling, holder =
        string.match(row, '^(%d+) (%S+) (%d+) (%d+) (%d+) (.*)$')
    return {
        version = version, token = token, era = era, floor = floor, ceiling = ceiling, holder = holder,
    }
end

local function number(value)
    return string.format('%.0f', value)
end

local function write(name, old, row)
    local version = number(old and old.version + 1 or 1)
    local fields = { version, row.token, row.era, row.floor, row.ceiling, row.holder }
    redis.call('HSET', ROWS, name, table.concat(fields, ' '))
end
