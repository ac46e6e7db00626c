-- Purpose: last command of the MULTI that sends a dead letter again, as plain EVAL (see GuardedMulti): the letter leaves the dead ones and a row
--   of its own enters the conversation, once, whoever asks how often.
-- KEYS 1 activation dedup key 2 job of the letter 3 waiting jobs of its queue 4 letters of its tenant 5 replay 6 receipt of the dead row
--      7 deliveries 8 receipt of the new row 9 busy
-- ARGV 1 letter id 2 conversation 3 delivery of the new row 4 state its receipt begins with 5 receipt ttl ms 6 replay 7 replay ttl ms
-- Returns the replay, now or before · 'gone' no such letter · 'busy' a process died while it gave up, and another is trying again;
--   error NOTSTORED: nothing is sent
if redis.call('EXISTS', KEYS[1]) == 0 then return redis.error_reply('NOTSTORED activation') end
local before = redis.call('GET', KEYS[5])
if before then return before end
if redis.call('EXISTS', KEYS[2]) == 0 then return 'gone' end
local receipt = redis.call('GET', KEYS[6])
if receipt and string.sub(receipt, 1, 1) ~= 'f' then return 'busy' end
redis.call('LREM', KEYS[3], 0, ARGV[1])
redis.call('DEL', KEYS[2])
redis.call('ZREM', KEYS[4], ARGV[1])
redis.call('SET', KEYS[8], ARGV[4], 'PX', ARGV[5])
redis.call('RPUSH', KEYS[7], stamp(ARGV[3], 'at'))
redis.call('ZADD', KEYS[9], 'NX', now(), ARGV[2])
local replay = stamp(ARGV[6], 'at')
redis.call('SET', KEYS[5], replay, 'PX', ARGV[7])
return replay
