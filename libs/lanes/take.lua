-- Purpose: claim a session; end what this claim has finished, return what is in flight, pop more while allowed, open or return the journal; release when all is empty.
-- KEYS 1 mailbox wait 2 mailbox active 3 head 4 journal 5 outbox 6 busy 7 pending wake-up (dn) 8 seen ring 9 transcript
--      10 due 11 activation lock 12 catalog version 13.. mailbox keys to delete on release (13 failed first)
-- ARGV 1 mailbox job key prefix 2 fence 3 most messages 4 'claim'|'more' 5 highest relayed outbox number ('' unknown) 6 worker name
--      7 newest known envelope version 8 token of the activation lock 9 session 10 message lock ms 11 crashes allowed
--      12 crashes that make a suspect 13 turns of history wanted 14 most that may wait (0 unlimited) 15 'old'|'new'|'summarize' which go
--      16.. ids of messages that have ended under this fence
-- Returns {'F', fence in force} superseded · {'R', fence in force} the counter was rolled back · {'N', ms, why} too early, in-flight messages marked released
--   {'E'} empty and released · {'K'} nothing to do, not empty · {'O', rows} nothing to do but these rows are not relayed
--   {'M', journal, rows, messages {id, ''|'S'een|'X' cancelled|'D'ead, data, sequence, crashes, 1 new, accept time}, history, cancelled turn, why, settings, first and last commit of the epoch, catalog version, Redis time}
-- A turn of messages that were too many begins with an `open` entry that says so: its owner drops them.
local fence, most, t = ARGV[2], tonumber(ARGV[3]), now()
local h = redis.call('HMGET', KEYS[3], 'fence', 'nb', 'nbw', 'orel', 'gen', 'ct', 'set', 'cw', 'began', 'last')
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
for i = 16, #ARGV do
  redis.call('LREM', KEYS[2], -1, ARGV[i])
  redis.call('DEL', ARGV[1] .. ARGV[i], ARGV[1] .. ARGV[i] .. ':lock')
