-- Purpose: move the version of the tool catalog on in one bucket; take.lua hands it out. It only ever grows, also over an emptied Redis.
-- KEYS 1 catalog version   ARGV 1 the version another bucket has already ('' = make a new one, from Redis TIME in ms)
-- Returns the version in force
local known = tonumber(redis.call('GET', KEYS[1]) or '0')
local version = ARGV[1] == '' and math.max(now(), known + 1) or math.max(known, tonumber(ARGV[1]))
redis.call('SET', KEYS[1], string.format('%.0f', version))
return version
