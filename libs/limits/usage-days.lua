-- Purpose: what a tenant has used in one bucket on each of the last days (UTC, by Redis time), today first.
-- KEYS 1 key prefix of the tenant's days   ARGV 1 days   Returns {today's number, hash of today, hash of yesterday...}
local day = math.floor(now() / 86400000)
local out = {day}
for i = 0, tonumber(ARGV[1]) - 1 do out[#out + 1] = redis.call('HGETALL', KEYS[1] .. string.format('%.0f', day - i)) end
return out
