-- Purpose: append a turn event for whoever watches the session, unless a newer claim owns it.
-- KEYS 1 head 2 events   ARGV 1 fence 2 events ttl ms 3.. events
-- Returns 0 superseded · 1 done
if redis.call('HGET', KEYS[1], 'fence') ~= ARGV[1] then return 0 end
for i = 3, #ARGV do redis.call('XADD', KEYS[2], 'MAXLEN', '~', 1000, '*', 'e', ARGV[i]) end
redis.call('PEXPIRE', KEYS[2], ARGV[2])
redis.call('PUBLISH', KEYS[2], '')
return 1
