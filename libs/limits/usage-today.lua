-- Purpose: what tenant, agent and session have used today (UTC, by Redis time).
-- KEYS 1 key prefix of the tenant's days 2 of its sessions' days   ARGV 1 agent 2 session
-- Returns {tenant's tokens, cost, agent's tokens, cost, session's tokens, cost}, '' where there is none; cost in millionths
local day = string.format('%.0f', math.floor(now() / 86400000))
local used = redis.call('HMGET', KEYS[1] .. day, 'tokens', 'cost', 'agent ' .. ARGV[1] .. ' tokens', 'agent ' .. ARGV[1] .. ' cost')
local session = redis.call('HMGET', KEYS[2] .. day, ARGV[2] .. ' tokens', ARGV[2] .. ' cost')
return {used[1] or '', used[2] or '', used[3] or '', used[4] or '', session[1] or '', session[2] or ''}
