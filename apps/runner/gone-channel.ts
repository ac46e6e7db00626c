import { TEXT_ONLY, type ChannelCapabilities } from '#channels';

/** An account that was taken out of the configuration while its mail waited: the turn still ends, the dispatcher gives its answer up. */
export const GONE: ChannelCapabilities = { ...TEXT_ONLY, immediateSend: false, threads: true };
