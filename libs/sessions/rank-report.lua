-- KEYS[1] what is kept of a sent row. ARGV[1] part, ARGV[2] rank. 1 when it is news: reports come late, twice and in any order, and never go back.
if redis.call('HEXISTS', KEYS[1], 'row') == 0 then return 0 end
if tonumber(ARGV[2]) <= tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or '0') then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1
