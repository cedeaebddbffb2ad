-- Reads the record and some rows.
--
-- ARGV: the kind of rows, where they begin, and the largest number of them. The kinds are
-- "none"; "node", the row of the node ARGV[2]; "page", those from a bound of ZRANGEBYLEX on; and
-- "candidates", a page that goes round from the last to the first node, and the lowest ceilings.
--
-- Returns the generation, the time, the record, the number of rows in the page and in the realm,
-- the nodes, and their rows.

local kind, start, limit = unpack(ARGV)
local nodes = {}

local function append(command, ...)
    for _, node in ipairs(redis.call(command, ...)) do
        nodes[#nodes + 1] = node
    end
end

local page = 0
if kind == 'node' then
    nodes = { start }
elseif kind ~= 'none' then
    append('ZRANGEBYLEX', NODES, start, '+', 'LIMIT', 0, limit)
    page = #nodes
end
if kind == 'candidates' then
    local before = '(' .. string.sub(start, 2)
    append('ZRANGEBYLEX', NODES, '-', before, 'LIMIT', 0, limit - page)
    page = #nodes
    append('ZRANGE', CEILINGS, 0, limit - 1)
end
local rows = #nodes > 0 and redis.call('HMGET', ROWS, unpack(nodes)) or {}
local time = redis.call('TIME')
local record, count = redis.call('GET', RECORD), redis.call('ZCARD', NODES)
return { generation(), time[1], time[2], record, page, count, nodes, rows }
