-- Purpose: merge a patch into the settings of a session; null takes one back. A control message that comes again changes nothing.
-- KEYS 1 head 2 idempotency key (the head when there is none)   ARGV 1 patch (JSON object) 2 idempotency ttl ms (0 none) 3 fence ('' not the claimed runner)
-- Returns the settings in force (JSON object); nil superseded, or the key is that of another message
local h = redis.call('HMGET', KEYS[1], 'fence', 'set')
if ARGV[3] ~= '' and h[1] ~= ARGV[3] then return nil end
local own = '0|' .. ARGV[1]
local before = tonumber(ARGV[2]) > 0 and redis.call('SET', KEYS[2], own, 'NX', 'GET', 'PX', ARGV[2])
if before then return before == own and (h[2] or '{}') or nil end
return changeset(KEYS[1], ARGV[1])
