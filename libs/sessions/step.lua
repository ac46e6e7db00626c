-- Purpose: append journal entries (and, for a send, its outbox row) if the fence is equal.
-- KEYS 1 head 2 journal 3 outbox 4 mailbox wait   ARGV 1 fence 2 outbox row ('' none) 3.. entries
-- Returns {'F'} superseded · {'OK', messages waiting, cancelled turn or '', outbox number or 0, Redis time}
local h = redis.call('HMGET', KEYS[1], 'fence', 'ct')
if h[1] ~= ARGV[1] or redis.call('EXISTS', KEYS[2]) == 0 then return {'F'} end
for i = 3, #ARGV do redis.call('RPUSH', KEYS[2], stamp(ARGV[i], 'at')) end
local number = 0
if ARGV[2] ~= '' then
  number = redis.call('HINCRBY', KEYS[1], 'oq', 1)
  redis.call('ZADD', KEYS[3], number, stamp(ARGV[2], 'at'))
end
return {'OK', redis.call('LLEN', KEYS[4]), h[2] or '', number, now()}
