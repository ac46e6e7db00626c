-- Purpose: last command of the accept MULTI, sent as plain EVAL (see GuardedMulti). An EXEC does not roll back when one command errors, so this
--   proves that mail and activation are stored, and only then acknowledges. A message that was accepted before and has
--   already left the mailbox was put back by this MULTI: it is taken out again.
-- KEYS 1 head  2 message job hash  3 activation dedup key  4 idempotency key  5 busy  6 activations delayed  7 seen ring  8 mailbox wait  9 history of its group
-- ARGV 1 session  2 message id  3 fingerprint of the body  4 idempotency ttl ms  5 quiet window ms (0 none)  6 flush 0|1  7 class of the work  8 takes the history along 0|1
-- Returns {0|1 duplicate, accept sequence (0 unknown), fingerprint of the first, activation id to promote or '', place in the mailbox (1 = next, 0 unknown)}; error NOTSTORED: nothing is acknowledged.
local activation = redis.call('GET', KEYS[3])
if not activation then return redis.error_reply('NOTSTORED activation') end
local stored = redis.call('EXISTS', KEYS[2]) == 1
local ended = inring(redis.call('GET', KEYS[7]), ARGV[2])
if not stored and not ended then return redis.error_reply('NOTSTORED message') end
local t = now()
local idle = redis.call('ZADD', KEYS[5], 'NX', t, ARGV[1]) == 1
local first = redis.call('GET', KEYS[4])
-- It was answered, and only its idempotency key is gone: accepting it again would be accepting what never runs.
if not first and ended then
  first = '0|' .. ARGV[3]
  redis.call('SET', KEYS[4], first, 'PX', ARGV[4])
end
if first then
  if stored and redis.call('HEXISTS', KEYS[2], 'q') == 0 then
    redis.call('LREM', KEYS[8], 1, ARGV[2])
    redis.call('DEL', KEYS[2])
  end
  local seq, fingerprint = string.match(first, '^(%d+)|(.*)$')
  return {1, tonumber(seq), fingerprint, '', 0}
end
local seq = redis.call('HINCRBY', KEYS[1], 'seq', 1)
redis.call('SET', KEYS[4], seq .. '|' .. ARGV[3], 'PX', ARGV[4])
if stored then redis.call('HSET', KEYS[2], 'q', seq, 'a', t) end
local said = stored and ARGV[8] == '1' and redis.call('LRANGE', KEYS[9], 0, -1) or {}
if #said > 0 then
  -- Into the envelope, as its first field: here, it is in exactly one message, whatever fails before or after.
  local envelope = redis.call('HGET', KEYS[2], 'data')
  redis.call('HSET', KEYS[2], 'data', '{"history":[' .. table.concat(said, ',') .. '],' .. string.sub(envelope, 2))
  redis.call('DEL', KEYS[9])
end
local h = redis.call('HMGET', KEYS[1], 'nb', 'nbw', 'nbd', 'cls')
-- The class is the session's: the most urgent of its mail while it is busy. No field: interactive.
if ARGV[7] == 'interactive' then
  if h[4] then redis.call('HDEL', KEYS[1], 'cls') end
elseif idle or h[4] == 'background' then redis.call('HSET', KEYS[1], 'cls', ARGV[7]) end
local window, pending, promote = tonumber(ARGV[5]), tonumber(h[1] or '0') > t, ''
if window > 0 then
  if not pending or h[2] == 'quiet' then
    local deadline = pending and tonumber(h[3]) or t + 5 * window
    redis.call('HSET', KEYS[1], 'nb', math.min(t + window, deadline), 'nbw', 'quiet', 'nbd', deadline)
  end
elseif ARGV[6] == '1' and h[2] == 'quiet' then
  redis.call('HDEL', KEYS[1], 'nb', 'nbw', 'nbd')
  if redis.call('ZSCORE', KEYS[6], activation) then promote = activation end
end
return {0, seq, ARGV[3], promote, redis.call('LLEN', KEYS[8])}
