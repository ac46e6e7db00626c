/** An approved message template, by which one may write to whoever has not written for 24 hours. */
export interface WhatsAppTemplate {
  name: string;
  /** As approved, e.g. `en_US`. */
  language: string;
  /** Its body has one variable, which takes the begin of the message. */
  withText: boolean;
}

/** A body holds 1024 with its own words, and a variable no line break, tab, or more than four blanks in a row. */
const MOST_TEXT = 700;

export function templateOf({ name, language, withText }: WhatsAppTemplate, text: string): Record<string, unknown> {
  const line = text.replace(/\s+/g, ' ').trim();
  const shown =
    line.length > MOST_TEXT
      ? `${line
          .slice(0, MOST_TEXT)
          .replace(/\s\S*$/, '')
          .toWellFormed()}…`
      : line;
  const components = [{ type: 'body', parameters: [{ type: 'text', text: shown }] }];
  return { type: 'template', template: { name, language: { code: language }, ...(withText && { components }) } };
}
