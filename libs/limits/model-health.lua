-- Purpose: which provider keys, and which models under them, rest after a failure, and when keys were last used, for all runners. A rest is 30 s, 1 min, then 5 min while nothing
--   has succeeded in between; when it is over one caller asks, and the others wait for what that one finds. Nothing known = well.
-- KEYS 1 rests (hash: id -> until|step|probe until) 2 uses (zset: account -> last use)
-- ARGV 1 'rest'      2 id 3 'long' (10 min) or '' 4 least ms ('' none)      Returns ms it rests
--      1 'probe'     2.. ids                                                Returns 1 when the caller is to find out
--      1 'recovered' 2.. ids
--      1 'read'      2.. account, ms since the caller used it, ...          Returns {{id, ms left (0: over), ...}, {account, ms since its last use, ...}}
local STEPS, LONG, LEAST_MOST, PROBE, FORGET, DAY = {30000, 60000, 300000}, 600000, 3600000, 30000, 600000, 86400000
local t, operation = now(), ARGV[1]
local function entry(id)
  local text = redis.call('HGET', KEYS[1], id)
  local until_, step, probe = string.match(text or '', '^(%d+)|(%d+)|(%d+)$')
  if not until_ or t > until_ + FORGET then return nil end
  return {until_ = tonumber(until_), step = tonumber(step), probe = tonumber(probe)}
end
local function store(id, e)
  redis.call('HSET', KEYS[1], id, string.format('%.0f|%d|%.0f', e.until_, e.step, e.probe))
  redis.call('PEXPIRE', KEYS[1], LEAST_MOST + FORGET)
end
if operation == 'rest' then
  local e, least = entry(ARGV[2]), math.min(LEAST_MOST, tonumber(ARGV[4]) or 0)
  -- Calls that were under way when the rest began say nothing new.
  if not e or t >= e.until_ then
    local step = math.min(#STEPS, e and e.step + 1 or 1)
    e = {until_ = t + (ARGV[3] == 'long' and LONG or STEPS[step]), step = step, probe = 0}
  end
  e.until_ = math.max(e.until_, t + least)
  store(ARGV[2], e)
  return math.ceil(e.until_ - t)
elseif operation == 'probe' then
  local found = {}
  for i = 2, #ARGV do
    local e = entry(ARGV[i])
    if e and (t < e.until_ or t < e.probe) then return 0 end
    found[ARGV[i]] = e
  end
  for id, e in pairs(found) do
    e.probe = t + PROBE
    store(id, e)
  end
  return 1
elseif operation == 'recovered' then
  for i = 2, #ARGV do redis.call('HDEL', KEYS[1], ARGV[i]) end
  return 0
end
local known, answer = redis.call('HKEYS', KEYS[1]), {}
for _, id in ipairs(known) do
  local e = entry(id)
  if e then
    answer[#answer + 1] = id
    answer[#answer + 1] = math.max(0, math.ceil(e.until_ - t))
  else redis.call('HDEL', KEYS[1], id) end
end
for i = 2, #ARGV, 2 do redis.call('ZADD', KEYS[2], t - tonumber(ARGV[i + 1]), ARGV[i]) end
if #ARGV > 1 then
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', t - DAY)
  redis.call('PEXPIRE', KEYS[2], DAY)
end
local uses = redis.call('ZRANGE', KEYS[2], 0, -1, 'WITHSCORES')
for i = 2, #uses, 2 do uses[i] = math.max(0, t - tonumber(uses[i])) end
return {answer, uses}
