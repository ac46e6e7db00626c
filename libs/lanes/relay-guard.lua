-- Purpose: last commands of the relay MULTI, one a row, sent as plain EVAL (see GuardedMulti): put a delivery into its conversation's list once.
--   A row that no session's script has stored gets its time here.
-- KEYS 1 deliveries 2 activation dedup key 3 receipt 4 busy   ARGV 1 conversation 2 row 3 receipt ttl ms
-- Returns 'ok', or the state of its receipt: it was relayed before; error NOTSTORED: nothing is relayed.
if redis.call('EXISTS', KEYS[2]) == 0 then return redis.error_reply('NOTSTORED activation') end
local state = redis.call('GET', KEYS[3])
if state then return state end
redis.call('SET', KEYS[3], 'q', 'PX', ARGV[3])
redis.call('RPUSH', KEYS[1], stamp(ARGV[2], 'at'))
redis.call('ZADD', KEYS[4], 'NX', now(), ARGV[1])
return 'ok'
