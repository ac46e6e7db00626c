-- Purpose: write down how far a delivery is (queued again, or chunks done), and hold the conversation back if the channel asked for it.
-- KEYS 1 conversation 2 receipt 3 due   ARGV 1 fence 2 receipt state ('' leaves it) 3 receipt ttl ms 4 hold back ms (0 none) 5 conversation
-- Returns 0 superseded · 1 done
if redis.call('HGET', KEYS[1], 'fence') ~= ARGV[1] then return 0 end
if ARGV[2] ~= '' then redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3]) end
if tonumber(ARGV[4]) > 0 then
  local at = now() + tonumber(ARGV[4])
  redis.call('HSET', KEYS[1], 'nb', at)
  redis.call('ZADD', KEYS[3], at, ARGV[5])
end
return 1
