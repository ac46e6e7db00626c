-- Purpose: a voluntary stop (limit, backoff, budget, drain): mark everything in flight released, so that no crash is counted, and set notBefore.
-- KEYS 1 head 2 mailbox active 3 due   ARGV 1 fence 2 mailbox job key prefix 3 ms (0 none) 4 why 5 message lock ms 6 session
-- Returns 0 superseded · 1 done
if redis.call('HGET', KEYS[1], 'fence') ~= ARGV[1] then return 0 end
for _, id in ipairs(redis.call('LRANGE', KEYS[2], 0, -1)) do redis.call('SET', ARGV[2] .. id .. ':lock', '=' .. ARGV[1], 'PX', ARGV[5]) end
-- A turn that was told to stop just before does not wait to be stopped.
if tonumber(ARGV[3]) > 0 and redis.call('HEXISTS', KEYS[1], 'ct') == 0 then
  local at = now() + tonumber(ARGV[3])
  redis.call('HSET', KEYS[1], 'nb', at, 'nbw', ARGV[4])
  redis.call('ZADD', KEYS[3], at, ARGV[6])
end
return 1
