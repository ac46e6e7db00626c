-- Purpose: the one place that decides how many turns run: fleet concurrency and rate, tenants by weight, classes 8:2:1, work-conserving.
--   A slot is named by KEY, so a re-run after a kill takes its own slot over and a zombie frees nothing. A slot is reserved when a waiter is popped.
-- KEYS 1 run (zset key -> expiry) 2 own (hash key -> fence|tenant) 3 count (hash tenant -> slots) 4 waiting (zset tenant -> waiters)
--      5 queued (hash key -> tenant|class) 6 tenant weights (hash) 7 settings (hash concurrency, rate) 8 rate (theoretical arrival time, µs)
-- ARGV 1 'admit'|'renew'|'free'|'pump'|'charge'|'refund' 2 prefix of the tenant queues 3 slot ttl ms 4 reservation ms 5 key 6 fence 7 tenant 8 class 9 resumes 0|1
-- Returns {'go'|'queued'|'wait'|'-', ms to wait, keys to activate...}
local t, prefix = now(), ARGV[2]
local set = redis.call('HMGET', KEYS[7], 'concurrency', 'rate')
local fleet, rate = tonumber(set[1] or '0'), tonumber(set[2] or '0')
local WEIGHT = {interactive = 8, automation = 2, background = 1}
-- A burst of a tenth of a second is let through at once.
local BURST_US = 100000
local function drop(key)
  local own = redis.call('HGET', KEYS[2], key)
  redis.call('ZREM', KEYS[1], key)
  redis.call('HDEL', KEYS[2], key)
  if not own then return end
  local tenant = string.match(own, '|(.*)$')
  if redis.call('HINCRBY', KEYS[3], tenant, -1) <= 0 then redis.call('HDEL', KEYS[3], tenant) end
end
local function hold(key, fence, tenant, ms)
  if not redis.call('HGET', KEYS[2], key) then redis.call('HINCRBY', KEYS[3], tenant, 1) end
  redis.call('ZADD', KEYS[1], t + ms, key)
  redis.call('HSET', KEYS[2], key, fence .. '|' .. tenant)
end
local out, me = {'-', 0}, ARGV[5]
-- Whoever popped a key whose reservation ran out died before it activated it: say it again.
for _, key in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', t)) do
  local tenant = string.match(redis.call('HGET', KEYS[2], key) or '', '^reserved|(.*)$')
  if tenant and key ~= me then hold(key, 'reserved', tenant, tonumber(ARGV[4])); out[#out + 1] = key
  elseif not tenant then drop(key) end
end
-- Micros to wait before one more turn may start; 0 charges it.
local function charge()
  if rate <= 0 then return 0 end
  local us = t * 1000
  local tat = math.max(us, tonumber(redis.call('GET', KEYS[8]) or '0'))
  if tat - us > BURST_US then return tat - us - BURST_US end
  redis.call('SET', KEYS[8], string.format('%.0f', tat + 1000000 / rate), 'PX', 60000)
  return 0
end
local function free_slots() return fleet <= 0 or redis.call('ZCARD', KEYS[1]) < fleet end
local function pump()
  while free_slots() do
    local best, low
    for _, tenant in ipairs(redis.call('ZRANGE', KEYS[4], 0, -1)) do
      local load = tonumber(redis.call('HGET', KEYS[3], tenant) or '0') / tonumber(redis.call('HGET', KEYS[6], tenant) or '1')
      if not low or load < low then best, low = tenant, load end
    end
    if not best then return end
    local class, credit, sum = nil, nil, 0
    for _, c in ipairs({'interactive', 'automation', 'background'}) do
      if redis.call('EXISTS', prefix .. best .. ':' .. c) == 1 then
        sum = sum + WEIGHT[c]
        local v = redis.call('HINCRBY', prefix .. best .. ':credit', c, WEIGHT[c])
        if not credit or v > credit then class, credit = c, v end
      end
    end
    if not class then redis.call('ZREM', KEYS[4], best)
    else
      redis.call('HINCRBY', prefix .. best .. ':credit', class, -sum)
      local key = redis.call('LPOP', prefix .. best .. ':' .. class)
      if tonumber(redis.call('ZINCRBY', KEYS[4], -1, best)) <= 0 then
        redis.call('ZREM', KEYS[4], best)
        redis.call('DEL', prefix .. best .. ':credit')
      end
      redis.call('HDEL', KEYS[5], key)
      hold(key, 'reserved', best, tonumber(ARGV[4]))
      out[#out + 1] = key
    end
  end
end
local function granted()
  local us = charge()
  if us == 0 then out[1] = 'go'; return end
  drop(me)
  out[1], out[2] = 'wait', math.ceil(us / 1000)
  pump()
end
if ARGV[1] == 'free' then
  if redis.call('HGET', KEYS[2], me) == ARGV[6] .. '|' .. ARGV[7] then drop(me) end
  pump()
elseif ARGV[1] == 'pump' then pump()
elseif ARGV[1] == 'renew' then
  if redis.call('HGET', KEYS[2], me) == ARGV[6] .. '|' .. ARGV[7] then redis.call('ZADD', KEYS[1], t + tonumber(ARGV[3]), me) end
elseif ARGV[1] == 'charge' then
  local us = charge()
  out[1] = us == 0 and 'go' or 'wait'
  out[2] = math.ceil(us / 1000)
elseif ARGV[1] == 'refund' then
  local tat = redis.call('GET', KEYS[8])
  if tat and rate > 0 then redis.call('SET', KEYS[8], string.format('%.0f', tonumber(tat) - 1000000 / rate), 'PX', 60000) end
else
  local own = redis.call('HGET', KEYS[2], me)
  if own then
    local f = string.match(own, '^(.*)|')
    if f == 'reserved' or order(ARGV[6], f) ~= -1 then hold(me, ARGV[6], ARGV[7], tonumber(ARGV[3])) end
    granted()
    return out
  end
  if redis.call('ZCARD', KEYS[4]) == 0 and free_slots() then
    hold(me, ARGV[6], ARGV[7], tonumber(ARGV[3]))
    granted()
    return out
  end
  if redis.call('HSETNX', KEYS[5], me, ARGV[7] .. '|' .. ARGV[8]) == 1 then
    redis.call(ARGV[9] == '1' and 'LPUSH' or 'RPUSH', prefix .. ARGV[7] .. ':' .. ARGV[8], me)
    redis.call('ZINCRBY', KEYS[4], 1, ARGV[7])
  end
  out[1] = 'queued'
  pump()
  for i = #out, 3, -1 do
    if out[i] == me then
      table.remove(out, i)
      hold(me, ARGV[6], ARGV[7], tonumber(ARGV[3]))
      granted()
    end
  end
end
return out
