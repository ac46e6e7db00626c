import type { Provider } from '@nestjs/common';
import { ControlRegistry } from './control-registry.js';
import type { ControlCommand } from './control-command.js';
import { AnswerCommand } from './answer.command.js';
import { ApproveCommand } from './approve.command.js';
import { HelpCommand } from './help.command.js';
import { ModelsCommand } from './models.command.js';
import { QueueCommand } from './queue.command.js';
import { SessionFacts } from './session-facts.js';
import { SettingsService } from './settings.service.js';
import { StatusCommand } from './status.command.js';
import { SteerCommand } from './steer.command.js';
import { StopCommand } from './stop.command.js';
import { SwitchCommand } from './switch.command.js';
import { SWITCHES } from './switches.js';
import { ToolsCommand } from './tools.command.js';
import { UsageCommand } from './usage.command.js';
import { WhoamiCommand } from './whoami.command.js';

const COMMANDS = [
  AnswerCommand,
  ApproveCommand,
  HelpCommand,
  ModelsCommand,
  QueueCommand,
  StatusCommand,
  SteerCommand,
  StopCommand,
  ToolsCommand,
  UsageCommand,
  WhoamiCommand,
];

const registry: Provider = {
  provide: ControlRegistry,
  inject: [SettingsService, ...COMMANDS],
  useFactory: (settings: SettingsService, ...commands: ControlCommand[]) =>
    new ControlRegistry([...commands, ...SWITCHES.map((each) => new SwitchCommand(settings, each))]),
};

export const CONTROL_COMMANDS: Provider[] = [SessionFacts, SettingsService, ...COMMANDS, registry];
