import type { ChannelCapabilities } from '#channels';

/** An account that was taken out of the configuration while its mail waited: the turn still ends, the dispatcher gives its answer up. */
export const GONE: ChannelCapabilities = {
  immediateSend: false,
  batch: false,
  dedupe: false,
  threads: true,
  reply: false,
  edit: false,
  delete: false,
  react: false,
  buttons: 0,
  media: [],
  mediaIn: [],
  typing: false,
  stream: 'none',
  maxTextLength: 4096,
  lengthUnit: 'utf16',
};
