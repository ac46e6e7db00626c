import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../access/route-access.js';
import { Problem } from '../http/problem.js';

interface PageFile {
  type: string;
  etag: string;
  bytes: Buffer;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Nothing but this server's own files and socket, and images that somebody asks to see; no inline script; in nobody's frame. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  // A new release is seen at once; unchanged files cost a 304.
  'cache-control': 'no-cache',
};

const files = readPage(join(import.meta.dirname, 'page'));

/** The web chat page. It holds no secret: whoever opens it is asked for a token. */
@Controller()
export class PageController {
  @Public()
  @Get()
  index(@Req() request: FastifyRequest, @Res() reply: FastifyReply): FastifyReply {
    return serve('index.html', request, reply);
  }

  @Public()
  @Get('webchat/:file')
  file(@Param('file') name: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): FastifyReply {
    return serve(name, request, reply);
  }
}

function serve(name: string, { headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const file = files.get(name);
  if (!file) throw new Problem(404, 'no-such-file', 'The web chat has no such file; it starts at /.');
  void reply.headers({ ...HEADERS, etag: file.etag });
  return headers['if-none-match'] === file.etag ? reply.status(304).send() : reply.type(file.type).send(file.bytes);
}

/** All of them, once: what is served is a name in this map and never a path. */
function readPage(folder: string): ReadonlyMap<string, PageFile> {
  const names = readdirSync(folder).filter((name) => extname(name) in TYPES);
  return new Map(
    names.map((name) => {
      const bytes = readFileSync(join(folder, name));
      const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
      return [name, { bytes, etag, type: TYPES[extname(name)] ?? 'application/octet-stream' }];
    }),
  );
}
