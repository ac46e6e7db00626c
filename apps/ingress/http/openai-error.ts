import type { Problem } from './problem.js';

/** What clients of OpenAI's API look for in place of our codes. */
const CODES: Readonly<Record<string, string>> = {
  unauthorized: 'invalid_api_key',
  'too-many-requests': 'rate_limit_exceeded',
};

/** Whether the clients of this path read errors as OpenAI writes them (IN-9), also where there is no such route. */
export function speaksOpenAi(path: string): boolean {
  return path.startsWith('/v1/');
}

/** https://platform.openai.com/docs/guides/error-codes; `param` is the field at fault. */
export function openAiError({ status, code, detail, options: { errors } }: Problem) {
  return {
    message: detail,
    type: typeOf(status),
    param: errors?.[0]?.path || null,
    code: CODES[code] ?? code.replaceAll('-', '_'),
  };
}

function typeOf(status: number): string {
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}
