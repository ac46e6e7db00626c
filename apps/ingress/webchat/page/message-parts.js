import { renderMarkdown } from './markdown.js';

const MOST_QUOTED = 120;

/** What a message of the agent shows, from top to bottom. @param {(id: string) => string} textOf for what it answers */
export function messageParts(entry, textOf) {
  const { text, replyTo, media = [], reaction, edited, deleted } = entry;
  if (deleted) return [label('deleted')];
  return [
    ...quoted(replyTo && textOf(replyTo)),
    ...(text ? [renderMarkdown(text)] : []),
    ...media.map(attachment),
    ...(edited ? [label('edited')] : []),
    ...reacted(reaction),
  ];
}

/** The agent's reaction, under what it is about. */
export function reacted(reaction) {
  if (!reaction) return [];
  const node = element('span', 'reaction', reaction);
  node.append(element('span', 'unseen', ', reaction'));
  return [node];
}

export function label(text) {
  return element('span', 'label', text);
}

export function button(text, onclick) {
  return Object.assign(element('button', '', text), { type: 'button', onclick });
}

export function choices(nodes) {
  const line = element('div', 'choices');
  line.append(...nodes);
  return line;
}

function quoted(text) {
  if (!text) return [];
  return [element('div', 'quoted', text.length > MOST_QUOTED ? `${text.slice(0, MOST_QUOTED)}…` : text)];
}

/** Nothing is fetched from elsewhere before somebody asks for it: an address may be made to tell what the agent knows. */
function attachment({ type, url, name, caption }) {
  const figure = element('figure', 'media');
  const line = element('div');
  const link = Object.assign(element('a', '', name || new URL(url).hostname), {
    href: url,
    target: '_blank',
    rel: 'noopener noreferrer',
  });
  line.append(label(type), link);
  if (type === 'image') line.append(button('Show', () => line.replaceWith(image(url, caption || name))));
  figure.append(line, ...(caption ? [element('figcaption', '', caption)] : []));
  return figure;
}

function image(url, alt = '') {
  return Object.assign(document.createElement('img'), { src: url, alt, referrerPolicy: 'no-referrer' });
}

function element(tag, className = '', textContent = '') {
  return Object.assign(document.createElement(tag), { className, textContent });
}
