import { expect, test } from 'vitest';
import { parseMarkdown } from './page/markdown.js';

interface Node {
  kind?: string;
  text?: string;
  deep?: boolean;
  inline?: Node[];
  items?: Node[];
}

/** A short notation of the tree: kind(children). */
function sketch(text: string): string {
  const inside = ({ text: own, inline = [] }: Node): string =>
    own ?? inline.map((node) => (node.kind === 'text' ? node.text : `${node.kind}(${inside(node)})`)).join('');
  const blocks: Node[] = parseMarkdown(text);
  return blocks
    .map(
      (block) =>
        `${block.kind}(${block.items?.map((item) => `${item.deep ? '>' : ''}${inside(item)}`).join('|') ?? inside(block)})`,
    )
    .join(' ');
}

test.each([
  ['one\ntwo\n\nthree', 'paragraph(one\ntwo) paragraph(three)'],
  ['**bold** and *it* and _it_ and `a*b*c`', 'paragraph(bold(bold) and italic(it) and italic(it) and code(a*b*c))'],
  ['snake_case_name and 2*3*4 and a * b * c', 'paragraph(snake_case_name and 2*3*4 and a * b * c)'],
  ['**bold with *italic* in it**', 'paragraph(bold(bold with italic(italic) in it))'],
  ['- a\n  still a\n  - b\n- c', 'bullets(a\nstill a|>b|c)'],
  ['3. x\n4. y', 'ordered(x|y)'],
  ['## Title #\ntext', 'heading(Title) paragraph(text)'],
  ['> said\n> so\nnot', 'quote(said\nso) paragraph(not)'],
  ['```js\nlet *a*;\n\n- b\n```\nafter', 'code(let *a*;\n\n- b) paragraph(after)'],
  ['text\n```\nstill open', 'paragraph(text) code(still open)'],
  ['[x](https://a.example/b?c=(d) e', 'paragraph(link(x) e)'],
  ['see https://a.example/b.', 'paragraph(see link(https://a.example/b).)'],
  ['', ''],
])('OUT-3 Markdown %j', (text, tree) => {
  expect(sketch(text)).toBe(tree);
});

test.each(['[x](javascript:alert(1))', '[x](data:text/html,hi)', '<img src=x onerror=alert(1)>', '[x](//a.example)'])(
  'OUT-3 %j stays text',
  (text) => {
    expect(sketch(text)).toBe(`paragraph(${text})`);
  },
);

test('OUT-3 no text makes it slow', () => {
  for (const piece of ['**a', '[', '`', '*a ', '_a', '> ', '- ', '```\n', '[x](https://', 'https://']) {
    const began = performance.now();
    parseMarkdown(piece.repeat(Math.ceil(20_000 / piece.length)));
    expect(performance.now() - began).toBeLessThan(2_000);
  }
});
