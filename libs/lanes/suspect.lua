-- Purpose: a suspect starts to run: lock what is in flight again (it waited released) and, when it runs alone, say so: then a crash tells who did it.
-- KEYS 1 head 2 mailbox active   ARGV 1 fence 2 mailbox job key prefix 3 'alone'|'company'|'cleared' 4 message lock ms
-- Returns 0 superseded · 1 done
if redis.call('HGET', KEYS[1], 'fence') ~= ARGV[1] then return 0 end
for _, id in ipairs(redis.call('LRANGE', KEYS[2], 0, -1)) do
  local k = ARGV[2] .. id
  if ARGV[3] ~= 'cleared' then redis.call('SET', k .. ':lock', ARGV[1], 'PX', ARGV[4]) end
  if ARGV[3] == 'alone' then redis.call('HSET', k, 'solo', ARGV[1]) else redis.call('HDEL', k, 'solo') end
end
return 1
