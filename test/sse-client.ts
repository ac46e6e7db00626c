import { EventSourceParserStream, type EventSourceMessage } from 'eventsource-parser/stream';

export interface SseEvent {
  id: string | undefined;
  event: string;
  data: Record<string, unknown>;
}

/** An open stream of Server-Sent Events, read one by one. */
export class SseClient {
  private constructor(
    private readonly reader: ReadableStreamDefaultReader<EventSourceMessage>,
    private readonly controller: AbortController,
    readonly headers: Headers,
  ) {}

  static async open(
    url: string,
    token: string,
    { body, headers = {} }: { body?: object; headers?: Record<string, string> } = {},
  ): Promise<SseClient> {
    const controller = new AbortController();
    const response = await fetch(url, {
      method: body ? 'POST' : 'GET',
      headers: {
        accept: 'text/event-stream',
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body ? JSON.stringify(body) : null,
      signal: controller.signal,
    });
    if (!response.body || response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
    const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
    return new SseClient(events.getReader(), controller, response.headers);
  }

  /** undefined when the stream has ended, well or not. */
  async next(): Promise<SseEvent | undefined> {
    const { value } = await this.reader.read().catch(() => ({ value: undefined }));
    return value && { id: value.id, event: value.event ?? 'message', data: JSON.parse(value.data) as Record<string, unknown> };
  }

  /** Up to and with the first event that `wanted` names. @throws when the stream ends before */
  async until(wanted: string, found: SseEvent[] = []): Promise<SseEvent[]> {
    for (;;) {
      const event = await this.next();
      if (!event) throw new Error(`the stream ended before ${wanted}: ${JSON.stringify(found)}`);
      found.push(event);
      if (event.event === wanted) return found;
    }
  }

  close(): void {
    this.controller.abort();
  }
}

/** The text of a step, put together from its deltas; throws when one came twice or is missing. */
export function textOf(events: readonly SseEvent[]): string {
  let text = '';
  for (const { event, data } of events) {
    if (event !== 'text.delta') continue;
    if (data.offset !== text.length) throw new Error(`delta at ${String(data.offset)} after ${text.length} characters`);
    text += String(data.text);
  }
  return text;
}
