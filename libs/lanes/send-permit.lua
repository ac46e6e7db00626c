-- Purpose: ask for a permit to send, give one back and pause a rate, where the account's rates are in another slot than the conversation
--   (elsewhere the scripts of the conversation do it along).   KEYS the rates   ARGV see rates.lua
-- Returns ms to wait until asking again; 0 = granted, or none was asked for
return permit(now(), 1)
