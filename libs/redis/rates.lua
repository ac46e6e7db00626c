-- Prelude of the scripts that ask for a permit to send. A rate lets `count` sends reach the platform in any `per` ms, by the platform's clock.
-- Keys of a rate, all in the slot of its account: K zset permit -> when its place is free again · K:w zset conversation -> when it was told
-- to come back (the line) · K:p until when the platform wants nothing (it answered 429).
-- A request arrives between its permit and its answer, nobody knows when: so a place is free `per` after the answer was heard. The one of
-- a holder that died is free `per` after the last moment at which its request could arrive.
-- LATE: who comes so much later than it was told, ms, no longer holds up those behind it. GONE: it has lost its place.
local LATE, GONE = 200, 10000
-- When there is room for `who`, behind those who were told to come before it: t = now.
local function opening(t, key, count, per, who)
  redis.call('ZREMRANGEBYSCORE', key, '-inf', t)
  local room, line, ahead = count - redis.call('ZCARD', key), key .. ':w', 0
  if redis.call('EXISTS', line) == 1 then
    redis.call('ZREMRANGEBYSCORE', line, '-inf', t - GONE)
    local mine = redis.call('ZSCORE', line, who)
    ahead = redis.call('ZCOUNT', line, t - LATE, mine and '(' .. mine or '+inf')
  end
  local at, paused = t, tonumber(redis.call('GET', key .. ':p') or '0')
  -- Each of those ahead takes the place that is free first, and frees it `per` later at the earliest.
  local place = ahead % count
  if place >= room then at = math.min(t + per, tonumber(redis.call('ZRANGE', key, place - room, place - room, 'WITHSCORES')[2])) end
  return math.max(at, paused) + math.floor(ahead / count) * per
end
-- The rates are the last keys. ARGV from a: permit asked for ('' none), permit given back ('' none), ms it may be on its way, conversation,
-- number of the rate to pause (0 none), for how many ms, then count and per of each rate.
-- Returns ms to wait until asking again; 0 = the permit is granted, in all rates at once, or none was asked for.
local function permit(t, a)
  local asked, used, flight, who, rates = ARGV[a], ARGV[a + 1], tonumber(ARGV[a + 2]), ARGV[a + 3], {}
  local count = (#ARGV - a - 5) / 2
  for i = 1, count do
    rates[i] = {key = KEYS[#KEYS - count + i], count = tonumber(ARGV[a + 4 + 2 * i]), per = tonumber(ARGV[a + 5 + 2 * i])}
    if used ~= '' then redis.call('ZADD', rates[i].key, 'XX', t + rates[i].per, used) end
  end
  local closed = rates[tonumber(ARGV[a + 4])]
  if closed then
    local paused, until_ = closed.key .. ':p', t + tonumber(ARGV[a + 5])
    if until_ > tonumber(redis.call('GET', paused) or '0') then redis.call('SET', paused, until_, 'PX', ARGV[a + 5]) end
  end
  -- Sent again after a reconnect, it is granted already.
  if asked == '' or count == 0 or redis.call('ZSCORE', rates[1].key, asked) then return 0 end
  local at, slowest = t, nil
  for _, rate in ipairs(rates) do
    local opens = opening(t, rate.key, rate.count, rate.per, who)
    if opens > at then at, slowest = opens, rate end
  end
  for _, rate in ipairs(rates) do
    if not slowest then
      redis.call('ZADD', rate.key, t + flight + rate.per, asked)
      redis.call('PEXPIRE', rate.key, flight + rate.per)
    end
    local line = rate.key .. ':w'
    if rate == slowest then
      redis.call('ZADD', line, at, who)
      redis.call('PEXPIRE', line, redis.call('ZRANGE', line, -1, -1, 'WITHSCORES')[2] - t + GONE)
    else
      redis.call('ZREM', line, who)
    end
  end
  return at - t
end
