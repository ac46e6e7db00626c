const TAGS = new Set(['b', 'strong', 'i', 'em', 'u', 's', 'code', 'pre', 'a', 'blockquote', 'tg-spoiler']);
const NAMED: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"' };
const TOKEN = /<(\/?)([a-z][a-z-]*)((?: [a-z]+="[^"<>]*")?)>|&(#\d+|#x[\da-f]+|[a-z]+);|([<&])|[^<&]+/gi;

/**
 * Telegram's HTML dialect as its server reads it: the text that is left after the tags, and what of it is in `<pre>`.
 * Throws where the Bot API answers "can't parse entities": unknown or unbalanced tags, unknown entities, a bare `<` or `&`.
 */
export function readTelegramHtml(html: string): { text: string; code: string } {
  const open: string[] = [];
  let text = '';
  let code = '';
  const show = (words: string) => {
    text += words;
    if (open.includes('pre')) code += words;
  };
  for (const [token, slash, tag, attribute, entity, bare] of html.matchAll(TOKEN)) {
    if (bare !== undefined) throw new Error(`bare ${bare}`);
    else if (entity !== undefined) show(decode(entity));
    else if (tag === undefined) show(token);
    else if (slash) {
      if (open.pop() !== tag || attribute) throw new Error(`unexpected ${token}`);
    } else {
      if (!TAGS.has(tag)) throw new Error(`unsupported tag ${tag}`);
      if (tag === 'blockquote' && open.includes(tag)) throw new Error('nested blockquote');
      open.push(tag);
    }
  }
  if (open.length > 0) throw new Error(`${open.join(', ')} not closed`);
  return { text, code };
}

function decode(entity: string): string {
  if (entity.startsWith('#x')) return String.fromCodePoint(Number.parseInt(entity.slice(2), 16));
  if (entity.startsWith('#')) return String.fromCodePoint(Number(entity.slice(1)));
  const character = NAMED[entity];
  if (character === undefined) throw new Error(`unknown entity ${entity}`);
  return character;
}
