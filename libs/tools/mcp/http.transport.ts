import { SSEClientTransport, StreamableHTTPClientTransport, type FetchLike, type Transport } from '@modelcontextprotocol/client';
import type { McpTarget } from '#config';

/** A lost listening stream is opened again for as long as the connection is used, at most every half minute. */
const RECONNECTION = {
  initialReconnectionDelay: 1000,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 1.5,
  maxRetries: Number.MAX_SAFE_INTEGER,
};

type HttpTarget = Extract<McpTarget, { url: string }>;

/** MCP over HTTP, of either kind. Redirects to another origin are not followed: they would get the headers. */
export function httpTransport({ type, url, headers }: HttpTarget, maxMessageBytes: number): Transport {
  const options = { requestInit: { headers }, fetch: boundedFetch(maxMessageBytes) };
  if (type === 'sse') return new SSEClientTransport(new URL(url), options);
  return new StreamableHTTPClientTransport(new URL(url), { ...options, reconnectionOptions: RECONNECTION });
}

/** `fetch` whose bodies end with an error before they fill the memory: a JSON body as a whole, a stream by each of its events. */
function boundedFetch(limit: number): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (!response.body) return response;
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false;
    const { status, statusText } = response;
    const bounded = new Response(response.body.pipeThrough(bound(limit, isStream)), {
      status,
      statusText,
      headers: response.headers,
    });
    // The SDK tells a redirect by it, and a Response that is made by hand has none.
    Object.defineProperty(bounded, 'url', { value: response.url });
    return bounded;
  };
}

const NEWLINE = 10;

function bound(limit: number, perEvent: boolean): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      // An event ends with a blank line; its lines are a few, so the last line break of a chunk says enough.
      const fresh = perEvent ? chunk.lastIndexOf(NEWLINE) : -1;
      bytes = fresh === -1 ? bytes + chunk.length : chunk.length - fresh - 1;
      if (bytes > limit) controller.error(new Error(`The server sent a message of more than ${limit} bytes`));
      else controller.enqueue(chunk);
    },
  });
}
