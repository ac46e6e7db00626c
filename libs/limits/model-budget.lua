-- Purpose: requests and tokens per window of one model under one provider key, shared by all runners. Two token buckets for each of both, and a call
--   needs room in one of them. Calm: half of the allowance at once, then half of its rate. Steady: a sip at once, then nearly its whole rate. Every
--   call drains both; a call that only Steady had room for does not drive Calm into debt. So no window, wherever it begins, sees more than 99.5 %.
--   A call without room gets a place in line, by start-time fair queueing over tenants, and comes back at its time: see docs/model-budgets.md.
-- KEYS 1 budget (hash) 2 line (zset ticket -> start tag) 3 due (zset ticket or reservation -> when to drop it) 4 tickets (hash ticket -> tag|tokens,
--      reservation -> tokens|paid by Calm) 5 tenants (hash tenant -> end of its last tag) 6 known (zset budget -> when it is forgotten)
-- ARGV 1 'reserve'|'settle' 2 budget 3 window ms 4 configured requests 5 configured tokens (0 learned) 6 reservation ('' none)
--   reserve: 7 ticket 8 tenant 9 tokens
--   settle: 7 tokens used ('' as reserved) 8 requests limit 9 requests remaining 10 tokens limit 11 tokens remaining ('' not said) 12 ms since that was said
--           13 'ok'|'limited'|'failed' 14 retry after ms ('' not said)
-- Returns ms to wait (0 reserved) and the used share of the allowance, per mille
local USABLE, SIP, LARGE = 0.995, 0.03, 0.75
local FORGET, LATE, PLACE, CALL = 3600000, 2000, 300000, 3600000
local BACKOFF, BACKOFF_MOST, PAUSE_MOST = 1000, 60000, 3600000
local t, window, reservation = now(), tonumber(ARGV[3]), 'r:' .. ARGV[6]
local function number(text, default) return tonumber(text or '') or default end
local h = redis.call('HMGET', KEYS[1], 'at', 'rc', 'rs', 'tc', 'ts', 'large', 'largeat', 'rl', 'tl', 'v', 'waiting', 'pause', 'fails')
local v, waiting, pause, fails = number(h[10], 0), number(h[11], 0), number(h[12], 0), number(h[13], 0)
local rl, tl = number(h[8], 0), number(h[9], 0)
local cost = ARGV[1] == 'reserve' and tonumber(ARGV[9]) or 0
local large, largeat = number(h[6], 0), number(h[7], 0)
if cost >= large or t - largeat > window then large, largeat = cost, t end
local function bucket(limit, calm, steady, biggest)
  if limit <= 0 then return nil end
  local d, usable = {limit = limit}, limit * USABLE
  d.calmcap, d.steadycap = usable / 2, math.max(limit * SIP, math.min(biggest, usable * LARGE))
  d.calmrate, d.steadyrate = usable / 2 / window, (usable - d.steadycap) / window
  local passed = math.max(0, t - number(h[1], t))
  d.calm = math.min(d.calmcap, number(calm, d.calmcap) + passed * d.calmrate)
  d.steady = math.min(d.steadycap, number(steady, d.steadycap) + passed * d.steadyrate)
  return d
end
local function configured(text, learned) return tonumber(text) > 0 and tonumber(text) or learned end
if ARGV[1] == 'settle' then rl, tl = number(ARGV[8], rl), number(ARGV[10], tl) end
local requests = bucket(configured(ARGV[4], rl), h[2], h[3], 1)
local tokens = bucket(configured(ARGV[5], tl), h[4], h[5], large)
-- ms until there is room for `n` behind `before`; below 0 when there is.
local function wait(d, n, before)
  if not d then return 0 end
  return math.min((math.min(n, d.calmcap) + before - d.calm) / d.calmrate, (math.min(n, d.steadycap) + before - d.steady) / d.steadyrate)
end
local function drain(d, n)
  if not d then return 0 end
  local paid = n
  if d.calm < math.min(n, d.calmcap) then paid = math.max(0, math.min(n, d.calm)) end
  d.calm, d.steady = d.calm - paid, d.steady - n
  return paid
end
local function correct(d, reserved, paid, used)
  if not d then return end
  d.steady = math.min(d.steadycap, d.steady + reserved - used)
  if used <= reserved then d.calm = math.min(d.calmcap, d.calm + math.max(0, paid - used))
  elseif paid == reserved then d.calm = d.calm - (used - reserved)
  else d.calm = math.min(d.calm, math.max(0, d.calm - (used - reserved))) end
end
local function lower(d, to)
  if d and to then d.calm, d.steady = math.min(d.calm, to), math.min(d.steady, to) end
