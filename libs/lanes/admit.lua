-- Purpose: the one place that decides which turns run: concurrency and rate of fleet, tenants and agents; tenants by weight, classes 8:2:1; work-conserving.
--   A slot is named by KEY, so a re-run after a kill takes its own slot over and a zombie frees nothing. A slot is reserved when a waiter is let in.
--   Who waits stands in a line (class, tenant, agent). What is at its limit is taken out of `agents` and `ready`, so that it blocks nobody, and comes
--   back when a slot of it is freed or its rate allows (`later`). Tenants go by start-time fair queueing (Goyal 1996): a turn costs 1 / weight.
--   A scope is 'f', 't|tenant' or 'a|tenant|agent'. A call costs O(log n) for each key it lets in, takes out or brings back.
-- KEYS 1 run (zset key -> expiry) 2 own (hash key -> fence|tenant|agent|turns charged) 3 count (hash scope -> slots) 4 waiting (zset tenant -> waiters)
--      5 queued (hash key -> tenant|agent|class) 6 limits (hash scope or 'f' 't' 'a' -> 'slots rate weight'; on = there are any) 7 ready (zset tenant -> tag)
--      8 later (zset scope -> ms) 9 tags (zset tenant -> finish tag, where it is ahead of v) 10 state (hash seq, v, capacity) 11 lines (set class|tenant|agent)
--      12 runners (zset nonce|capacity -> expiry) 13 since (zset key -> when it began to wait, ms)
-- ARGV 1 'admit'|'charge'|'free'|'refile'|'renew'|'adopt'|'pump'|'change'|'beat' 2 prefix of lines, agents, credits and rates 3 slot ttl ms 4 reservation ms
--      5 key (beat: nonce|capacity) 6 fence 7 tenant 8 agent 9 class 10 resumes 0|1 11 turns: charge: run so far; free: run
-- Returns {'go'|'queued'|'-', ms until another call may let more in (0 at once, -1 not by time), 1 when a rate applies to the key, keys to activate...}
local t, op, prefix, me, tenant, agent = now(), ARGV[1], ARGV[2], ARGV[5], ARGV[7], ARGV[8]
local us, on = t * 1000, redis.call('HEXISTS', KEYS[6], 'on') == 1
-- A rate is caught up with after a pause of this long: at most 5 % of a second's turns and one more in the worst second.
local BURST_US = 50000
-- Bounds one call; the caller calls again.
local MOST = 100
local CLASSES, SHARE = {'interactive', 'automation', 'background'}, {interactive = 8, automation = 2, background = 1}
local v = tonumber(redis.call('HGET', KEYS[10], 'v') or '0')
local out, known = {'-', -1, 0}, {}
local function agents_of(class, of) return prefix .. 'agents:' .. class .. '|' .. of end
local function line_of(class, of, a) return prefix .. 'line:' .. class .. '|' .. of .. '|' .. a end
local function limit(scope)
  if not known[scope] then
    local set = redis.call('HMGET', KEYS[6], scope, string.sub(scope, 1, 1))
    local slots, rate, weight = string.match(set[1] or set[2] or '0 0 1', '^(%S+) (%S+) (%S+)$')
    known[scope] = {slots = tonumber(slots), rate = tonumber(rate), weight = tonumber(weight)}
  end
  return known[scope]
end
local function full(scope)
  local most = limit(scope).slots
  if scope ~= 'f' then return most > 0 and tonumber(redis.call('HGET', KEYS[3], scope) or '0') >= most end
  local capacity = on and tonumber(redis.call('HGET', KEYS[10], 'capacity') or '0') or 0
  if capacity > 0 and (most == 0 or capacity < most) then most = capacity end
  return most > 0 and redis.call('ZCARD', KEYS[1]) >= most
end
-- Micros until the rate of a scope allows another turn.
local function wait(scope)
  if limit(scope).rate == 0 then return 0 end
  return math.max(0, tonumber(redis.call('GET', prefix .. 'rate:' .. scope) or '0') - us - BURST_US)
end
local function pay(turns, of, a)
  for _, scope in ipairs({'f', 't|' .. of, 'a|' .. of .. '|' .. a}) do
    local rate, name = limit(scope).rate, prefix .. 'rate:' .. scope
    if rate > 0 then
      local paid = math.max(us, tonumber(redis.call('GET', name) or '0')) + turns * 1000000 / rate
      redis.call('SET', name, string.format('%.0f', paid), 'PX', math.max(1, math.ceil((paid - us) / 1000)))
    end
  end
end
local function payable(of, a) return wait('f') == 0 and wait('t|' .. of) == 0 and wait('a|' .. of .. '|' .. a) == 0 end
local function tag(of) return math.max(v, tonumber(redis.call('ZSCORE', KEYS[9], of) or '0')) end
local function advance(of, turns)
  local finish = tag(of) + turns / limit('t|' .. of).weight
  redis.call('ZADD', KEYS[9], finish, of)
  redis.call('ZADD', KEYS[7], 'XX', finish, of)
