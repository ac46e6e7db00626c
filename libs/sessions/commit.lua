-- Purpose: end a turn in one step, if the fence is equal: transcript, outbox rows, seen ring, the last event; the journal is gone.
-- KEYS 1 head 2 journal 3 transcript 4 outbox 5 seen ring 6 events
-- ARGV 1 fence 2 transcript record ('' none) 3 tags the ring holds 4 ring ttl ms 5 ids (comma list) 6 turn 7 last event ('' nobody watches) 8 events ttl ms 9.. outbox rows
-- Returns {'F'} superseded · {'D'} done before (its reply was lost) · {'OK', Redis time, outbox numbers...}
local h = redis.call('HMGET', KEYS[1], 'fence', 'ct')
if h[1] ~= ARGV[1] then return {'F'} end
if redis.call('EXISTS', KEYS[2]) == 0 then return {'D'} end
if ARGV[2] ~= '' then redis.call('RPUSH', KEYS[3], stamp(ARGV[2], 'at')) end
local ring = redis.call('GET', KEYS[5]) or ''
for id in string.gmatch(ARGV[5], '[^,]+') do ring = ring .. tag(id) end
local max = tonumber(ARGV[3]) * 8
if #ring > max then ring = string.sub(ring, -max) end
redis.call('SET', KEYS[5], ring, 'PX', ARGV[4])
if h[2] == ARGV[6] then redis.call('HDEL', KEYS[1], 'ct') end
redis.call('DEL', KEYS[2])
local out = {'OK', now()}
for i = 9, #ARGV do
  local number = redis.call('HINCRBY', KEYS[1], 'oq', 1)
  redis.call('ZADD', KEYS[4], number, stamp(ARGV[i], 'at'))
  out[#out + 1] = number
end
if ARGV[7] ~= '' then
  redis.call('XADD', KEYS[6], 'MAXLEN', '~', 1000, '*', 'e', ARGV[7])
  redis.call('PEXPIRE', KEYS[6], ARGV[8])
  redis.call('PUBLISH', KEYS[6], '')
end
return out
