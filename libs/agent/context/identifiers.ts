/** More would be a list, not a summary; the newest count. */
const MOST = 40;
const LONGEST = 200;

/** What cannot be guessed again once it is lost: links, mail addresses, UUIDs, hashes, ticket keys, paths, long numbers. */
const IDENTIFIER = new RegExp(
  [
    String.raw`https?:\/\/[^\s<>"'）)\]]+`,
    String.raw`[\w.+-]+@[\w-]+(?:\.[\w-]+)+`,
    String.raw`\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b`,
    String.raw`\b[A-Z][A-Z0-9]+-\d+\b`,
    String.raw`#\d+\b`,
    String.raw`(?<![\w/])(?:~|\.{1,2})?\/[\w.-]+(?:\/[\w.-]+)+`,
    String.raw`\b(?=[0-9a-fA-F]*\d)[0-9a-fA-F]{7,64}\b`,
  ].join('|'),
  'g',
);

/** In the order in which they were last written; each once. */
export function identifiersIn(text: string): string[] {
  const found = new Set<string>();
  for (const [match] of text.matchAll(IDENTIFIER)) {
    const identifier = match.replace(/[.,;:!?。，；：！？]+$/, '');
    if (identifier.length > LONGEST) continue;
    found.delete(identifier);
    found.add(identifier);
  }
  return [...found].slice(-MOST);
}
