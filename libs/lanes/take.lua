-- Purpose: claim a session; end what this claim has finished, return what is in flight, pop more while allowed, open or return the journal; release when all is empty.
-- KEYS 1 mailbox wait 2 mailbox active 3 head 4 journal 5 outbox 6 busy 7 pending wake-up (dn) 8 seen ring 9 transcript
--      10 due 11 activation lock 12.. mailbox keys to delete on release (12 failed first)
-- ARGV 1 mailbox job key prefix 2 fence 3 most messages 4 'claim'|'more' 5 highest relayed outbox number ('' unknown) 6 worker name
--      7 newest known envelope version 8 token of the activation lock 9 session 10 message lock ms 11 crashes allowed
--      12 crashes that make a suspect 13 turns of history wanted 14.. ids of messages that have ended under this fence
-- Returns {'F', fence in force} superseded · {'R', fence in force} the counter was rolled back · {'N', ms, why} too early, in-flight messages marked released
--   {'E'} empty and released · {'K'} nothing to do, not empty · {'O', rows} nothing to do but these rows are not relayed
--   {'M', journal, rows, messages {id, ''|'S'een|'X' cancelled|'D'ead, data, sequence, crashes, 1 new}, messages waiting, history, cancelled turn, settings}
local fence, most, t = ARGV[2], tonumber(ARGV[3]), now()
local h = redis.call('HMGET', KEYS[3], 'fence', 'nb', 'nbw', 'orel', 'gen', 'ct', 'set')
local o = order(fence, h[1])
if o == -1 or o == 2 then
  if redis.call('GET', KEYS[11]) == ARGV[8] then return {'R', h[1]} end
  return {'F', h[1]}
end
if ARGV[4] == 'more' and o ~= 0 then return {'F', h[1] or ''} end
if o == 1 then redis.call('HSET', KEYS[3], 'fence', fence) end
local relayed = tonumber(h[4] or '0')
if ARGV[5] ~= '' and tonumber(ARGV[5]) > relayed then
  relayed = tonumber(ARGV[5])
  redis.call('HSET', KEYS[3], 'orel', relayed)
end
for i = 14, #ARGV do
  redis.call('LREM', KEYS[2], -1, ARGV[i])
  redis.call('DEL', ARGV[1] .. ARGV[i], ARGV[1] .. ARGV[i] .. ':lock')
end
local ring = redis.call('GET', KEYS[8])
local messages, held = {}, redis.call('LRANGE', KEYS[2], 0, -1)
local function message(id, new)
  local d = redis.call('HMGET', ARGV[1] .. id, 'data', 'q', 'stc', 'x')
  local flag = ''
  if inring(ring, id) then flag = 'S' elseif d[4] then flag = 'X' elseif tonumber(d[3] or '0') >= tonumber(ARGV[11]) then flag = 'D' end
  messages[#messages + 1] = {id, flag, d[1] or '', d[2] or '', d[3] or '0', new}
end
local early = tonumber(h[2] or '0') - t
-- A quiet window holds back new mail, not a turn that had begun.
local hold = early > 0 and (h[3] ~= 'quiet' or #held == 0)
if ARGV[4] == 'claim' then
  for i = #held, 1, -1 do
    local lock = ARGV[1] .. held[i] .. ':lock'
    local owner = redis.call('GET', lock)
    if owner ~= fence then
      -- '=' marks a message released on purpose; anything else is the crash of a process. Beyond suspicion it counts only if the message ran alone.
      if not owner or string.sub(owner, 1, 1) ~= '=' then
        local j = redis.call('HMGET', ARGV[1] .. held[i], 'stc', 'solo')
        if tonumber(j[1] or '0') < tonumber(ARGV[12]) or (owner and j[2] == owner) then redis.call('HINCRBY', ARGV[1] .. held[i], 'stc', 1) end
      end
      redis.call('SET', lock, (hold and '=' or '') .. fence, 'PX', ARGV[10])
    end
    message(held[i], 0)
  end
end
if hold then
  redis.call('ZADD', KEYS[10], h[2], ARGV[9])
  return {'N', early, h[3]}
end
local rows = redis.call('ZRANGEBYSCORE', KEYS[5], '(' .. relayed, '+inf', 'WITHSCORES')
-- A turn that is resumed gets nothing more: its answer may be journalled already.
local resumed = false
if ARGV[4] == 'claim' then for _, m in ipairs(messages) do if m[2] ~= 'S' then resumed = true end end end
local popped, like, later = 0, nil, false
if ARGV[4] == 'more' and #held > 0 then like = redis.call('HGET', ARGV[1] .. held[1], 'name') end
while early <= 0 and not resumed and #held + popped < most do
  local id = redis.call('LINDEX', KEYS[1], -1)
  if not id then break end
  local job = redis.call('HMGET', ARGV[1] .. id, 'name', 'x')
  local name = (job[1] or '1:message') .. (job[2] and ':cancelled' or '')
  if (tonumber(string.match(name, '^(%d+)')) or 0) > tonumber(ARGV[7]) then later = true; break end
  -- The name holds version, kind, target, thread and authority: only equal ones share a turn, and ordered commands and answers never do. Nor does what is cancelled with what is not.
  if like and (like ~= name or string.find(name, ':command:', 1, true) or string.find(name, ':answer:', 1, true)) then break end
  like = name
  redis.call('RPOPLPUSH', KEYS[1], KEYS[2])
  local k = ARGV[1] .. id
  redis.call('SET', k .. ':lock', fence, 'PX', ARGV[10])
  redis.call('HSET', k, 'processedOn', t, 'pb', ARGV[6])
  redis.call('HINCRBY', k, 'ats', 1)
  popped = popped + 1
  message(id, 1)
end
if #messages > 0 then
  local journal, fresh = redis.call('LRANGE', KEYS[4], 0, -1), {}
  for _, m in ipairs(messages) do
    if (m[2] == '' or m[2] == 'X') and (m[6] == 1 or #journal == 0) then fresh[#fresh + 1] = m[1] end
  end
  if #fresh > 0 then
    local entry = {k = 'joined', ids = fresh}
    if #journal == 0 then entry = {k = 'open', turn = fresh[1] .. '~' .. (h[5] or '0'), ids = fresh} end
    journal[#journal + 1] = cjson.encode(entry)
    redis.call('RPUSH', KEYS[4], journal[#journal])
  end
  local history = {}
  if tonumber(ARGV[13]) > 0 then history = redis.call('LRANGE', KEYS[9], -tonumber(ARGV[13]), -1) end
  return {'M', journal, rows, messages, redis.call('LLEN', KEYS[1]), history, h[6] or '', h[7] or ''}
end
if ARGV[4] == 'more' then return {'K'} end
if #rows > 0 then return {'O', rows} end
if later then
  redis.call('HSET', KEYS[3], 'nb', t + 5000, 'nbw', 'version')
  redis.call('ZADD', KEYS[10], t + 5000, ARGV[9])
  return {'N', 5000, 'version'}
end
if redis.call('LLEN', KEYS[1]) > 0 or redis.call('EXISTS', KEYS[4]) == 1 then return {'K'} end
-- Dead letters stay, with the queue that shows them.
if redis.call('EXISTS', KEYS[12]) == 0 then redis.call('UNLINK', unpack(KEYS, 12)) end
redis.call('DEL', KEYS[7])
redis.call('HDEL', KEYS[3], 'ct', 'nb', 'nbw', 'nbd', 'cls')
if redis.call('EXISTS', KEYS[5]) == 0 then redis.call('ZREM', KEYS[6], ARGV[9]) end
return {'E'}
