import { ImageShelf, type Sight } from '#models';

/** Where no model is to be shown anything. */
export const BLIND: Sight = {
  shelf: new ImageShelf({ load: () => Promise.reject(new Error('nobody reads images here')) }),
  readsImages: () => false,
};
