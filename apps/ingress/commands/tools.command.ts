import { Injectable } from '@nestjs/common';
import { ConfigSource } from '#config';
import { Platform } from '#host';
import { nativeTools } from '#tools';
import type { ControlAnswer, ControlCommand } from './control-command.js';

/** The catalog as the runners have built it; before any of them has, the tools of Turnpike itself. */
@Injectable()
export class ToolsCommand implements ControlCommand {
  readonly name = 'tools';

  constructor(
    private readonly config: ConfigSource,
    private readonly platform: Platform,
  ) {}

  async run(): Promise<ControlAnswer> {
    const tools = (await this.platform.catalog.published()) ?? nativeTools(this.config.current.tools);
    const reply = tools.map(({ name, description }) => `${name}: ${firstSentence(description)}`).join('\n');
    return { reply, details: { tools: tools.map(({ name }) => name) } };
  }
}

function firstSentence(text: string): string {
  return /^[^]*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;
}
