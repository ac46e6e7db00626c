-- Purpose: delete an outbox row whose receipt is final (ack-delivery does the same where it can); an idle session leaves busy with its last row.
--   It does not look at the activation: that may be ending this very moment, and would leave a stale busy entry behind.
-- KEYS 1 outbox 2 journal 3 mailbox wait 4 mailbox active 5 busy   ARGV 1 outbox number 2 session
-- Returns nothing
redis.call('ZREMRANGEBYSCORE', KEYS[1], ARGV[1], ARGV[1])
if redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3], KEYS[4]) == 0 then redis.call('ZREM', KEYS[5], ARGV[2]) end
