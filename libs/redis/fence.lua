-- Prelude of the scripts that claim.
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
