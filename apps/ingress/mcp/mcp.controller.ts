import { All, Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { answerMcp } from '#tools';
import type { Caller } from '../access/callers.js';
import { FromCaller } from '../access/route-access.js';
import { Stopping } from '../http/stopping.js';
import { goneSignal } from '../invoke/connected-invocation.js';
import { SessionTools } from './session-tools.service.js';

/** Of what is served, not of Turnpike: clients show it. */
const VERSION = '1';

/** Sessions and agents for MCP clients, over streamable HTTP and with the tokens of the API (TO-11). Any replica answers. */
@Controller('mcp')
export class McpController {
  constructor(
    private readonly tools: SessionTools,
    private readonly stopping: Stopping,
  ) {}

  @All()
  async answer(@FromCaller() caller: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { method, url, headers, body } = request;
    const signal = AbortSignal.any([goneSignal(reply), this.stopping.signal]);
    const given = Object.entries(headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((one): [string, string] => [name, one]),
    );
    const asked = new Request(new URL(url, 'http://turnpike'), {
      method,
      headers: given,
      signal,
      ...(method === 'POST' && { body: JSON.stringify(body) }),
    });
    const answer = await answerMcp(this.tools.all, { caller, reply }, { request: asked, body, version: VERSION });
    void reply.status(answer.status).headers(Object.fromEntries(answer.headers));
    await reply.send(answer.body ? Readable.fromWeb(answer.body) : '');
  }
}
