import { Controller, HttpCode, Post } from '@nestjs/common';
import { ConfigError, ConfigSource } from '#config';
import { ControlPublisher, Platform } from '#host';
import { AdminOnly } from '../access/route-access.js';
import { Problem } from '../http/problem.js';

/** Makes every process read its configuration again, without a restart (OP-6). */
@Controller('api/config')
export class ConfigController {
  constructor(
    private readonly source: ConfigSource,
    private readonly publisher: ControlPublisher,
    private readonly platform: Platform,
  ) {}

  /**
   * Read here first: one that cannot be used changes nothing anywhere. Other processes read their own file; what they make
   * of it is in their logs.
   * @throws Problem 422 with everything that is wrong
   */
  @Post('reload')
  @AdminOnly()
  @HttpCode(200)
  async reload(): Promise<{ needRestart: string[] }> {
    try {
      const { needRestart } = this.source.reload();
      // A runner that misses the hint reads its file at its next turn.
      await this.platform.catalog.bump();
      this.publisher.configChanged();
      return { needRestart };
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const detail = 'The configuration cannot be used; the old one stays in force, here and everywhere.';
      throw new Problem(422, 'bad-configuration', detail, { errors: [...error.problems] });
    }
  }
}
