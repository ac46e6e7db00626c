import { Injectable } from '@nestjs/common';
import { ConfigSource } from '#config';
import { nativeTools } from '#tools';
import type { ControlAnswer, ControlCommand } from './control-command.js';

@Injectable()
export class ToolsCommand implements ControlCommand {
  readonly name = 'tools';

  constructor(private readonly config: ConfigSource) {}

  run(): ControlAnswer {
    const tools = nativeTools(this.config.current.tools);
    const reply = tools.map(({ name, description }) => `${name}: ${firstSentence(description)}`).join('\n');
    return { reply, details: { tools: tools.map(({ name }) => name) } };
  }
}

function firstSentence(text: string): string {
  return /^[^]*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;
}
