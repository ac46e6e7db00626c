/** One part of a form as it was uploaded. */
export interface FormPart {
  name: string;
  /** Of a file. */
  fileName: string | undefined;
  mime: string | undefined;
  bytes: Buffer;
}

/** Reads multipart/form-data; undefined when it is something else. */
export function readMultipart(contentType: string | undefined, body: Buffer): FormPart[] | undefined {
  const boundary = /^multipart\/form-data;.*boundary="?([^";]+)/i.exec(contentType ?? '')?.[1];
  if (boundary === undefined) return undefined;
  return body
    .toString('latin1')
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const end = part.indexOf('\r\n\r\n');
      const head = Buffer.from(part.slice(0, end), 'latin1').toString('utf8');
      return {
        name: /; name="([^"]*)"/.exec(head)?.[1] ?? '',
        fileName: /; filename="([^"]*)"/.exec(head)?.[1],
        mime: /^content-type: *(\S+)/im.exec(head)?.[1],
        bytes: Buffer.from(part.slice(end + 4, -2), 'latin1'),
      };
    });
}
