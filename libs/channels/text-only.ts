import { PLAIN_TEXT } from '#agent';
import type { ChannelCapabilities } from './channel-port.js';

/** A channel that takes text, one message after the other, and nothing else: where to begin from, and what stands in for one that is not there. */
export const TEXT_ONLY: ChannelCapabilities = {
  ...PLAIN_TEXT,
  immediateSend: true,
  batch: false,
  dedupe: false,
  threads: false,
  mediaIn: [],
  typing: false,
  stream: 'none',
  maxTextLength: 4000,
  lengthUnit: 'utf16',
};
