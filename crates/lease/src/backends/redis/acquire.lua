-- ARGV: the realm that was brought, the claim's token, its holder, its time (or nothing), and with which
-- node of the pool to begin.

local brought, token, holder, claimed, start = unpack(ARGV)
claimed, start = tonumber(claimed), tonumber(start)

local record = known()
if not record or record.realm ~= brought then
    return ASK
end

local rows, own, extended = {}, nil, nil
local fields = redis.call('HGETALL', ROWS)
for at = 1, #fields, 2 do
    local node, row = fields[at], parse(fields[at + 1])
    rows[node] = row
    row.ceiling_number = tonumber(row.ceiling)
    if row.token == token and (not own or node < own) then
        local longer = extend(record, node, row)
        if longer then
            own, extended = node, longer
        end
    end
end

if own then
    write(own, rows[own], extended)
    return grant(record, own, extended)
end

-- The highest ceiling of the rows whose nodes begin with a node and are not the node.
local below = {}
for node, row in pairs(rows) do
    for length = 0, #node - 1 do
        local prefix = string.sub(node, 1, length)
        below[prefix] = math.max(below[prefix] or 0, row.ceiling_number)
    end
end

local function ceiling(node)
    local highest = math.max(record.floor, below[node] or 0)
    for length = 0, #node do
        local row = rows[string.sub(node, 1, length)]
        if row then
            highest = math.max(highest, row.ceiling_number)
        end
    end
    return highest
end

local function next_ceiling(floor)
    return record.reach > floor and record.reach or floor + record.term
end

local function next_node(node)
    local head, ones = string.match(node, '^(.*)0(1*)$')
    return head and head .. '1' .. string.rep('0', #ones)
end

local pool = {}
for first, count in string.gmatch(record.pool, '([01]*) (%d+);') do
    local node = first
    for _ = 1, tonumber(count) do
        pool[#pool + 1] = node
        node = next_node(node)
    end
end

local used, unused, later, lowest
for at = start, start + #pool - 1 do
    local node = pool[at % #pool + 1]
    local floor = ceiling(node)
    local is_free = floor <= record.now or (rows[node] and rows[node].token == '-')
    if floor <= record.limit and is_free and next_ceiling(floor) <= record.limit then
        if claimed and claimed < floor then
            if not lowest or floor < lowest or (floor == lowest and node < later) then
                later, lowest = node, floor
            end
        elseif rows[node] then
            used = node
            break
        else
            unused = unused or node
        end
    end
end

local node = used or unused or later
if not node then
    return ASK
end
local floor = ceiling(node)
local top = math.min(next_ceiling(floor), record['end'])
if top <= floor then
    return ASK
end
local row = {
    token = token, era = number(record.era), floor = number(floor), ceiling = number(top),
    holder = holder,
}
write(node, rows[node], row)
return grant(record, node, row)
