-- Prelude of the scripts that read the clock: all stored times are Redis TIME, in ms.
local function now()
  local t = redis.call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000)
end
-- Times that are stored are Redis time: writers leave 0, the script fills it in.
local function stamp(json, field) return (string.gsub(json, '"' .. field .. '":0', '"' .. field .. '":' .. string.format('%.0f', now()), 1)) end
