// @ts-check
import { createConnection } from 'node:net';

/** Long enough for a Redis that is busy loading its AOF: it still answers INFO. */
const ANSWER_MS = 2000;

/**
 * INFO of a Redis on this host, or undefined when nothing there answers like one. Raw, because it must work before ioredis is installed.
 * @param {number} port
 * @returns {Promise<Map<string, string> | undefined>}
 */
export function redisInfo(port) {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' });
    let answer = '';
    const end = (/** @type {Map<string, string> | undefined} */ info) => {
      socket.destroy();
      resolve(info);
    };
    socket.setTimeout(ANSWER_MS, () => end(undefined));
    socket.on('error', () => end(undefined));
    socket.on('close', () => end(undefined));
    socket.on('connect', () => socket.write('INFO\r\n'));
    socket.setEncoding('utf8').on('data', (text) => {
      answer += text;
      const [, length, body] = /^\$(\d+)\r\n([^]*)$/.exec(answer) ?? [];
      if (!length && answer.includes('\r\n')) return end(undefined);
      if (body && Buffer.byteLength(body) >= Number(length)) end(parseInfo(body));
    });
  });
}

function parseInfo(/** @type {string} */ body) {
  return new Map(body.split('\r\n').map((line) => /** @type {[string, string]} */ (line.split(/:(.*)/, 2))));
}
