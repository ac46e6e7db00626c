import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { raceSignal, TerminalError, TransientError } from '#kernel';
import type { Downloaded, DownloadLimits } from '../channel-port.js';
import { isPublicAddress } from './public-address.js';

const MAX_REDIRECTS = 3;

export interface MediaSource {
  url: string;
  /** A platform's token, say. Sent to the origin of `url` alone, not to where it redirects. */
  headers?: Record<string, string>;
}

/** All addresses of a host. */
export type ResolveHost = (host: string) => Promise<LookupAddress[]>;

export interface MediaFetchOptions {
  /** Origins that the operator named himself: these may be inside the network, and speak plain http. */
  trustedOrigins?: readonly string[];
  resolve?: ResolveHost;
}

/**
 * Fetches what a stranger's message or a model points to, and nothing else: https only, from public addresses only. The
 * address that was judged is the one that is connected to, so a name that changes in between gains nothing. Each redirect is
 * judged anew. Used by channels, for what comes in and for what they have to upload.
 */
export class MediaFetch {
  private readonly trusted: ReadonlySet<string>;
  private readonly resolve: ResolveHost;

  constructor({ trustedOrigins = [], resolve = (host) => lookup(host, { all: true }) }: MediaFetchOptions = {}) {
    this.trusted = new Set(trustedOrigins);
    this.resolve = resolve;
  }

  /**
   * Messages name the host, never the path: it may hold a token.
   * @throws TerminalError `media_refused` too large, gone, not public; TransientError `media_unavailable`; the signal's reason
   */
  async fetch(source: MediaSource, { maxBytes, timeoutMs }: DownloadLimits, signal: AbortSignal): Promise<Downloaded> {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    let url = parseUrl(source.url);
    let headers = source.headers ?? {};
    try {
      for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
        const response = await this.open(url, headers, deadline);
        const next = redirectOf(response, url);
        if (!next) return await received(response, url, maxBytes);
        response.destroy();
        if (next.origin !== url.origin) headers = {};
        url = next;
      }
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof TerminalError || error instanceof TransientError ? error : unavailable(url, codeOf(error, deadline));
    }
    throw refused(url, `redirects more than ${MAX_REDIRECTS} times`);
  }

  private async open(url: URL, headers: Record<string, string>, signal: AbortSignal): Promise<IncomingMessage> {
    const addresses = await this.addressesOf(url, signal);
    const request = url.protocol === 'https:' ? requestHttps : requestHttp;
    return new Promise((resolve, reject) => {
      const options = { headers: { ...headers, 'accept-encoding': 'identity' }, agent: false, lookup: given(addresses), signal };
      request(url, options).once('response', resolve).once('error', reject).end();
    });
  }

  /** All judged before one of them is connected to. */
  private async addressesOf(url: URL, signal: AbortSignal): Promise<Addresses> {
    const isTrusted = this.trusted.has(url.origin);
    if (!isTrusted && url.protocol !== 'https:') throw refused(url, 'is not https');
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    const family = isIP(host);
    const found = family === 0 ? await raceSignal(this.resolve(host), signal) : [{ address: host, family }];
    const [first, ...rest] = found;
    if (!first) throw unavailable(url, 'the name has no address');
    if (!isTrusted && !found.every(({ address }) => isPublicAddress(address)))
      throw refused(url, 'is no address of the internet');
    return [first, ...rest];
  }
}

type Addresses = [LookupAddress, ...LookupAddress[]];

function given(addresses: Addresses): LookupFunction {
  const [{ address, family }] = addresses;
  return (_host, { all }, callback) => (all ? callback(null, addresses) : callback(null, address, family));
}

function parseUrl(text: string): URL {
  if (!URL.canParse(text)) throw new TerminalError('media_refused', 'The address of the media is not a URL');
  return new URL(text);
}

function redirectOf({ statusCode = 0, headers: { location } }: IncomingMessage, from: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(statusCode) || location === undefined) return undefined;
  return URL.canParse(location, from.href) ? new URL(location, from) : undefined;
}

async function received(response: IncomingMessage, url: URL, maxBytes: number): Promise<Downloaded> {
  const { statusCode = 0, headers } = response;
  if (statusCode !== 200) {
    response.destroy();
    const mayWork = statusCode >= 500 || statusCode === 429 || statusCode === 408;
    throw mayWork ? unavailable(url, `answered ${statusCode}`) : refused(url, `answered ${statusCode}`);
  }
  const bytes = await bounded(response, url, maxBytes);
  const mime = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  const name = decodeName(url.pathname.split('/').at(-1) ?? '');
  return { bytes, ...(mime && { mime }), ...(name && { name }) };
}

async function bounded(response: IncomingMessage, url: URL, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => refused(url, `has more than ${maxBytes} bytes`);
  const parts: Buffer[] = [];
  let length = 0;
  try {
    if (Number(response.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
    for await (const part of response) {
      length += part.length;
      if (length > maxBytes) throw tooLarge();
      parts.push(part);
    }
  } finally {
    response.destroy();
  }
  if (!response.complete) throw unavailable(url, 'broke off');
  return Buffer.concat(parts, length);
}

function decodeName(encoded: string): string {
  try {
    return decodeURIComponent(encoded).replace(/[/\\\p{Cc}]/gu, '_');
  } catch {
    return '';
  }
}

const refused = ({ host }: URL, why: string) =>
  new TerminalError('media_refused', `The media of ${host} is not taken: it ${why}`);

const unavailable = ({ host }: URL, why: string) =>
  new TransientError('media_unavailable', `The media of ${host} did not come: ${why}`);

function codeOf(error: unknown, deadline?: AbortSignal): string {
  if (deadline?.aborted) return 'timeout';
  if (typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.name : 'failed';
}
