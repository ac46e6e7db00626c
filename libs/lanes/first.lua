-- Purpose: an activation that waits becomes the next one to be fetched: its key has a slot, those before it have not asked for one yet.
-- KEYS 1 activation dedup key 2 activations wait   Returns 0 it does not wait (any more) · 1 done
local id = redis.call('GET', KEYS[1])
if not id or redis.call('LREM', KEYS[2], 1, id) == 0 then return 0 end
redis.call('RPUSH', KEYS[2], id)
return 1
