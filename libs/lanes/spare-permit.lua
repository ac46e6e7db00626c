-- Purpose: take a place in the rates of an account for what may as well be left out: only where it leaves more than half of each rate
--   free, nobody waits in line and the platform has asked for no pause. It never queues.   KEYS the rates (see rates.lua)
-- ARGV 1 permit 2 ms it may be on its way 3.. count and per of each rate   Returns 1 granted · 0 not
local t = now()
local function isSpare(key, count)
  redis.call('ZREMRANGEBYSCORE', key, '-inf', t)
  if redis.call('EXISTS', key .. ':w') == 1 or tonumber(redis.call('GET', key .. ':p') or '0') > t then return false end
  return (redis.call('ZCARD', key) + 1) * 2 <= count
end
for i, key in ipairs(KEYS) do
  if not isSpare(key, tonumber(ARGV[1 + 2 * i])) then return 0 end
end
for i, key in ipairs(KEYS) do
  local keep = tonumber(ARGV[2]) + tonumber(ARGV[2 + 2 * i])
  redis.call('ZADD', key, t + keep, ARGV[1])
  redis.call('PEXPIRE', key, math.max(keep, redis.call('PTTL', key)))
end
return 1
