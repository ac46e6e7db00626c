/** The first ms of 2015, where Discord's ids begin to count. */
const DISCORD_EPOCH_MS = 1_420_070_400_000;

/** When an id was made, ms since the epoch (https://docs.discord.com/developers/reference#snowflakes). */
export function snowflakeMs(id: string): number {
  return Number(BigInt(id) >> 22n) + DISCORD_EPOCH_MS;
}
