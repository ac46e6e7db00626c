-- Purpose: decide in one step whether a key that looks old in `busy` is really stranded (a list checked later finds ghosts).
-- KEYS 1 busy 2 activation dedup key 3 head (deliveries: the conversation) 4.. keys that hold work; with an outbox, that last
-- ARGV 1 key 2 prefix of the lane's activation keys 3 due ms 4 has an outbox 0|1
-- Returns 'gone' · 'active' · 'mail' · 'rows' (not relayed) · 'open' (relayed, receipt not final yet) · 'stale' (nothing left: removed from busy)
local at = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not at or tonumber(at) > tonumber(ARGV[3]) then return 'gone' end
local activation = redis.call('GET', KEYS[2])
if activation and redis.call('EXISTS', ARGV[2] .. activation) == 1 then return 'active' end
for i = 4, #KEYS - tonumber(ARGV[4]) do if redis.call('EXISTS', KEYS[i]) == 1 then return 'mail' end end
if ARGV[4] == '1' then
  local last = redis.call('ZRANGE', KEYS[#KEYS], -1, -1, 'WITHSCORES')
  if last[2] then return tonumber(last[2]) > tonumber(redis.call('HGET', KEYS[3], 'orel') or '0') and 'rows' or 'open' end
end
redis.call('ZREM', KEYS[1], ARGV[1])
return 'stale'
