-- Purpose: ask the running turn, or everything accepted so far, to stop; named, so that it cannot hit a later turn. Passes its own idempotency key.
-- KEYS 1 head 2 journal 3 idempotency key (the head when there is none) 4 activation dedup key 5 activations delayed
--      6 mailbox job of the named turn's first message (the head when none is named) 7 mailbox wait
-- ARGV 1 'current'|'turn'|'all' 2 turn ('' for others) 3 idempotency ttl ms (0 none)
-- Returns {turn that runs or '', accept sequence, activation id to promote or '', 1 repeated (turn and sequence are the first time's), messages that wait}
local first = redis.call('LINDEX', KEYS[2], 0)
local running = first and cjson.decode(first).turn or ''
local seq, waiting = redis.call('HGET', KEYS[1], 'seq') or '0', redis.call('LLEN', KEYS[7])
if tonumber(ARGV[3]) > 0 then
  local before = redis.call('SET', KEYS[3], seq .. '|' .. running, 'NX', 'GET', 'PX', ARGV[3])
  if before then
    local then_seq, then_running = string.match(before, '^(%d+)|(.*)$')
    return {then_running, tonumber(then_seq), '', 1, waiting}
  end
end
if ARGV[1] == 'all' then
  redis.call('HSET', KEYS[1], 'cb', seq)
else
  local target = ARGV[1] == 'current' and running or ARGV[2]
  -- A turn that waits is named by its first message, and obeys when it begins; one that has ended is nobody.
  if target == '' or (target ~= running and redis.call('EXISTS', KEYS[6]) == 0) then return {running, tonumber(seq), '', 0, waiting} end
  redis.call('HSET', KEYS[1], 'ct', target)
end
-- A turn that waits (backoff, quiet window) must not wait any longer to be cancelled.
redis.call('HDEL', KEYS[1], 'nb', 'nbw', 'nbd')
local promote = ''
local activation = redis.call('GET', KEYS[4])
if activation and redis.call('ZSCORE', KEYS[5], activation) then promote = activation end
return {running, tonumber(seq), promote, 0, waiting}
