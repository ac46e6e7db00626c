-- Purpose: how old the message is that a runner will take up next, in one bucket; of the few at the head of the queue, the oldest.
-- KEYS 1 activations wait   ARGV 1 prefix of activation jobs 2 prefix of mailboxes
-- Returns its age in ms, 0 when nothing waits.
local oldest, t = now(), now()
for _, id in ipairs(redis.call('LRANGE', KEYS[1], -10, -1)) do
  local data = redis.call('HGET', ARGV[1] .. id, 'data')
  local mailbox = data and ARGV[2] .. cjson.decode(data).key
  local message = mailbox and (redis.call('LINDEX', mailbox .. ':active', -1) or redis.call('LINDEX', mailbox .. ':wait', -1))
  local at = message and tonumber(redis.call('HGET', mailbox .. ':' .. message, 'a') or '')
  if at and at < oldest then oldest = at end
end
return t - oldest
