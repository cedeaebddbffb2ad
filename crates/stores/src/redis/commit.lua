-- Writes a record, a row, or both, if everything is as it must be. Returns the version of the record
-- that it has written, or 1 if it has written none. If something differs, returns what read.lua
-- returns for the node, if a row is compared.
--
-- ARGV: the generation; the earliest and the latest time, in microseconds, or nothing; how the
-- record's text must begin, and its new JSON or nothing; then, if a row is compared, its node, how
-- its text must begin, and its new text and ceiling or nothing. A text that must begin with "" must
-- not be there, and one that must begin with "?" must not begin with a version.

local of_generation, earliest, latest, record, new_record, node, row, new_row, ceiling = unpack(ARGV)

local function version(text)
    local version = text and string.match(text, '^(%d+) ')
    return version and #version <= 19 and version
end

local function begins(text, with)
    if with == '' then
        return not text
    elseif with == '?' then
        return text and not version(text)
    end
    return text and string.sub(text, 1, #with) == with
end

local time = redis.call('TIME')
local now, old_record = time[1] * 1000000 + time[2], redis.call('GET', RECORD)
local nodes = node and { node } or {}
local rows = node and { redis.call('HGET', ROWS, node) } or {}
if of_generation ~= generation()
    or now < (tonumber(earliest) or now) or now > (tonumber(latest) or now)
    or not begins(old_record, record)
    or (node and not begins(rows[1], row))
then
    return { generation(), time[1], time[2], old_record, 0, 0, nodes, rows }
end
local written = 1
if new_record ~= '' then
    -- Never the same for two records, not even after a restore: it follows the clock.
    local number = math.max((tonumber(version(old_record)) or 0) + 1, now)
    written = string.format('%.0f', number)
    redis.call('SET', RECORD, written .. ' ' .. new_record)
end
if new_row then
    redis.call('HSET', ROWS, node, new_row)
    redis.call('ZADD', NODES, 0, node)
    redis.call('ZADD', CEILINGS, ceiling, node)
end
return written
