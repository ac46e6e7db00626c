import type { ModelRequest, SeenImage } from '#agent';
import type { UserMessage } from '#contracts';

const BLIND = { unseen: 'this model reads no images' };
const WRONG_KIND = { unseen: 'this model does not read images of its kind' };

export interface UserParts {
  text: string;
  images: readonly SeenImage[];
}

/**
 * What a user said and showed, for the model that is asked: of each image that it does not see, the text says so and why (MO-4).
 * @param kinds that the wire takes; default all
 */
export function userParts(
  { text, images = [] }: UserMessage,
  imageOf: ModelRequest['imageOf'],
  kinds?: readonly SeenImage['mime'][],
): UserParts {
  const views = images.map((image) => {
    const view = imageOf?.(image) ?? BLIND;
    return 'unseen' in view || !kinds || kinds.includes(view.mime) ? view : WRONG_KIND;
  });
  const notes = views.flatMap((view, nth) => ('unseen' in view ? [`[Image ${nth + 1} is not shown: ${view.unseen}.]`] : []));
  return { text: [text, ...notes].join('\n'), images: views.flatMap((view) => ('unseen' in view ? [] : [view])) };
}

export function dataUrl({ mime, base64 }: SeenImage): string {
  return `data:${mime};base64,${base64}`;
}
