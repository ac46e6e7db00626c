/** Keys of the lanes' own queues and of the fleet, however many sessions there are: all that may stay besides what G7 lets a session keep. */
export const OF_THE_DEPLOYMENT =
  /^\{b\d+\}:(turns|deliveries|timers):(meta|id|events|marker|stalled-check|stalled)$|^\{b\d+\}:(due|dead-deliveries|dl):|^\{limits\}:/;
