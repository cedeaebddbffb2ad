-- The rules, as far as they say yes. Where they would not, or where numbers would not be exact, the
-- answer is ASK: then the caller reads, and decides by the rules themselves.

local ASK = {}

-- The record with its numbers, if decisions can be made by it here.
local function known()
    local record = record()
    if record.is_exact ~= '1' or record.generation ~= generation() then
        return nil
    end
    local names = { 'era', 'floor', 'end', 'ahead', 'max_ahead', 'term', 'epoch', 'period',
        'ticks_per_period', 'micros_per_tick' }
    for _, name in ipairs(names) do
        record[name] = tonumber(record[name])
    end
    local time = redis.call('TIME')
    local micros = time[1] * 1000000 + time[2] - record.epoch
    if micros < 0 then
        return nil
    end
    local rest = micros % record.period
    record.now = (micros - rest) / record.period * record.ticks_per_period
        + math.floor(rest / record.micros_per_tick)
    record.time = time
    if record.now >= record['end'] then
        return nil
    end
    record.reach = record.now + record.ahead
    record.limit = record.now + record.max_ahead
    return record
end

-- The era since which a node may be given out.
local function since(record, node)
    for first, last, era in string.gmatch(record.since, '([01]*)%-([01]*) (%d+);') do
        if #node == #first and first <= node and node <= last then
            return tonumber(era)
        end
    end
end

-- The row with a higher ceiling, unless its lease ended with its era.
local function extend(record, node, row)
    local era = since(record, node)
    if not era or tonumber(row.era) < era then
        return nil
    end
    local ceiling = math.min(math.max(tonumber(row.ceiling), record.reach), record['end'])
    return {
        token = row.token, era = row.era, floor = row.floor, ceiling = number(ceiling),
        holder = row.holder,
    }
end

local function grant(record, node, row)
    return { node, row.token, row.floor, row.ceiling, record.time[1], record.time[2] }
end

-- The row of a lease, if it still is that lease's.
local function held(node, token, floor)
    local row = redis.call('HGET', ROWS, node)
    row = row and parse(row)
    if row and row.token == token and row.floor == floor then
        return row
    end
end
