import type { Envelope, Target } from '#contracts';
import type { TypingSign } from './channel-port.js';
import type { ChannelRegistry } from './channel-registry.js';

/** A platform that is slow with the sign is not worth more connections than this. */
const MOST_AT_ONCE = 64;
const TIMEOUT_MS = 3_000;
/** Ingress shows the sign when it accepts a message: a turn that is over within this needs no second one. */
const FIRST_AFTER_MS = 1_000;
/** Repeated before the platform takes it away. */
const REPEAT_AT = 0.8;

/** Where the answer to a message goes, naming the message: some platforms show the sign beside it only. */
export function answering({ target, platform }: Pick<Envelope, 'target' | 'platform'>): Target {
  return platform.messageId === null ? target : { ...target, replyTo: platform.messageId };
}

/** Shows people that an answer is being made (QU-6). Best effort: it delays nothing and fails nothing. */
export class Typing {
  private showing = 0;

  constructor(private readonly channels: ChannelRegistry) {}

  /** Shows it once, where the channel can. */
  once(target: Target): void {
    const sign = this.signOf(target);
    if (sign) this.show(sign, target);
  }

  /** Keeps showing it until it is disposed, if it is `wanted`. */
  keep(target: Target, wanted: boolean): Disposable {
    const sign = wanted ? this.signOf(target) : undefined;
    if (!sign) return { [Symbol.dispose]: () => undefined };
    let timer = setTimeout(again, FIRST_AFTER_MS, this);
    function again(typing: Typing): void {
      if (!sign) return;
      typing.show(sign, target);
      timer = setTimeout(again, sign.lastsMs * REPEAT_AT, typing);
    }
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  }

  private signOf({ channel, account }: Target): TypingSign | undefined {
    return this.channels.find(channel, account)?.outbound.typing;
  }

  private show(sign: TypingSign, target: Target): void {
    if (this.showing >= MOST_AT_ONCE) return;
    this.showing += 1;
    void sign
      .show(target, TIMEOUT_MS)
      .catch(() => undefined)
      .finally(() => (this.showing -= 1));
  }
}
