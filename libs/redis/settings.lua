-- Prelude of the scripts that change the settings of a session, field `set` of its head.
-- Merges a patch (JSON object; null takes a setting back) and returns what is in force.
local function changeset(head, patch)
  local settings = cjson.decode(redis.call('HGET', head, 'set') or '{}')
  for name, value in pairs(cjson.decode(patch)) do
    if value == cjson.null then settings[name] = nil else settings[name] = value end
  end
  if next(settings) == nil then
    redis.call('HDEL', head, 'set')
    return '{}'
  end
  local json = cjson.encode(settings)
  redis.call('HSET', head, 'set', json)
  return json
end
