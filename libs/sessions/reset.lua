-- Purpose: begin a new epoch of the session, once per turn however often the turn is resumed: the transcript becomes an archive of the
--   old epoch, what still waited for an answer there is given up, the counters start again, settings are changed by a patch. The journal of the open turn remembers it.
-- KEYS 1 head 2 journal 3 transcript 4 parked 5 state   ARGV 1 fence 2 archive key prefix 3 archive ttl ms 4 settings patch (JSON object)
-- Returns {'F'} superseded · {'OK', epoch in force, 1 begun now | 0 begun before by this turn}
local h = redis.call('HMGET', KEYS[1], 'fence', 'ep')
if h[1] ~= ARGV[1] or redis.call('EXISTS', KEYS[2]) == 0 then return {'F'} end
local old = tonumber(h[2] or '0')
for _, json in ipairs(redis.call('LRANGE', KEYS[2], 1, -1)) do
  if cjson.decode(json).k == 'epoch' then return {'OK', old, 0} end
end
if redis.call('EXISTS', KEYS[3]) == 1 then
  redis.call('RENAME', KEYS[3], ARGV[2] .. old)
  redis.call('PEXPIRE', ARGV[2] .. old, ARGV[3])
end
redis.call('DEL', KEYS[4], KEYS[5])
redis.call('HSET', KEYS[1], 'ep', old + 1)
redis.call('HDEL', KEYS[1], 'began', 'last', 'ui', 'uo', 'uc')
changeset(KEYS[1], ARGV[4])
redis.call('RPUSH', KEYS[2], cjson.encode({k = 'epoch', n = old + 1}))
return {'OK', old + 1, 1}
