import type { Button, ShownPark } from '#contracts';

/** What a person reads who is asked. The code works where there are no buttons, and days later. */
export function parkNotice({ code, kind, title, choices }: ShownPark): string {
  if (kind === 'approval') return `${title}\n\nAllow it with /approve ${code} yes, refuse with /approve ${code} no.`;
  const numbered = choices.map((choice, index) => `${index + 1}. ${choice}`);
  const how = `Answer with /answer ${code} and your answer${choices.length > 0 ? ' or its number' : ''}.`;
  return [title, ...(numbered.length > 0 ? [numbered.join('\n')] : []), how].join('\n\n');
}

/** Each sends the command one would type. */
export function parkButtons({ code, kind, choices }: ShownPark): Button[] {
  if (kind === 'question') return choices.map((text, index) => ({ text, data: `/answer ${code} ${index + 1}` }));
  return [
    { text: 'Allow', data: `/approve ${code} yes` },
    { text: 'Refuse', data: `/approve ${code} no` },
  ];
}
