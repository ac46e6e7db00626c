-- Purpose: tell the running turn, or messages that wait, to stop; named, so that it cannot hit a later one. Passes its own idempotency key.
-- KEYS 1 head 2 journal 3 idempotency key (the head when there is none) 4 activation dedup key 5 activations delayed 6 mailbox wait
-- ARGV 1 running turn to stop ('' none, '*' whatever runs) 2 waiting message to cancel ('' none, '*' all) 3 idempotency ttl ms (0 none) 4 mailbox job key prefix
-- Returns {turn that stops or '', waiting messages cancelled, activation id to promote or '', 1 repeated: the first answer, Redis time of the first} · {} the key is that of another message
local first = redis.call('LINDEX', KEYS[2], 0)
local running, target, message, prefix = first and cjson.decode(first).turn or '', ARGV[1], ARGV[2], ARGV[4]
local before = tonumber(ARGV[3]) > 0 and redis.call('GET', KEYS[3])
if before then
  local count, turn, at = string.match(before, '^(%d+)|([^|]*)|(%d+)$')
  return count and {turn, tonumber(count), '', 1, tonumber(at)} or {}
end
local stopped = (target == '*' or target == running) and running or ''
if stopped ~= '' then redis.call('HSET', KEYS[1], 'ct', stopped, 'cw', 'cancelled') end
local cancelled = 0
if message == '*' then
  for _, id in ipairs(redis.call('LRANGE', KEYS[6], 0, -1)) do cancelled = cancelled + redis.call('HSETNX', prefix .. id, 'x', 1) end
elseif message ~= '' and redis.call('EXISTS', prefix .. message) == 1 and redis.call('HEXISTS', prefix .. message, 'processedOn') == 0 then
  -- The mark stays with the message, whoever takes it and however often.
  redis.call('HSET', prefix .. message, 'x', 1)
  cancelled = 1
end
local promote = ''
-- What waits (backoff, quiet window) must not wait any longer to be cancelled; other mail keeps its window.
if stopped ~= '' or (running == '' and message == '*') then
  redis.call('HDEL', KEYS[1], 'nb', 'nbw', 'win')
  local activation = redis.call('GET', KEYS[4])
  if activation and redis.call('ZSCORE', KEYS[5], activation) then promote = activation end
end
if tonumber(ARGV[3]) > 0 then redis.call('SET', KEYS[3], cancelled .. '|' .. stopped .. '|' .. now(), 'PX', ARGV[3]) end
return {stopped, cancelled, promote, 0, now()}