end
local ring = redis.call('GET', KEYS[8])
local messages, live, fresh, held = {}, {}, {}, redis.call('LRANGE', KEYS[2], 0, -1)
local function message(id, new)
  local d = redis.call('HMGET', ARGV[1] .. id, 'data', 'q', 'stc', 'x', 'a')
  local flag = ''
  if inring(ring, id) then flag = 'S' elseif d[4] then flag = 'X' elseif tonumber(d[3] or '0') >= tonumber(ARGV[11]) then flag = 'D' end
  messages[#messages + 1] = {id, flag, d[1] or '', d[2] or '', d[3] or '0', new and 1 or 0, d[5] or ''}
  local runs = flag == '' or flag == 'X'
  if runs then live[#live + 1] = id end
  if runs and new then fresh[#fresh + 1] = id end
end
local early = tonumber(h[2] or '0') - t
-- A quiet window holds back new mail, not a turn that had begun.
local hold = early > 0 and (h[3] ~= 'quiet' or #held == 0)
if ARGV[4] == 'claim' then
  for i = #held, 1, -1 do
    local lock = ARGV[1] .. held[i] .. ':lock'
    local owner = redis.call('GET', lock)
    if owner ~= fence then
      -- '=' marks a message released on purpose, and one in the ring has had its end; anything else is the crash of a process. Beyond suspicion it counts only if the message ran alone.
      if (not owner or string.sub(owner, 1, 1) ~= '=') and not inring(ring, held[i]) then
        local j = redis.call('HMGET', ARGV[1] .. held[i], 'stc', 'solo')
        if tonumber(j[1] or '0') < tonumber(ARGV[12]) or (owner and j[2] == owner) then redis.call('HINCRBY', ARGV[1] .. held[i], 'stc', 1) end
      end
      redis.call('SET', lock, (hold and '=' or '') .. fence, 'PX', ARGV[10])
    end
    message(held[i], false)
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
local more, popped, later, drop = ARGV[4] == 'more', 0, false, nil
local function pop(id)
  redis.call('LREM', KEYS[1], -1, id)
  redis.call('LPUSH', KEYS[2], id)
  local k = ARGV[1] .. id
  redis.call('SET', k .. ':lock', fence, 'PX', ARGV[10])
  redis.call('HSET', k, 'processedOn', t, 'pb', ARGV[6])
  redis.call('HINCRBY', k, 'ats', 1)
  popped = popped + 1
  message(id, true)
end
-- The name holds version, kind, target, thread and authority: only messages of equal names share a turn, and ordered commands and answers never do. Nor does what is cancelled with what is not.
local function job(id)
  local d = redis.call('HMGET', ARGV[1] .. id, 'name', 'w', 'm', 'x')
  local name = (d[1] or '1:message') .. (d[4] and ':cancelled' or '')
  return {name = name, cancelled = d[4], window = d[2], mode = d[3], alone = string.find(name, ':command:', 1, true) or string.find(name, ':answer:', 1, true), version = tonumber(string.match(name, '^(%d+)')) or 0}
end
local function shares(one, other)
  if one.name ~= other.name or one.alone then return false end
  if more then return other.mode == 'steer' end
  -- One quiet window is one request. What was to be collected, to join or to take over, and came too late for that, is one as well.
  return (one.window and one.window == other.window) or (one.mode and one.mode == other.mode)
end
local cap = tonumber(ARGV[14])
if early <= 0 and not more and not resumed and cap > 0 and redis.call('LLEN', KEYS[1]) > cap then
  local ids, waiting, like = redis.call('LRANGE', KEYS[1], 0, -1), {}, nil
  local from, to, by = #ids, 1, -1
  if ARGV[15] == 'new' then from, to, by = 1, #ids, 1 end
  for i = from, to, by do
    local one = job(ids[i])
    one.id = ids[i]
    if not one.cancelled then waiting[#waiting + 1] = one end
  end
  local gone = {}
  for _, one in ipairs(waiting) do
    local may = one.version <= tonumber(ARGV[7]) and string.find(one.name, ':message:', 1, true) and (not like or like == one.name)
    if may and #gone < #waiting - cap then
      like = one.name
      gone[#gone + 1] = one.id
    end
  end
  -- Oldest first, whichever were looked at first.
  local first, last = 1, #gone
  if by == 1 then first, last = #gone, 1 end
  for i = first, last, -by do pop(gone[i]) end
  if #gone > 0 then drop = ARGV[15] end
end
local before = more and #held > 0 and job(held[1]) or nil
-- Messages that join do not wait for a quiet window; none join a turn that is to stop.
while not drop and (early <= 0 or more) and not resumed and not (more and h[6]) and popped < most do
  local id = redis.call('LINDEX', KEYS[1], -1)
  if not id then break end
  local one = job(id)
  if one.version > tonumber(ARGV[7]) then later = true; break end
  if before and not shares(before, one) then break end
  before = one
  pop(id)
end
if #messages > 0 then
  local journal = redis.call('LRANGE', KEYS[4], 0, -1)
  local begins = #journal == 0
  if #(begins and live or fresh) > 0 then
    local entry = {k = 'joined', ids = fresh}
    if begins then entry = {k = 'open', turn = live[1] .. '~' .. (h[5] or '0'), ids = live, drop = drop} end
    journal[#journal + 1] = cjson.encode(entry)
    redis.call('RPUSH', KEYS[4], journal[#journal])
  end
  local history = {}
  if tonumber(ARGV[13]) > 0 then history = redis.call('LRANGE', KEYS[9], -tonumber(ARGV[13]), -1) end
  return {'M', journal, rows, messages, history, h[6] or '', h[8] or '', h[7] or '', h[9] or '', h[10] or '', redis.call('GET', KEYS[12]) or '0', t}
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
if redis.call('EXISTS', KEYS[13]) == 0 then redis.call('UNLINK', unpack(KEYS, 13)) end
redis.call('DEL', KEYS[7])
redis.call('HDEL', KEYS[3], 'ct', 'cw', 'nb', 'nbw', 'win', 'full', 'cls')
if redis.call('EXISTS', KEYS[5]) == 0 then redis.call('ZREM', KEYS[6], ARGV[9]) end
return {'E'}
