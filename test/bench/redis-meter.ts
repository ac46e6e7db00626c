import { Redis } from 'ioredis';

/**
 * Counts what a process writes to Redis, over all of its connections.
 *
 * A round trip begins with a command that is written after a reply has come in: whatever is written in one go, on any connection,
 * is one. That is what the code waits for if one message at a time is under way; with more, they overlap and the count is too low.
 * BullMQ's blocking wait for new work is no round trip of any message.
 */
export class RedisMeter {
  sent = 0;
  roundTrips = 0;
  private replied = true;

  /** Before any connection is made. Round trips cost a little to count, so they are counted only where asked for. */
  static install(roundTrips: boolean): RedisMeter {
    const meter = new RedisMeter();
    const send = Redis.prototype.sendCommand;
    Redis.prototype.sendCommand = function (command, stream) {
      meter.sent++;
      if (roundTrips) meter.countRoundTrip(command);
      return send.call(this, command, stream);
    };
    return meter;
  }

  private countRoundTrip({ name, promise }: { name: string; promise: Promise<unknown> }): void {
    if (name === 'bzpopmin') return;
    if (this.replied) this.roundTrips++;
    this.replied = false;
    const replied = (): void => void (this.replied = true);
    promise.then(replied, replied);
  }
}