end
local function ready(of) if redis.call('ZSCORE', KEYS[4], of) then redis.call('ZADD', KEYS[7], tag(of), of) end end
-- Agents stand in `agents` at the place of their first waiter.
local function show(class, of, a)
  local first = redis.call('ZRANGE', line_of(class, of, a), 0, 0, 'WITHSCORES')
  if first[1] then redis.call('ZADD', agents_of(class, of), first[2], a) else redis.call('ZREM', agents_of(class, of), a) end
  redis.call(first[1] and 'SADD' or 'SREM', KEYS[11], class .. '|' .. of .. '|' .. a)
end
local function unblock(of, a)
  if not redis.call('ZSCORE', KEYS[4], of) then return end
  for _, class in ipairs(CLASSES) do show(class, of, a) end
  ready(of)
end
local function hold(key, fence, of, a, turns, ms)
  if redis.call('HSET', KEYS[2], key, table.concat({fence, of, a, turns}, '|')) == 1 then
    redis.call('HINCRBY', KEYS[3], 't|' .. of, 1)
    redis.call('HINCRBY', KEYS[3], 'a|' .. of .. '|' .. a, 1)
  end
  redis.call('ZADD', KEYS[1], t + tonumber(ms), key)
end
local function owner(key)
  local fence, of, a, turns = string.match(redis.call('HGET', KEYS[2], key) or '', '^(.-)|(.-)|(.-)|(.-)$')
  return fence, of, a, tonumber(turns)
end
local function drop(key)
  local _, of, a = owner(key)
  redis.call('ZREM', KEYS[1], key)
  if not of then return end
  redis.call('HDEL', KEYS[2], key)
  for _, scope in ipairs({'t|' .. of, 'a|' .. of .. '|' .. a}) do
    if redis.call('HINCRBY', KEYS[3], scope, -1) <= 0 then redis.call('HDEL', KEYS[3], scope) end
  end
  unblock(of, a)
end
local function enqueue()
  if redis.call('HSETNX', KEYS[5], me, table.concat({tenant, agent, ARGV[9]}, '|')) == 0 then return end
  redis.call('ZADD', KEYS[13], t, me)
  local place = redis.call('HINCRBY', KEYS[10], 'seq', 1)
  redis.call('ZADD', line_of(ARGV[9], tenant, agent), ARGV[10] == '1' and -place or place, me)
  redis.call('ZINCRBY', KEYS[4], 1, tenant)
  show(ARGV[9], tenant, agent)
  ready(tenant)
end
local function blocked(scope)
  if full(scope) then return true end
  local micros = wait(scope)
  if micros > 0 then redis.call('ZADD', KEYS[8], t + math.ceil(micros / 1000), scope) end
  return micros > 0
end
-- The agent whose turn it is in a class; those at their limit leave until they are unblocked.
local function first_of(class, of)
  while true do
    local a = redis.call('ZRANGE', agents_of(class, of), 0, 0)[1]
    if not a or not blocked('a|' .. of .. '|' .. a) then return a end
    redis.call('ZREM', agents_of(class, of), a)
  end