end
-- What the provider said is left, and what has been refilled since.
local function left(d, said) return d and tonumber(said) and tonumber(said) + tonumber(ARGV[12]) * d.limit / window end
local function pair(text) return tonumber(string.match(text, '^(.-)|')), tonumber(string.match(text, '|(.*)$')) end
local function leave(ticket)
  if redis.call('ZREM', KEYS[2], ticket) == 0 then return false end
  local _, n = pair(redis.call('HGET', KEYS[4], ticket))
  waiting = waiting - n
  return true
end
-- Who does not come at its time is not waited for, and finds its place again when it comes; a call that was never settled stays spent.
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', t, 'LIMIT', 0, 100)) do
  if leave(id) then redis.call('ZADD', KEYS[3], t + PLACE, id)
  else
    redis.call('ZREM', KEYS[3], id)
    redis.call('HDEL', KEYS[4], id)
  end
end
local function join(ticket, tenant, n)
  local known, start = redis.call('HGET', KEYS[4], ticket), nil
  if known then
    leave(ticket)
    start = pair(known)
  else
    start = math.max(v, number(redis.call('HGET', KEYS[5], tenant), 0))
    local share = math.max(requests and 1 / requests.limit or 0, tokens and n / tokens.limit or 0)
    redis.call('HSET', KEYS[5], tenant, start + share)
  end
  redis.call('HSET', KEYS[4], ticket, start .. '|' .. n)
  redis.call('ZADD', KEYS[2], start, ticket)
  waiting = waiting + n
  return redis.call('ZRANK', KEYS[2], ticket), start
end
local function reserve(ticket, tenant, n)
  if redis.call('HEXISTS', KEYS[4], reservation) == 1 then return 0 end
  local inline, start, place = redis.call('ZCARD', KEYS[2]), nil, 0
  if inline > 0 or redis.call('HEXISTS', KEYS[4], ticket) == 1 then place, start = join(ticket, tenant, n) end
  local ahead = place > 0 and place * waiting / redis.call('ZCARD', KEYS[2]) or 0
  local ms = math.max(0, pause - t, wait(requests, 1, place), wait(tokens, n, ahead))
  if ms > 0 then
    if not start then join(ticket, tenant, n) end
    ms = math.max(1, math.ceil(ms))
    redis.call('ZADD', KEYS[3], t + ms + LATE, ticket)
    return ms
  end
  if start then
    v = math.max(v, start)
    leave(ticket)
    redis.call('HDEL', KEYS[4], ticket)
    redis.call('ZREM', KEYS[3], ticket)
  end
  drain(requests, 1)
  redis.call('HSET', KEYS[4], reservation, n .. '|' .. drain(tokens, n))
  redis.call('ZADD', KEYS[3], t + CALL, reservation)
  return 0
end
local function settle()
  local open = redis.call('HGET', KEYS[4], reservation)
  if open then
    local reserved, paid = pair(open)
    correct(tokens, reserved, paid, number(ARGV[7], reserved))
    redis.call('HDEL', KEYS[4], reservation)
    redis.call('ZREM', KEYS[3], reservation)
  end
  lower(requests, left(requests, ARGV[9]))
  lower(tokens, left(tokens, ARGV[11]))
  if ARGV[13] == 'ok' then fails = 0 end
  if ARGV[13] ~= 'limited' then return end
  -- Calls that were under way when the pause began say nothing new.
  local backoff = 0
  if t >= pause then
    fails = fails + 1
    backoff = math.min(BACKOFF_MOST, BACKOFF * 2 ^ (fails - 1))
  end
  pause = math.max(pause, t + math.min(PAUSE_MOST, number(ARGV[14], backoff)))
  lower(requests, 0)
  lower(tokens, 0)
end
local ms = 0
if ARGV[1] == 'reserve' then ms = reserve(ARGV[7], ARGV[8], cost) else settle() end
if redis.call('ZCARD', KEYS[2]) == 0 then
  redis.call('DEL', KEYS[5])
  v, waiting = 0, 0
end
local state = {'at', t, 'large', large, 'largeat', largeat, 'rl', rl, 'tl', tl, 'v', v, 'waiting', waiting, 'pause', pause, 'fails', fails}
local used = 0
for name, d in pairs({r = requests, t = tokens}) do
  for _, value in ipairs({name .. 'c', d.calm, name .. 's', d.steady}) do state[#state + 1] = value end
  used = math.max(used, 1 - math.max(0, d.calm) / d.calmcap)
end
redis.call('HSET', KEYS[1], unpack(state))
for i = 1, 5 do redis.call('PEXPIRE', KEYS[i], FORGET) end
local learned = (rl > 0 or tl > 0) and t + FORGET or pause > t and pause + window
if learned then redis.call('ZADD', KEYS[6], learned, ARGV[2]) end
redis.call('ZREMRANGEBYSCORE', KEYS[6], '-inf', t)
redis.call('PEXPIRE', KEYS[6], 2 * FORGET)
return {ms, math.floor(1000 * used)}
