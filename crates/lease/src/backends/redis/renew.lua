-- ARGV: the lease's node, token and floor.

local node, token, floor = unpack(ARGV)
local record = known()
local old = record and held(node, token, floor)
local new = old and extend(record, node, old)
if not new then
    return ASK
end
write(node, old, new)
return grant(record, node, new)
