-- Purpose: keep activation ids growing over a failover and an emptied Redis: fences must never go back.
-- KEYS 1 activations id counter   ARGV 1 at least ('' = Redis TIME in ms)   Returns the id in force
local least = ARGV[1] == '' and now() or tonumber(ARGV[1])
local current = tonumber(redis.call('GET', KEYS[1]) or '0')
if current >= least then return current end
redis.call('SET', KEYS[1], string.format('%.0f', least))
return least
