import { Injectable } from '@nestjs/common';
import { KnownTools } from '../tools/known-tools.js';
import type { AskedCommand, ControlAnswer, ControlCommand } from './control-command.js';

/** The tools of whoever asks. */
@Injectable()
export class ToolsCommand implements ControlCommand {
  readonly name = 'tools';

  constructor(private readonly known: KnownTools) {}

  async run({ envelope: { tenant, agent, target, sender } }: AskedCommand): Promise<ControlAnswer> {
    const { channel, account } = target;
    const all = await this.known.of({ tenant, agent, channel, account, sender: sender.id });
    const tools = all.filter(({ visible }) => visible);
    const reply = tools.map(({ name, description }) => `${name}: ${firstSentence(description)}`).join('\n');
    return { reply: reply || 'The agent has no tools here.', details: { tools: tools.map(({ name }) => name) } };
  }
}

function firstSentence(text: string): string {
  return /^[^]*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;
}
