/** Where a piece of text that nobody vouches for came from, and its most UTF-16 units. */
const MOST = {
  'group title': 200,
  'earlier message': 1000,
  'quoted message': 4000,
  sender: 100,
  'file name': 200,
};
export type Origin = keyof typeof MOST;

const MOST_NAME = 100;

/**
 * `<untrusted origin="quoted message" from="Bob">one line</untrusted>`. Nothing inside can close the mark or open another: `<`, `>`,
 * `&` and `"` are written as entities, and there is no second line and no invisible character (B056).
 * @param by name or id of who it is from, as they give it
 */
export function untrusted(origin: Origin, text: string, by: { from?: string; id?: string } = {}): string {
  const attributes = Object.entries(by).map(([name, value]) => ` ${name}="${escaped(oneLine(value, MOST_NAME))}"`);
  return `<untrusted origin="${origin}"${attributes.join('')}>${escaped(oneLine(text, MOST[origin]))}</untrusted>`;
}

const INVISIBLE = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]`;
const invisible = new RegExp(INVISIBLE, 'gu');
const markLike = new RegExp(
  String.raw`<(?=[\s/\p{Cf}\p{Default_Ignorable_Code_Point}]*${'untrusted'.split('').join(`${INVISIBLE}*`)})`,
  'giu',
);

/** What somebody said to the agent, as it is; only what looks like one of our marks is none. */
export function withoutMarks(text: string): string {
  return text.replace(markLike, '&lt;');
}

/** Line breaks show as `\n`. Controls, bidi marks and whatever else has no shape are left out. */
function oneLine(text: string, most: number): string {
  const visible = text
    .replace(/\r\n?|[\n\v\f\u0085\p{Zl}\p{Zp}]/gu, '\\n')
    .replace(/\t/g, ' ')
    .replace(invisible, '');
  if (visible.length <= most) return visible;
  return `${visible.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
