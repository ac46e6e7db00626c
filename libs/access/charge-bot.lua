-- Purpose: may a bot go on talking to us in a conversation? Bounds fast exchanges by a sliding window, slow ones by their number
--   without a person in between. The same event asks twice and gets the same answer.
-- KEYS 1 window (event -> time) of the pair 2 exchanges of the conversation (n, told: the event that ended it) 3 pause of the pair
-- ARGV 1 event 2 most in the window 3 window ms 4 pause ms 5 most in a row 6 silence after which a row is over, ms
-- Returns 'left' · 'ends' from this event on, to be said once · 'spent'
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 'left' end
local t = now()
local paused = redis.call('EXISTS', KEYS[3]) == 1
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', t - ARGV[3])
if not paused and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then
  redis.call('SET', KEYS[3], 1, 'PX', ARGV[4])
  paused = true
end
local spent = paused or tonumber(redis.call('HGET', KEYS[2], 'n') or '0') >= tonumber(ARGV[5])
if spent then
  redis.call('HSETNX', KEYS[2], 'told', ARGV[1])
else
  redis.call('ZADD', KEYS[1], t, ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  redis.call('HINCRBY', KEYS[2], 'n', 1)
end
redis.call('PEXPIRE', KEYS[2], ARGV[6])
if not spent then return 'left' end
return redis.call('HGET', KEYS[2], 'told') == ARGV[1] and 'ends' or 'spent'
