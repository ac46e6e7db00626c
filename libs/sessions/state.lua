-- Purpose: what runs and what waits in a session. Cancelled messages, which only wait for their end, are not shown.
-- KEYS 1 head 2 journal 3 mailbox wait 4 mailbox active   ARGV 1 mailbox job key prefix 2 most messages listed 3 most looked at
-- Returns {Redis time, accept sequence, turn that runs or '', since, messages that wait,
--   {settings, input tokens, output tokens, cost (millionths), epoch, began} each '' where there is none, id, accepted at, id, accepted at... oldest first}
local t, prefix, most = now(), ARGV[1], tonumber(ARGV[2])
local open, running, since = redis.call('LINDEX', KEYS[2], 0), '', t
if open then
  running = cjson.decode(open).turn
  local first = redis.call('LINDEX', KEYS[4], -1)
  since = first and redis.call('HGET', prefix .. first, 'processedOn') or t
end
local head = redis.call('HMGET', KEYS[1], 'set', 'ui', 'uo', 'uc', 'ep', 'began', 'seq')
for i = 1, 6 do head[i] = head[i] or '' end
local out = {t, tonumber(head[7] or '0'), running, tonumber(since), redis.call('LLEN', KEYS[3]), head}
local ids = redis.call('LRANGE', KEYS[3], -tonumber(ARGV[3]), -1)
for i = #ids, 1, -1 do
  local job = redis.call('HMGET', prefix .. ids[i], 'x', 'a')
  if job[1] then
    out[5] = out[5] - 1
  elseif #out < 6 + 2 * most then
    out[#out + 1] = ids[i]
    out[#out + 1] = tonumber(job[2] or t)
  end
end
return out
