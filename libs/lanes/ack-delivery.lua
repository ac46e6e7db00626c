-- Purpose: make one receipt final, drop the delivery and, where its session shares the slot, its outbox row (see outbox-done);
--   mark the next one started if it may be sent now; release the conversation when it was the last.
-- KEYS 1 deliveries 2 conversation 3 receipt 4 next receipt (none: same as 3) 5 busy 6 pending wake-up (dn)
--      with an outbox row: 7 outbox 8 journal 9 mailbox wait 10 mailbox active 11 busy of the turns; then the rates
-- ARGV 1 fence 2 final state 3 receipt ttl ms 4 next 0|1 5 conversation 6 row id 7 channel of the process that waits ('' none)
--      8 outbox number ('' elsewhere) 9 session 10.. permit (rates.lua)
-- Returns {'F'} superseded · {'OK', state of the next receipt before, rows left, Redis time, ms until a permit may be had}; 0 left = released
if redis.call('HGET', KEYS[2], 'fence') ~= ARGV[1] then return {'F'} end
redis.call('SET', KEYS[3], ARGV[2], 'PX', ARGV[3])
-- Sent again after a reconnect it must not drop the next one.
local first = redis.call('LINDEX', KEYS[1], 0)
if first and cjson.decode(first).id == ARGV[6] then redis.call('LPOP', KEYS[1]) end
if ARGV[8] ~= '' then
  redis.call('ZREMRANGEBYSCORE', KEYS[7], ARGV[8], ARGV[8])
  if redis.call('EXISTS', KEYS[7], KEYS[8], KEYS[9], KEYS[10]) == 0 then redis.call('ZREM', KEYS[11], ARGV[9]) end
end
if ARGV[7] ~= '' then redis.call('PUBLISH', ARGV[7], ARGV[6]) end
local state, left, t = '', redis.call('LLEN', KEYS[1]), now()
if ARGV[4] == '1' then state = redis.call('GET', KEYS[4]) or 'q' end
-- What is final is not sent, and needs no permit.
if string.sub(state, 1, 1) == 'f' then ARGV[10] = '' end
local wait = permit(t, 10)
if ARGV[4] == '1' then
  if wait == 0 and string.sub(state, 1, 1) == 'q' then redis.call('SET', KEYS[4], 's' .. string.sub(state, 2), 'PX', ARGV[3]) end
elseif left == 0 then
  redis.call('ZREM', KEYS[5], ARGV[5])
  redis.call('DEL', KEYS[6])
end
return {'OK', state, left, t, wait}
