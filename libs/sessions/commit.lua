-- Purpose: end a turn in one step, if the fence is equal: transcript, outbox rows, seen ring, the last event; the journal is gone,
--   or laid aside where the turn is parked, unless a cancel is pending: who said stop before this did not see the park.
--   What it cost is added to the day (UTC, by Redis time) of its tenant and of the session by the same write, so it counts exactly once.
--   Where all rows go to one conversation in the same slot they are put into its list as well, as relay-guard would do.
-- KEYS 1 head 2 journal 3 transcript 4 outbox 5 seen ring 6 events 7 parked 8 key prefix of the tenant's days 9 state; with a conversation: 10 its deliveries 11 busy of the deliveries 12.. receipt of each row
-- ARGV 1 fence 2 transcript record ('' none) 3 tags the ring holds 4 ring ttl ms 5 ids (comma list) 6 turn 7 last event ('' nobody watches) 8 events ttl ms 9 conversation ('' none) 10 receipt ttl ms
--      11 input tokens 12 output tokens 13 park code ('' none) 14 entries the laid aside journal ends with (one a line) 15 park ttl ms 16 cost (millionths) 17 ms until the session is forgotten (0 never)
--      18 values of the session that change, as a JSON object ('' none; a value '' goes) 19 their ttl ms
--      20 ttl of a day ms 21 number n of what follows for the day 22.. field, amount (the first is new with the day) 22+n.. outbox rows
-- Returns {'F'} superseded · {'C'} not parked: a cancel is pending · {'D'} done before (its reply was lost) · {'OK', Redis time, outbox numbers...}
local h = redis.call('HMGET', KEYS[1], 'fence', 'ct', 'day')
if h[1] ~= ARGV[1] then return {'F'} end
if redis.call('EXISTS', KEYS[2]) == 0 then return {'D'} end
if ARGV[13] ~= '' then
  if h[2] == ARGV[6] then return {'C'} end
  local journal = redis.call('LRANGE', KEYS[2], 0, -1)
  for entry in string.gmatch(ARGV[14], '[^\n]+') do journal[#journal + 1] = stamp(entry, 'at') end
  redis.call('HSET', KEYS[7], ARGV[13], table.concat(journal, '\n'))
  if redis.call('PTTL', KEYS[7]) < tonumber(ARGV[15]) then redis.call('PEXPIRE', KEYS[7], ARGV[15]) end
end
if ARGV[2] ~= '' then redis.call('RPUSH', KEYS[3], stamp(ARGV[2], 'at')) end
local ring = redis.call('GET', KEYS[5]) or ''
for id in string.gmatch(ARGV[5], '[^,]+') do ring = ring .. tag(id) end
local max = tonumber(ARGV[3]) * 8
if #ring > max then ring = string.sub(ring, -max) end
redis.call('SET', KEYS[5], ring, 'PX', ARGV[4])
if h[2] == ARGV[6] then redis.call('HDEL', KEYS[1], 'ct', 'cw') end
redis.call('DEL', KEYS[2])
local out = {'OK', now()}
redis.call('HSETNX', KEYS[1], 'began', out[2])
local set, rows = {'last', out[2]}, 22 + tonumber(ARGV[21])
if ARGV[12] ~= '0' then
  redis.call('HINCRBY', KEYS[1], 'ui', ARGV[11])
  redis.call('HINCRBY', KEYS[1], 'uo', ARGV[12])
  if ARGV[16] ~= '0' then redis.call('HINCRBY', KEYS[1], 'uc', ARGV[16]) end
end
if rows > 22 then
  local day = string.format('%.0f', math.floor(out[2] / 86400000))
  local of, tokens, cost = string.match(h[3] or '', '^(%d+) (%d+) (%d+)$')
  if of ~= day then tokens, cost = 0, 0 end
  set[3], set[4] = 'day', string.format('%s %.0f %.0f', day, tokens + ARGV[11] + ARGV[12], cost + ARGV[16])
  for i = 22, rows - 1, 2 do
    local sum = redis.call('HINCRBY', KEYS[8] .. day, ARGV[i], ARGV[i + 1])
    if i == 22 and sum == tonumber(ARGV[i + 1]) then redis.call('PEXPIRE', KEYS[8] .. day, ARGV[20]) end
  end
end
redis.call('HSET', KEYS[1], unpack(set))
if ARGV[18] ~= '' then
  for key, value in pairs(cjson.decode(ARGV[18])) do
    if value == '' then redis.call('HDEL', KEYS[9], key) else redis.call('HSET', KEYS[9], key, value) end
  end
  redis.call('PEXPIRE', KEYS[9], ARGV[19])
end
for i = rows, #ARGV do
  local number, row = redis.call('HINCRBY', KEYS[1], 'oq', 1), stamp(ARGV[i], 'at')
  redis.call('ZADD', KEYS[4], number, row)
  out[#out + 1] = number
  if ARGV[9] ~= '' then
    redis.call('SET', KEYS[i - rows + 12], 'q', 'PX', ARGV[10])
    redis.call('RPUSH', KEYS[10], '{"id":"' .. cjson.decode(row).id .. '","number":' .. number .. ',"row":' .. row .. '}')
    redis.call('ZADD', KEYS[11], 'NX', out[2], ARGV[9])
  end
end
if ARGV[17] ~= '0' then
  redis.call('PEXPIRE', KEYS[1], ARGV[17])
  redis.call('PEXPIRE', KEYS[3], ARGV[17])
  redis.call('PEXPIRE', KEYS[9], ARGV[17])
end
if ARGV[7] ~= '' then
  redis.call('XADD', KEYS[6], 'MAXLEN', '~', 1000, '*', 'e', ARGV[7])
  redis.call('PEXPIRE', KEYS[6], ARGV[8])
  redis.call('PUBLISH', KEYS[6], '')
end
return out
