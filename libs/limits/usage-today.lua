-- Purpose: what tenant, agent and session have used today (UTC, by Redis time) in one bucket.
-- KEYS 1 key prefix of the tenant's days 2 head of the session, in its bucket   ARGV 1 agent
-- Returns {tenant's tokens, cost, agent's tokens, cost, session's tokens, cost}; cost in millionths
local day = string.format('%.0f', math.floor(now() / 86400000))
local used = redis.call('HMGET', KEYS[1] .. day, 'tokens', 'cost', 'agent ' .. ARGV[1] .. ' tokens', 'agent ' .. ARGV[1] .. ' cost')
local out = {}
for i = 1, 4 do out[i] = tonumber(used[i] or '0') end
local of, tokens, cost = string.match(KEYS[2] and redis.call('HGET', KEYS[2], 'day') or '', '^(%d+) (%d+) (%d+)$')
if of ~= day then tokens, cost = 0, 0 end
out[5], out[6] = tonumber(tokens), tonumber(cost)
return out
