-- Purpose: the owner of a code is heard from now on. The request stays, as approved, until its code ends: asked twice, answered twice.
-- KEYS 1 approved (sender -> who) 2 pending   ARGV 1 code 2 who approves
-- Returns {sender, name} · nil when there is no such code (any more)
local found = redis.call('HGET', KEYS[2], ARGV[1])
if not found then return nil end
local request = cjson.decode(found)
if request.ends <= now() then return nil end
if not request.approved then
  request.approved = true
  redis.call('HSET', KEYS[2], ARGV[1], cjson.encode(request))
  redis.call('HSET', KEYS[1], request.sender, cjson.encode({name = request.name, by = ARGV[2], at = now()}))
end
return {request.sender, request.name}
