import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from './problem.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Replaces Fastify's parsers: JSON for the API, the untouched bytes for routes that verify a signature over them (B078). */
export function installBodyParser(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) =>
    request.routeOptions.config?.rawBody ? body : parseJson(body),
  );
}

/** Before a byte of the body is read. @throws Problem 415 */
export function refuseOtherTypes({ headers, routeOptions }: FastifyRequest): void {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (!hasBody || routeOptions.config?.rawBody) return;
  if (headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() !== 'application/json') {
    throw new Problem(415, 'not-json', 'Send JSON, with the header Content-Type: application/json.');
  }
  if (headers['content-encoding'] !== undefined)
    throw new Problem(415, 'encoded', 'Send the body as it is, without Content-Encoding.');
}

function parseJson(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(utf8.decode(body));
  } catch (error) {
    throw new Problem(400, 'malformed-json', `The body is not valid JSON in UTF-8: ${String(error)}`);
  }
}
