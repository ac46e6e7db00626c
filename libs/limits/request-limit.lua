-- Purpose: count one request against a limit per window, shared by all replicas: of the window before, the part that a sliding
--   window still covers counts too. A refused request is not counted, so who keeps asking is let in as soon as there is room.
-- KEYS 1 counters (hash: w number of the window, n requests in it, p requests in the one before)
-- ARGV 1 requests per window 2 window ms
-- Returns {0 counted | ms until there is room, requests left, ms until the window ends}
local t, most, window = now(), tonumber(ARGV[1]), tonumber(ARGV[2])
local h = redis.call('HMGET', KEYS[1], 'w', 'n', 'p')
local current = math.floor(t / window)
local number, count, before = tonumber(h[1] or '0'), tonumber(h[2] or '0'), tonumber(h[3] or '0')
if number ~= current then
  before = number == current - 1 and count or 0
  count = 0
end
local left = window - t % window
local room = most - count - before * left / window
if room < 1 then
  -- Room comes in the next window, when enough of this one has slid out; or in this one, when enough of the one before has.
  if count + 1 > most then return {left + math.ceil(window * (1 - (most - 1) / count)), 0, left} end
  return {math.max(1, math.ceil(left - window * (most - 1 - count) / before)), 0, left}
end
redis.call('HSET', KEYS[1], 'w', string.format('%.0f', current), 'n', count + 1, 'p', before)
redis.call('PEXPIRE', KEYS[1], 2 * window)
return {0, math.floor(room) - 1, left}
