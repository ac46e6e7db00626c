import { EventSourceParserStream } from 'eventsource-parser/stream';
import { turnEventSchema, type TurnEvent } from '#contracts';
import { backoffMs, delay } from '#kernel';
import type { ApiClient } from './api-client.js';
import { CliError, EXIT } from './cli-error.js';

/** Tries without one event in between. */
const MOST_TRIES = 12;

/**
 * The events of a session from the moment it resolves, until `signal` fires (then the stream ends). A broken connection is taken up
 * behind the last event. Rejects, or ends the stream, with a CliError when nobody answers for minutes or access is refused.
 */
export async function followEvents(api: ApiClient, signal: AbortSignal): Promise<AsyncGenerator<TurnEvent, void, void>> {
  const response = await api.events(undefined, signal);
  return readAndReconnect(api, response, signal);
}

async function* readAndReconnect(api: ApiClient, first: Response, signal: AbortSignal): AsyncGenerator<TurnEvent, void, void> {
  const position: Position = { cursor: undefined, failures: 0 };
  for (let response: Response | undefined = first; ; response = await reopen(api, position, signal)) {
    if (response) yield* readEvents(response, position, signal);
    if (signal.aborted) return;
  }
}

interface Position {
  cursor: string | undefined;
  failures: number;
}

async function* readEvents(response: Response, position: Position, signal: AbortSignal): AsyncGenerator<TurnEvent, void, void> {
  const stream = response.body
    ?.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream({ onId: (id) => (position.cursor = id) }));
  try {
    for await (const { event: type, data } of stream ?? []) {
      position.failures = 0;
      const event = parseEvent(type, data);
      if (event) yield event;
    }
  } catch (error) {
    // The connection broke, which the next one mends; whatever the reader threw is not ours.
    if (!signal.aborted && !(error instanceof TypeError)) throw error;
  }
}

/** undefined for an event of a newer server. */
function parseEvent(type: string | undefined, data: string): TurnEvent | undefined {
  try {
    const body: unknown = JSON.parse(data);
    return turnEventSchema.safeParse({ type, ...(body as object) }).data;
  } catch {
    return undefined;
  }
}

async function reopen(api: ApiClient, position: Position, signal: AbortSignal): Promise<Response | undefined> {
  position.failures += 1;
  try {
    await delay(backoffMs(position.failures), signal);
    return await api.events(position.cursor, signal);
  } catch (error) {
    if (signal.aborted) return undefined;
    const passes = error instanceof CliError && error.exitCode === EXIT.unavailable;
    if (!passes || position.failures >= MOST_TRIES) throw error;
    return undefined;
  }
}
