-- ARGV: the node whose row is wanted, or nothing for all.

local record, time, node = record(), redis.call('TIME'), ARGV[1]
local rows
if node then
    rows = { node, redis.call('HGET', ROWS, node) or '' }
else
    rows = redis.call('HGETALL', ROWS)
end
return { generation(), time[1], time[2], record.version or '', record.json or '', rows }
