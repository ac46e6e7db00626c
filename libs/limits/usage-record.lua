-- Purpose: add what a turn cost to the day (UTC, by Redis time) of its tenant and of its session, once per turn.
-- KEYS 1 marker of the turn   ARGV 1 key prefix of the tenant's days 2 of its sessions' days 3 marker ttl ms 4 ttl of a day ms 5 ttl of its sessions ms
--      6 session 7 tokens 8 cost (millionths) 9.. field, amount: more of the tenant's day
-- Both days are in the slot of the marker.   Returns 1 added · 0 added before
if not redis.call('SET', KEYS[1], 1, 'NX', 'PX', ARGV[3]) then return 0 end
local day = string.format('%.0f', math.floor(now() / 86400000))
local function add(key, ttl, from, fields)
  for i = from, #fields, 2 do
    if fields[i + 1] ~= '0' then redis.call('HINCRBY', key, fields[i], fields[i + 1]) end
  end
  redis.call('PEXPIRE', key, ttl)
end
add(ARGV[1] .. day, ARGV[4], 9, ARGV)
add(ARGV[2] .. day, ARGV[5], 1, {ARGV[6] .. ' tokens', ARGV[7], ARGV[6] .. ' cost', ARGV[8]})
return 1
