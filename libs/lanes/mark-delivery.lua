-- Purpose: write down how far a delivery is (queued again, or chunks done), ask for the permit of its next chunk, and hold the conversation
--   back if the channel asked for it.
-- KEYS 1 conversation 2 receipt 3 due 4.. rates
-- ARGV 1 fence 2 receipt state 3 receipt ttl ms 4 hold back ms (0 none) 5 conversation 6.. permit (rates.lua)
-- Returns -1 superseded · 0 done · ms until a permit may be had: nothing was written down
if redis.call('HGET', KEYS[1], 'fence') ~= ARGV[1] then return -1 end
local t = now()
local wait = permit(t, 6)
if wait > 0 then return wait end
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
if tonumber(ARGV[4]) > 0 then
  local at = t + tonumber(ARGV[4])
  redis.call('HSET', KEYS[1], 'nb', at)
  redis.call('ZADD', KEYS[3], at, ARGV[5])
end
return 0
