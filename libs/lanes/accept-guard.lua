-- Purpose: last command of the accept MULTI, sent as plain EVAL (see GuardedMulti). An EXEC does not roll back when one command errors, so this
--   proves that mail and activation are stored, and only then acknowledges. A message that was accepted before and has
--   already left the mailbox, or that the session refuses, was put there by this MULTI: it is taken out again.
-- KEYS 1 head  2 message job hash  3 activation dedup key  4 idempotency key  5 busy  6 activations delayed  7 seen ring  8 mailbox wait  9 journal  10 history of its group
-- ARGV 1 session  2 message id  3 fingerprint of the body  4 idempotency ttl ms  5 quiet window ms (0 none)  6 flush 0|1
--      7 queue mode ('': what is no ordinary message has none, and is not refused)  8 1: this mode counts, whatever the session's own is
--      9 most that may wait  10 ms between two words about a full session  11 class of the work  12 takes the history along 0|1
-- Returns {'new', accept sequence, fingerprint, activation id to promote or '', place in the mailbox (1 = next), turn to stop or ''} · {'duplicate', sequence of the first (0 unknown), fingerprint of the first}
--   {'busy'} refused by its mode · {'full', 1 say so} too much waits; error NOTSTORED: nothing is acknowledged.
-- The job gets q, its sequence; w, the sequence of the first message of its quiet window; m, its mode where that is not followup.
local activation = redis.call('GET', KEYS[3])
if not activation then return redis.error_reply('NOTSTORED activation') end
local stored = redis.call('EXISTS', KEYS[2]) == 1
local ended = inring(redis.call('GET', KEYS[7]), ARGV[2])
if not stored and not ended then return redis.error_reply('NOTSTORED message') end
local t = now()
local idle = redis.call('ZADD', KEYS[5], 'NX', t, ARGV[1]) == 1
local function takeout()
  redis.call('LREM', KEYS[8], 1, ARGV[2])
  redis.call('DEL', KEYS[2])
end
local first = redis.call('GET', KEYS[4])
-- It was answered, and only its idempotency key is gone: accepting it again would be accepting what never runs.
if not first and ended then
  first = '0|' .. ARGV[3]
  redis.call('SET', KEYS[4], first, 'PX', ARGV[4])
end
if first then
  if stored and redis.call('HEXISTS', KEYS[2], 'q') == 0 then takeout() end
  local seq, fingerprint = string.match(first, '^(%d+)|(.*)$')
  return {'duplicate', tonumber(seq), fingerprint}
end
local h = redis.call('HMGET', KEYS[1], 'nb', 'nbw', 'win', 'set', 'full', 'cls')
local window, mode, promote, stop, w = tonumber(ARGV[5]), ARGV[7], '', '', nil
local pending, quiet = tonumber(h[1] or '0') > t, h[2] == 'quiet'
local opened, ends, deadline = string.match(h[3] or '', '^(%d+) (%d+) (%d+)$')
local open = ends ~= nil and tonumber(ends) > t
local running = redis.call('LINDEX', KEYS[9], 0)
if mode ~= '' then
  if ARGV[8] == '0' and h[4] then mode = cjson.decode(h[4]).queueMode or mode end
  local waiting = redis.call('LLEN', KEYS[8])
  if waiting > tonumber(ARGV[9]) then
    takeout()
    if h[5] and t < tonumber(h[5]) + tonumber(ARGV[10]) then return {'full', 0} end
    redis.call('HSET', KEYS[1], 'full', t)
    return {'full', 1}
  end
  -- What comes in one quiet window is one request, also where a second one is refused.
  if mode == 'reject' and (running or (waiting > 1 and not open)) then
    takeout()
    return {'busy'}
  end
end
local seq = redis.call('HINCRBY', KEYS[1], 'seq', 1)
redis.call('SET', KEYS[4], seq .. '|' .. ARGV[3], 'PX', ARGV[4])
local said = ARGV[12] == '1' and redis.call('LRANGE', KEYS[10], 0, -1) or {}
if #said > 0 then
  -- Into the envelope, as its first field: here, it is in exactly one message, whatever fails before or after.
  local envelope = redis.call('HGET', KEYS[2], 'data')
  redis.call('HSET', KEYS[2], 'data', '{"history":[' .. table.concat(said, ',') .. '],' .. string.sub(envelope, 2))
  redis.call('DEL', KEYS[10])
end
-- The class is the session's: the most urgent of its mail while it is busy. No field: interactive.
if ARGV[11] == 'interactive' then
  if h[6] then redis.call('HDEL', KEYS[1], 'cls') end
elseif idle or h[6] == 'background' then redis.call('HSET', KEYS[1], 'cls', ARGV[11]) end
local joins = mode == 'steer' and running
if joins and ARGV[8] == '1' then
  -- Asked for by name, it goes in front of what waits for a turn of its own.
  for i = -1, -redis.call('LLEN', KEYS[8]), -1 do
    local id = redis.call('LINDEX', KEYS[8], i)
    if id == ARGV[2] then break end
    if redis.call('HGET', string.sub(KEYS[2], 1, -#ARGV[2] - 1) .. id, 'm') ~= 'steer' then
      redis.call('LREM', KEYS[8], 1, ARGV[2])
      redis.call('LINSERT', KEYS[8], 'AFTER', id, ARGV[2])
      break
    end
  end
end
if mode == 'interrupt' and running then
  -- Named, so that it cannot hit the turn of this message. One that waits to try again must not wait any longer.
  stop = cjson.decode(running).turn
  redis.call('HSET', KEYS[1], 'ct', stop, 'cw', 'interrupted')
  if pending and not quiet then
    redis.call('HDEL', KEYS[1], 'nb', 'nbw')
    pending, promote = false, activation
  end
end
if window > 0 and not joins then
  if not open then opened, deadline = seq, t + 5 * window end
  w, ends = opened, math.min(t + window, tonumber(deadline))
  redis.call('HSET', KEYS[1], 'win', string.format('%d %.0f %.0f', opened, ends, deadline))
  if not pending or quiet then redis.call('HSET', KEYS[1], 'nb', ends, 'nbw', 'quiet') end
elseif ARGV[6] == '1' and not joins then
  if open then w = opened end
  redis.call('HDEL', KEYS[1], 'win')
  if quiet then
    redis.call('HDEL', KEYS[1], 'nb', 'nbw')
    promote = activation
  end
end
redis.call('HSET', KEYS[2], 'q', seq, 'a', t)
if w then redis.call('HSET', KEYS[2], 'w', w) end
if mode ~= '' and mode ~= 'followup' then redis.call('HSET', KEYS[2], 'm', mode) end
if promote ~= '' and not redis.call('ZSCORE', KEYS[6], promote) then promote = '' end
return {'new', seq, ARGV[3], promote, redis.call('LLEN', KEYS[8]), stop}
