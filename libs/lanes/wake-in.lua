-- Purpose: enter a key in `due`, by Redis TIME.   KEYS 1 due   ARGV 1 key 2 ms from now   Returns nothing
redis.call('ZADD', KEYS[1], now() + tonumber(ARGV[2]), ARGV[1])
