-- Purpose: wake delayed activations whose notBefore (Redis TIME) has come although no host's clock says so.
-- KEYS 1 due (zset key -> notBefore) 2 activations delayed   ARGV 1 prefix of the activation dedup keys   Returns activation ids to promote
local out = {}
for _, key in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now(), 'LIMIT', 0, 100)) do
  redis.call('ZREM', KEYS[1], key)
  local id = redis.call('GET', ARGV[1] .. key)
  if id and redis.call('ZSCORE', KEYS[2], id) then out[#out + 1] = id end
end
return out
