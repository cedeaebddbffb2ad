-- ARGV: the generation; the record's version, or nothing when there must be none; how many arguments
-- follow that are fields of the new record, and these; then, if a row is written, its node, its version
-- (or nothing) and the row.

local fields = tonumber(ARGV[3])
local node, version, new = unpack(ARGV, 4 + fields)
local old = node and redis.call('HGET', ROWS, node)
old = old and parse(old)
if ARGV[1] ~= generation()
    or (record().version or '') ~= ARGV[2]
    or (node and (old and old.version or '') ~= version)
then
    return 0
end
if fields > 0 then
    redis.call('DEL', RECORD)
    redis.call('HSET', RECORD, 'version', number((tonumber(ARGV[2]) or 0) + 1))
    for at = 4, 3 + fields, 2 do
        redis.call('HSET', RECORD, ARGV[at], ARGV[at + 1])
    end
end
if node then
    write(node, old, parse('0 ' .. new))
end
return 1
