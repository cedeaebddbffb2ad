-- Writes a record, a row, or both, if everything is as it must be. Returns whether it did, and the time.
--
-- ARGV: the generation; the earliest time, in microseconds, or nothing; how the
-- record's text must begin, and its new text or nothing; then, if a row is compared, its node, how its
-- text must begin, and its new text and ceiling or nothing. A text that must begin with "" must not be
-- there, and one that must begin with "?" must not begin with a version.

local generation_now, earliest, record, new_record, node, row, new_row, ceiling = unpack(ARGV)

local function begins(text, with)
    if with == '' then
        return not text
    elseif with == '?' then
        local version = text and string.match(text, '^(%d+) ') or ''
        return text and (version == '' or #version > 19)
    end
    return text and string.sub(text, 1, #with) == with
end

local time = redis.call('TIME')
if generation_now ~= generation()
    or (tonumber(earliest) or 0) > time[1] * 1000000 + time[2]
    or not begins(redis.call('GET', RECORD), record)
    or (node and not begins(redis.call('HGET', ROWS, node), row))
then
    return { 0, time[1], time[2] }
end
if new_record ~= '' then
    redis.call('SET', RECORD, new_record)
end
if new_row then
    redis.call('HSET', ROWS, node, new_row)
    redis.call('ZADD', NODES, 0, node)
    redis.call('ZADD', CEILINGS, ceiling, node)
end
return { 1, time[1], time[2] }
