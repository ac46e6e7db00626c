/** A command that acts at once, past the mailbox: it must work while a turn runs (RT-4). */
export interface ControlCommand {
  command: 'stop';
}

const STOP = /^(?:\/stop(?:@\w+)?|停止?)$/i;

/** `/stop`, `/stop@bot`, `停` or `停止` and nothing else; a sentence that begins with it is a message. */
export function controlCommand(text: string): ControlCommand | undefined {
  return STOP.test(text.trim()) ? { command: 'stop' } : undefined;
}
