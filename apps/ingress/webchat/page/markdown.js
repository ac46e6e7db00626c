/**
 * The small part of Markdown that models write and that can do no harm: paragraphs, headings, lists, quotes, code, bold, italic, links.
 * Everything becomes DOM text nodes: whatever the text says, it stays text.
 */

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)[^`]*$/;
const ITEM = /^( *)(?:([-*+])|(\d{1,9})[.)])\s+(.*)$/;
const HEADING = /^ {0,3}#{1,6}\s+(.*?)\s*#*$/;
const QUOTE = /^ {0,3}>\s?(.*)$/;

// The lengths are bounded so that no text makes the search quadratic.
const INLINE = new RegExp(
  [
    '(?<ticks>`+)(?<code>[^`]{1,2000})\\k<ticks>(?!`)',
    '\\*\\*(?=\\S)(?<bold>[^\\n]{0,2000}?\\S)\\*\\*',
    '(?<![\\w*])\\*(?=[^\\s*])(?<star>[^*\\n]{0,2000}?[^\\s*])\\*(?![\\w*])',
    '(?<!\\w)_(?=[^\\s_])(?<under>[^_\\n]{0,2000}?[^\\s_])_(?!\\w)',
    '\\[(?<label>[^\\]\\n]{1,500})\\]\\((?<href>(?:https?:\\/\\/|mailto:)[^\\s)]{1,2000})\\)',
    '(?<url>https?:\\/\\/[^\\s<>"\'`*]{1,2000}[^\\s<>"\'`*.,;:!?)\\]])',
  ].join('|'),
);

/**
 * Pure, so that it can be tested without a browser. A code block that is not closed yet reaches to the end: text that is
 * still streaming reads well.
 * @param {string} text
 */
export function parseMarkdown(text) {
  const lines = text.split('\n');
  const blocks = [];
  for (let at = 0; at < lines.length;) {
    const { block, next } = blockAt(lines, at);
    if (block) blocks.push(block);
    at = next;
  }
  return blocks;
}

function blockAt(lines, at) {
  const line = lines[at];
  if (line.trim() === '') return { next: at + 1 };
  const fence = FENCE.exec(line);
  if (fence) return codeAt(lines, at, fence);
  if (ITEM.test(line)) return listAt(lines, at);
  const heading = HEADING.exec(line);
  if (heading) return { block: { kind: 'heading', inline: parseInline(heading[1]) }, next: at + 1 };
  const starts = (other) => FENCE.test(other) || ITEM.test(other) || HEADING.test(other);
  if (QUOTE.test(line)) {
    const next = runEnd(lines, at, (other) => QUOTE.test(other));
    const inner = lines.slice(at, next).map((quoted) => QUOTE.exec(quoted)[1]);
    return { block: { kind: 'quote', inline: parseInline(inner.join('\n')) }, next };
  }
  const next = runEnd(lines, at, (other, index) => index === at || (other.trim() !== '' && !starts(other) && !QUOTE.test(other)));
  return { block: { kind: 'paragraph', inline: parseInline(lines.slice(at, next).join('\n')) }, next };
}

function codeAt(lines, at, [, fence, language]) {
  const close = lines.findIndex((line, index) => index > at && line.trim().startsWith(fence));
  const end = close === -1 ? lines.length : close;
  return { block: { kind: 'code', language, text: lines.slice(at + 1, end).join('\n') }, next: end + 1 };
}

/** Lines indented below an item belong to it; deeper items stay in the same list, one level in. */
function listAt(lines, at) {
  const first = ITEM.exec(lines[at]);
  const items = [];
  let next = at;
  for (; next < lines.length; next += 1) {
    const item = ITEM.exec(lines[next]);
    if (item) items.push({ deep: item[1].length > first[1].length, text: item[4] });
    else if (/^\s+\S/.test(lines[next])) items.at(-1).text += `\n${lines[next].trim()}`;
    else break;
  }
  const block = { kind: first[3] ? 'ordered' : 'bullets', start: Number(first[3] ?? 1), items: [] };
  for (const { deep, text } of items) block.items.push({ deep, inline: parseInline(text) });
  return { block, next };
}

function runEnd(lines, from, belongs) {
  let end = from;
  while (end < lines.length && belongs(lines[end], end)) end += 1;
  return end;
}

function parseInline(text) {
  const nodes = [];
  let rest = text;
  for (let match = INLINE.exec(rest); match; match = INLINE.exec(rest)) {
    if (match.index > 0) nodes.push({ kind: 'text', text: rest.slice(0, match.index) });
    nodes.push(inlineNode(match.groups));
    rest = rest.slice(match.index + match[0].length);
  }
  if (rest) nodes.push({ kind: 'text', text: rest });
  return nodes;
}

function inlineNode({ code, bold, star, under, label, href, url }) {
  if (code !== undefined) return { kind: 'code', text: code };
  if (bold !== undefined) return { kind: 'bold', inline: parseInline(bold) };
  if (url !== undefined) return { kind: 'link', href: url, inline: [{ kind: 'text', text: url }] };
  if (href !== undefined) return { kind: 'link', href, inline: [{ kind: 'text', text: label }] };
  return { kind: 'italic', inline: parseInline(star ?? under) };
}

/** @param {string} text */
export function renderMarkdown(text) {
  const fragment = document.createDocumentFragment();
  for (const block of parseMarkdown(text)) fragment.append(blockNode(block));
  return fragment;
}

function blockNode(block) {
  switch (block.kind) {
    case 'code': {
      const pre = element('pre', [element('code', [block.text])]);
      pre.tabIndex = 0;
      if (block.language) pre.dataset.language = block.language;
      return pre;
    }
    case 'ordered':
    case 'bullets': {
      const list = element(block.kind === 'ordered' ? 'ol' : 'ul', block.items.map(itemNode));
      if (block.kind === 'ordered') list.start = block.start;
      return list;
    }
    case 'quote':
      return element('blockquote', block.inline.map(inlineElement));
    default:
      return element(
        'p',
        block.kind === 'heading' ? [element('strong', block.inline.map(inlineElement))] : block.inline.map(inlineElement),
      );
  }
}

function itemNode({ deep, inline }) {
  const item = element('li', inline.map(inlineElement));
  if (deep) item.className = 'deep';
  return item;
}

function inlineElement(node) {
  switch (node.kind) {
    case 'text':
      return document.createTextNode(node.text);
    case 'code':
      return element('code', [node.text]);
    case 'link': {
      const link = element('a', node.inline.map(inlineElement));
      link.href = node.href;
      link.rel = 'noopener noreferrer';
      link.target = '_blank';
      return link;
    }
    default:
      return element(node.kind === 'bold' ? 'strong' : 'em', node.inline.map(inlineElement));
  }
}

function element(tag, children) {
  const node = document.createElement(tag);
  node.append(...children);
  return node;
}
