-- Purpose: a stranger asks to be heard. One code a sender while it lasts, a few an account, whatever the number of replicas.
-- KEYS 1 approved 2 pending (code -> request) 3 code -> account
-- ARGV 1 sender 2 name 3 message id 4 a new code 5 lifetime of a code, ms 6 most pending of an account 7 account
-- Returns {'approved'} · {'code', code} for the message that asked · {'asked'} before, by another · {'full'}
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then return {'approved'} end
local t, pending, all = now(), 0, redis.call('HGETALL', KEYS[2])
for i = 1, #all, 2 do
  local request = cjson.decode(all[i + 1])
  if request.ends <= t then
    redis.call('HDEL', KEYS[2], all[i])
  elseif not request.approved then
    pending = pending + 1
    if request.sender == ARGV[1] then return request.message == ARGV[3] and {'code', all[i]} or {'asked'} end
  end
end
if pending >= tonumber(ARGV[6]) or not redis.call('SET', KEYS[3], ARGV[7], 'NX', 'PX', ARGV[5]) then return {'full'} end
local request = {sender = ARGV[1], name = ARGV[2], message = ARGV[3], ends = t + ARGV[5]}
redis.call('HSET', KEYS[2], ARGV[4], cjson.encode(request))
redis.call('PEXPIRE', KEYS[2], ARGV[5])
return {'code', ARGV[4]}
