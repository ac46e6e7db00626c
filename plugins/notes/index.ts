import { defineToolPlugin, Type } from 'turnpike/plugin-sdk';

const title = Type.String({ minLength: 1, maxLength: 100, description: 'What the note is called.' });

/** A list on the wall: whoever talks to an agent of this tenant finds what another conversation has put there. */
export default defineToolPlugin({
  id: 'notes',
  name: 'Notes',
  description: 'Short notes that every session of a tenant shares.',
  configSchema: Type.Object(
    { maxNotes: Type.Integer({ minimum: 1, maximum: 1000, default: 100, description: 'Most notes of a tenant' }) },
    { additionalProperties: false },
  ),
  tools: (tool) => [
    tool({
      name: 'note_save',
      description: 'Saves a note for every conversation of this organisation, or writes it anew.',
      effect: 'idempotent',
      parameters: Type.Object({ title, text: Type.String({ minLength: 1, maxLength: 10_000 }) }),
      async execute({ title: name, text }, { maxNotes }, { storage }) {
        const names = await storage.keys();
        if (names.length >= maxNotes && !names.includes(name))
          throw new Error(`There are ${maxNotes} notes already; remove one first (note_list shows them)`);
        await storage.set(name, text);
        return `Saved "${name}".`;
      },
    }),
    tool({
      name: 'note_list',
      description: 'Lists the titles of all notes, or reads the one that is named.',
      effect: 'idempotent',
      parameters: Type.Object({ title: Type.Optional(title) }),
      async execute({ title: name }, _config, { storage }) {
        if (name === undefined) return { titles: await storage.keys() };
        const text = await storage.get(name);
        if (text === undefined) throw new Error(`There is no note "${name}"`);
        return { title: name, text };
      },
    }),
    tool({
      name: 'note_remove',
      description: 'Removes a note.',
      effect: 'idempotent',
      parameters: Type.Object({ title }),
      async execute({ title: name }, _config, { storage }) {
        await storage.delete(name);
        return `Removed "${name}".`;
      },
    }),
  ],
});
