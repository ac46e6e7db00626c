-- Purpose: a delivery to a web client: append it to the session's events once, however often it is tried.
-- KEYS 1 marker of the row 2 events   ARGV 1 marker ttl ms 2 events ttl ms 3 event
-- Returns 0 written before · 1 written now
if not redis.call('SET', KEYS[1], '1', 'NX', 'PX', ARGV[1]) then return 0 end
redis.call('XADD', KEYS[2], 'MAXLEN', '~', 1000, '*', 'e', stamp(ARGV[3], 'deliveredAt'))
redis.call('PEXPIRE', KEYS[2], ARGV[2])
redis.call('PUBLISH', KEYS[2], '')
return 1
