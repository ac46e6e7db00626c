-- Purpose: put in front of every script that claims or checks a fence, or reads the clock.
-- A fence is "<activation id>.<attemptsStarted>.<worker nonce>". order(a, b): 1 when a is newer than b, 0 for the same claim,
-- -1 when older, 2 for an equal (id, attempts) of another worker: the counter was rolled back.
local function order(a, b)
  if not b then return 1 end
  if a == b then return 0 end
  local ai, aa = string.match(a, '^(%d+)%.(%d+)%.')
  local bi, ba = string.match(b, '^(%d+)%.(%d+)%.')
  ai, aa, bi, ba = tonumber(ai), tonumber(aa), tonumber(bi), tonumber(ba)
  if ai ~= bi then return ai > bi and 1 or -1 end
  if aa ~= ba then return aa > ba and 1 or -1 end
  return 2
end
local function now()
  local t = redis.call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000)
end
-- Times that are stored are Redis time: writers leave 0, the script fills it in.
local function stamp(json, field) return (string.gsub(json, '"' .. field .. '":0', '"' .. field .. '":' .. string.format('%.0f', now()), 1)) end
-- The seen ring: tags of 8 characters, newest last. Ids are hashes, so a tag is 48 bits of one.
local function tag(id) return string.sub(id, 2, 9) end
local function inring(ring, id)
  if not ring then return false end
  local at, wanted = 1, tag(id)
  while true do
    local i = string.find(ring, wanted, at, true)
    if not i then return false end
    if (i - 1) % 8 == 0 then return true end
    at = i + 1
  end
end
