import { ConfigError, loadConfig, type Config } from '#config';
import { CliError, EXIT } from './cli-error.js';

/** As the processes read it; that there is no admin token is their concern. @param file else TURNPIKE_CONFIG, else ./turnpike.json5 */
export function localConfig(file: string | undefined): Config {
  try {
    return loadConfig({ standalone: true, ...(file !== undefined && { file }) });
  } catch (error) {
    if (error instanceof ConfigError) throw new CliError(EXIT.error, error.message, { cause: error });
    throw error;
  }
}