end
local function let_in(of)
  if blocked('t|' .. of) then return redis.call('ZREM', KEYS[7], of) end
  local class, a, most, sum = nil, nil, nil, 0
  for _, c in ipairs(CLASSES) do
    local first = first_of(c, of)
    if first then
      sum = sum + SHARE[c]
      local credit = redis.call('HINCRBY', prefix .. 'credit:' .. of, c, SHARE[c])
      if not most or credit > most then class, a, most = c, first, credit end
    end
  end
  if not class then return redis.call('ZREM', KEYS[7], of) end
  redis.call('HINCRBY', prefix .. 'credit:' .. of, class, -sum)
  local key = redis.call('ZPOPMIN', line_of(class, of, a))[1]
  redis.call('HDEL', KEYS[5], key)
  redis.call('ZREM', KEYS[13], key)
  show(class, of, a)
  v = tag(of)
  advance(of, 1)
  if redis.call('ZINCRBY', KEYS[4], -1, of) == '0' then
    redis.call('ZREM', KEYS[4], of)
    redis.call('ZREM', KEYS[7], of)
    redis.call('DEL', prefix .. 'credit:' .. of)
  end
  if on then
    hold(key, 'reserved', of, a, 0, ARGV[4])
    pay(1, of, a)
  end
  out[#out + 1] = key
end
local function pump()
  for _, scope in ipairs(redis.call('ZRANGEBYSCORE', KEYS[8], '-inf', t, 'LIMIT', 0, MOST)) do
    redis.call('ZREM', KEYS[8], scope)
    local of, a = string.match(scope, '^.|([^|]*)|?(.*)$')
    if a == '' then ready(of) else unblock(of, a) end
  end
  local first = redis.call('ZRANGE', KEYS[7], 0, 0)[1]
  local steps = 0
  while first and steps < MOST and not full('f') and wait('f') == 0 do
    let_in(first)
    first, steps = redis.call('ZRANGE', KEYS[7], 0, 0)[1], steps + 1
  end
  if steps > 0 then
    redis.call('HSET', KEYS[10], 'v', v)
    redis.call('ZREMRANGEBYSCORE', KEYS[9], '-inf', v)
  end
  local soonest = tonumber(redis.call('ZRANGE', KEYS[8], 0, 0, 'WITHSCORES')[2] or 'inf') - t
  if first and not full('f') then soonest = math.min(soonest, math.ceil(wait('f') / 1000)) end
  if soonest < math.huge then out[2] = math.max(0, soonest) end
end
-- Whoever let a key in whose reservation ran out died before it activated it: say it again. Other slots belonged to runners that died.
for _, key in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', t, 'LIMIT', 0, MOST)) do
  local fence, of, a = owner(key)
  if fence == 'reserved' and on and (key ~= me or op ~= 'admit') then
    hold(key, 'reserved', of, a, 0, ARGV[4])
    out[#out + 1] = key
  elseif key ~= me or op ~= 'admit' then drop(key) end
end
local fence, _, _, charged = owner(me)
local mine = fence == ARGV[6]
if op == 'admit' then
  local newer = fence and fence ~= 'reserved' and order(ARGV[6], fence)
  if fence == 'reserved' or mine then hold(me, ARGV[6], tenant, agent, charged, ARGV[3]); out[1] = 'go'
  -- A zombie: take refuses it.
  elseif newer == -1 then out[1] = 'go'
  -- The turn goes on after a kill: it asks the model again.
  elseif fence and payable(tenant, agent) then
    hold(me, ARGV[6], tenant, agent, 0, ARGV[3])
    pay(1, tenant, agent)
    out[1] = 'go'
  else
    if fence then drop(me) end
    enqueue()
    out[1] = 'queued'
  end
  pump()
  for i = #out, 4, -1 do
    if out[i] == me then
      table.remove(out, i)
      if on then hold(me, ARGV[6], tenant, agent, 0, ARGV[3]) end
      out[1] = 'go'
    end
  end
elseif op == 'charge' then
  pump()
  out[1] = 'queued'
  if mine and (charged >= tonumber(ARGV[11]) or payable(tenant, agent)) then
    if charged < tonumber(ARGV[11]) then pay(1, tenant, agent) end
    hold(me, ARGV[6], tenant, agent, ARGV[11], ARGV[3])
    out[1] = 'go'
  end
elseif op == 'free' then
  if mine then
    local turns = tonumber(ARGV[11])
    if charged >= turns then pay(-1, tenant, agent) end
    if turns ~= 1 then advance(tenant, turns - 1) end
    drop(me)
  end
  pump()
elseif op == 'refile' then
  local class = string.match(redis.call('HGET', KEYS[5], me) or '', '|([^|]*)$')
  if class and class ~= ARGV[9] then
    local place = redis.call('ZSCORE', line_of(class, tenant, agent), me)
    redis.call('ZREM', line_of(class, tenant, agent), me)
    redis.call('ZADD', line_of(ARGV[9], tenant, agent), place, me)
    redis.call('HSET', KEYS[5], me, table.concat({tenant, agent, ARGV[9]}, '|'))
    show(class, tenant, agent)
    show(ARGV[9], tenant, agent)
    ready(tenant)
  end
elseif op == 'renew' then
  if mine then redis.call('ZADD', KEYS[1], t + tonumber(ARGV[3]), me) end
elseif op == 'adopt' then
  if not fence then hold(me, ARGV[6], tenant, agent, 0, ARGV[3]) end
elseif op == 'beat' then
  redis.call('ZADD', KEYS[12], t + tonumber(ARGV[4]), me)
  redis.call('ZREMRANGEBYSCORE', KEYS[12], '-inf', t)
  local capacity = 0
  for _, runner in ipairs(redis.call('ZRANGE', KEYS[12], 0, -1)) do capacity = capacity + tonumber(string.match(runner, '|(%d+)$')) end
  redis.call('HSET', KEYS[10], 'capacity', capacity)
  pump()
else
  if op == 'change' then
    redis.call('DEL', KEYS[8])
    for _, line in ipairs(redis.call('SMEMBERS', KEYS[11])) do
      local class, of, a = string.match(line, '^([^|]*)|([^|]*)|(.*)$')
      show(class, of, a)
      ready(of)
    end
  end
  pump()
end
if limit('f').rate > 0 or limit('t|' .. tenant).rate > 0 or limit('a|' .. tenant .. '|' .. agent).rate > 0 then out[3] = 1 end
return out
