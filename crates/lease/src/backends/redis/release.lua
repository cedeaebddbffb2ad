-- ARGV: the lease's node, token and floor, and one past the last tick that was used.

local node, token, floor, ceiling = unpack(ARGV)
local record = known()
local old = record and held(node, token, floor)
if not old then
    return ASK
end
local new = { token = '-', era = old.era, floor = floor, ceiling = ceiling, holder = old.holder }
write(node, old, new)
return grant(record, node, new)
