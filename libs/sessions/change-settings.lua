-- Purpose: merge a patch into the settings of a session; null takes one back. A control message that comes again changes nothing.
-- KEYS 1 head 2 idempotency key (the head when there is none)   ARGV 1 patch (JSON object) 2 idempotency ttl ms (0 none)
-- Returns the settings in force (JSON object)
local stored = redis.call('HGET', KEYS[1], 'set') or '{}'
if tonumber(ARGV[2]) > 0 and not redis.call('SET', KEYS[2], '0|', 'NX', 'PX', ARGV[2]) then return stored end
return changeset(KEYS[1], ARGV[1])
