-- Purpose: end messages whose turn is committed, when the claim takes no more (otherwise take ends them in the same call).
-- KEYS 1 head 2 mailbox active   ARGV 1 fence 2 mailbox job key prefix 3.. message ids
-- Returns 0 superseded · 1 done
if redis.call('HGET', KEYS[1], 'fence') ~= ARGV[1] then return 0 end
for i = 3, #ARGV do
  redis.call('LREM', KEYS[2], -1, ARGV[i])
  redis.call('DEL', ARGV[2] .. ARGV[i], ARGV[2] .. ARGV[i] .. ':lock')
end
return 1
