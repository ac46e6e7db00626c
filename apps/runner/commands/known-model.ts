import { TerminalError } from '#kernel';
import type { ModelRegistry } from '#models';

/** What is wrong with the name of a model; undefined when it can be used. */
export function unknownModel(models: ModelRegistry, name: string): string | undefined {
  try {
    models.resolve(name);
    return undefined;
  } catch (error) {
    if (error instanceof TerminalError) return `${error.message} Nothing has changed.`;
    throw error;
  }
}
