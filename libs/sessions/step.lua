-- Purpose: append journal entries (and, for a send, its outbox row) if the fence is equal.
-- KEYS 1 head 2 journal 3 outbox 4 mailbox wait 5 mailbox active   ARGV 1 fence 2 mailbox job key prefix 3 outbox row ('' none) 4.. entries
-- Returns {'F'} superseded · {'OK', 1 the next message wants to join this turn and may, cancelled turn or '', why or '', outbox number or 0, Redis time}
local h = redis.call('HMGET', KEYS[1], 'fence', 'ct', 'cw')
if h[1] ~= ARGV[1] or redis.call('EXISTS', KEYS[2]) == 0 then return {'F'} end
for i = 4, #ARGV do redis.call('RPUSH', KEYS[2], stamp(ARGV[i], 'at')) end
local number = 0
if ARGV[3] ~= '' then
  number = redis.call('HINCRBY', KEYS[1], 'oq', 1)
  redis.call('ZADD', KEYS[3], number, stamp(ARGV[3], 'at'))
end
local joins, id = 0, redis.call('LINDEX', KEYS[4], -1)
local job = id and redis.call('HMGET', ARGV[2] .. id, 'm', 'name', 'x') or {}
if job[1] == 'steer' and not job[3] then
  local mine = redis.call('LINDEX', KEYS[5], -1)
  if mine and job[2] == redis.call('HGET', ARGV[2] .. mine, 'name') then joins = 1 end
end
return {'OK', joins, h[2] or '', h[3] or '', number, now()}
