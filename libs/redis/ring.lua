-- Prelude of the scripts that know ended messages.
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
