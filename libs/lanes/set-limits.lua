-- Purpose: put other limits in force, unless somebody else did in between.
-- KEYS 1 limits, as admit.lua reads them 2 settings (hash document, version, configured)
-- ARGV 1 version that was read 2 document as JSON 3 the configuration it comes from ('' none) 4.. fields and values of limits
-- Returns 0 read again · 1 done
if (redis.call('HGET', KEYS[2], 'version') or '0') ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
for i = 4, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call('HSET', KEYS[2], 'document', ARGV[2], 'version', ARGV[1] + 1)
if ARGV[3] ~= '' then redis.call('HSET', KEYS[2], 'configured', ARGV[3]) end
return 1
