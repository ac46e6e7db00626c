-- Purpose: claim a conversation, read its first deliveries, mark the first one started if it may be sent now; release when it is empty.
-- KEYS 1 deliveries 2 conversation 3 busy 4 pending wake-up (dn) 5 due 6 activation lock 7.. rates
-- ARGV 1 fence 2 most rows 3 receipt key prefix 4 conversation 5 receipt ttl ms 6 token of the activation lock 7 conversation ttl ms
--      8 maximum age ms 9.. permit (rates.lua)
-- Returns {'F', fence} superseded · {'R', fence} rolled-back counter · {'N', ms} too early · {'N', ms, 1} held until a permit may be had · {'E'} released
--   {'M', state of the first receipt before, Redis time, rows...}
local h = redis.call('HMGET', KEYS[2], 'fence', 'nb')
local o = order(ARGV[1], h[1])
if o == -1 or o == 2 then return {redis.call('GET', KEYS[6]) == ARGV[6] and 'R' or 'F', h[1]} end
redis.call('HSET', KEYS[2], 'fence', ARGV[1])
-- The fence outlives the release, or a zombie could claim.
redis.call('PEXPIRE', KEYS[2], ARGV[7])
local t = now()
if tonumber(h[2] or '0') > t then
  redis.call('ZADD', KEYS[5], h[2], ARGV[4])
  return {'N', tonumber(h[2]) - t}
end
local rows = redis.call('LRANGE', KEYS[1], 0, tonumber(ARGV[2]) - 1)
if #rows == 0 then
  redis.call('ZREM', KEYS[3], ARGV[4])
  redis.call('DEL', KEYS[4])
  return {'E'}
end
local first = cjson.decode(rows[1])
local receipt = ARGV[3] .. first.id
local state = redis.call('GET', receipt) or 'q'
-- What is final or too old is not sent, and needs no permit.
if string.sub(state, 1, 1) ~= 'f' and t - first.row.at <= tonumber(ARGV[8]) then
  local wait = permit(t, 9)
  if wait > 0 then
    redis.call('HSET', KEYS[2], 'nb', t + wait)
    redis.call('ZADD', KEYS[5], t + wait, ARGV[4])
    return {'N', wait, 1}
  end
end
if string.sub(state, 1, 1) == 'q' then redis.call('SET', receipt, 's' .. string.sub(state, 2), 'PX', ARGV[5]) end
return {'M', state, t, unpack(rows)}
