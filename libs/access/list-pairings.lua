-- Purpose: who asks on one account, and who was approved.
-- KEYS 1 approved 2 pending   ARGV none
-- Returns {Redis time, approved as HGETALL, pending as HGETALL}
return {now(), redis.call('HGETALL', KEYS[1]), redis.call('HGETALL', KEYS[2])}
