import type { SessionSettings, SettingsPatch } from '#contracts';
import { commandHelp, type CommandName } from '#routing';
import type { AskedCommand, ControlAnswer, ControlCommand } from './control-command.js';
import type { SettingsService } from './settings.service.js';

/** What a word sets; null gives the choice back. */
export interface Switch {
  name: CommandName;
  words: Readonly<Record<string, SettingsPatch>>;
  /** The state in words. */
  says: (settings: SessionSettings) => string;
}

/** A command that shows one setting of the session, or sets it by one of a few words. */
export class SwitchCommand implements ControlCommand {
  readonly name: CommandName;

  constructor(
    private readonly settings: SettingsService,
    private readonly of: Switch,
  ) {
    this.name = of.name;
  }

  async run(asked: AskedCommand): Promise<ControlAnswer> {
    const word = asked.args.toLowerCase();
    const patch = Object.hasOwn(this.of.words, word) ? this.of.words[word] : undefined;
    if (word !== '' && !patch) return { reply: commandHelp(this.name) };
    const settings = patch ? await this.settings.change(asked, patch) : await this.settings.read(asked);
    return { reply: this.of.says(settings) };
  }
}
