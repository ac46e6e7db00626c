-- Purpose: a sender is a stranger again, and has to ask for a new code.
-- KEYS 1 approved 2 pending   ARGV 1 sender
-- Returns 1 was approved or had asked · 0 was not known
local known, all = redis.call('HDEL', KEYS[1], ARGV[1]), redis.call('HGETALL', KEYS[2])
for i = 1, #all, 2 do
  if cjson.decode(all[i + 1]).sender == ARGV[1] then known = redis.call('HDEL', KEYS[2], all[i]) end
end
return known
