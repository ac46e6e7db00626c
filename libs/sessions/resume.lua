-- Purpose: take a parked turn up again under the claim that holds its answer, if the fence is equal: its journal takes the place of
--   the answer's own, which has only begun. Done before, the open turn is the parked one already: its owner asks no more.
--   A cancel of the turn that runs meant the one that is taken up.
-- KEYS 1 head 2 journal 3 parked   ARGV 1 fence 2 code 3 how the wait ended, as an entry
-- Returns {'F'} superseded · {'N'} nothing waits under this code · {'OK', journal}
local h = redis.call('HMGET', KEYS[1], 'fence', 'ct')
if h[1] ~= ARGV[1] then return {'F'} end
local parked = redis.call('HGET', KEYS[3], ARGV[2])
if not parked then return {'N'} end
local running = redis.call('LINDEX', KEYS[2], 0)
local function turn(open) return cjson.decode(open).turn end
if running and h[2] == turn(running) then redis.call('HSET', KEYS[1], 'ct', turn(string.match(parked, '^[^\n]+'))) end
redis.call('DEL', KEYS[2])
for entry in string.gmatch(parked, '[^\n]+') do redis.call('RPUSH', KEYS[2], entry) end
redis.call('RPUSH', KEYS[2], ARGV[3])
redis.call('HDEL', KEYS[3], ARGV[2])
return {'OK', redis.call('LRANGE', KEYS[2], 0, -1)}
