const CENSOR = '***';
/** Replacing a value this short would make lines unreadable and protect nothing. */
const SHORTEST = 6;

/** Takes the secrets of a configuration out of texts that are meant for people: an error may quote an address with a token in it. */
export class Redactor {
  private secrets = new Set<string>();
  /** As others may write them; longest first, so that no part of a longer one is left. */
  private forms: readonly string[] = [];

  constructor(secrets: Iterable<string> = []) {
    this.learn(secrets);
  }

  /** More of them, from now on: those of before may still be in use. */
  learn(secrets: Iterable<string>): void {
    this.secrets = new Set([...this.secrets, ...secrets]);
    const forms = new Set([...this.secrets].filter(({ length }) => length >= SHORTEST).flatMap(formsOf));
    this.forms = [...forms].toSorted((one, other) => other.length - one.length);
  }

  clean(text: string): string {
    return this.forms.reduce((left, form) => (left.includes(form) ? left.replaceAll(form, CENSOR) : left), text);
  }
}

/** As it is, in JSON three deep (a line that quotes an answer that quotes a request), in an address, in base64. */
function formsOf(secret: string): string[] {
  const once = inJson(secret);
  const twice = inJson(once);
  const base64 = Buffer.from(secret).toString('base64').replaceAll('=', '');
  return [secret, once, twice, inJson(twice), encodeURIComponent(secret), base64];
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
