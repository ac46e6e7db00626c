-- Purpose: at most one connection waits for the answer to a message; whoever does says so again and again.
-- KEYS 1 lease   ARGV 1 connection 2 ms to hold it (0 = give it back) 3 1 = also when another connection holds it
-- Returns 0 done · else ms that another connection holds it for, at least
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] and ARGV[3] ~= '1' then return math.max(1, redis.call('PTTL', KEYS[1])) end
if ARGV[2] == '0' then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) end
return 0
