-- Purpose: keep what was said in a group for the next message that is for the agent; of a message that comes again, nothing.
-- KEYS 1 history (list, oldest first) 2 ring of ids   ARGV 1 message id 2 what was said, as JSON 3 most kept 4 ttl ms 5 ids known
local ring = redis.call('GET', KEYS[2]) or ''
if inring(ring, ARGV[1]) then return 0 end
redis.call('RPUSH', KEYS[1], ARGV[2])
redis.call('LTRIM', KEYS[1], -ARGV[3], -1)
redis.call('SET', KEYS[2], string.sub(ring, -8 * (ARGV[5] - 1)) .. tag(ARGV[1]), 'PX', ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1
