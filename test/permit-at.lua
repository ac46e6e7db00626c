-- Purpose: what rates.lua decides at a time of the test's own.   KEYS the rates   ARGV 1 now, ms 2.. permit   Returns as permit does
return permit(tonumber(ARGV[1]), 2)
