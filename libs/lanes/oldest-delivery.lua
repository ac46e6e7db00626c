-- Purpose: how old the oldest message is that has not left, in one bucket; of the conversations that have been busy for longest.
-- KEYS 1 busy   ARGV 1 prefix of deliveries
-- Returns its age in ms, 0 when nothing waits.
local oldest, t = now(), now()
for _, conversation in ipairs(redis.call('ZRANGE', KEYS[1], 0, 19)) do
  local first = redis.call('LINDEX', ARGV[1] .. conversation, 0)
  local at = first and tonumber(cjson.decode(first).row.at)
  if at and at < oldest then oldest = at end
end
return t - oldest
