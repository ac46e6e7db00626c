import { describe, expect, test } from 'vitest';
import { PLAIN_TEXT, type MessageAbilities, type SendRequest, type SendState, type ToolContext } from '#agent';
import type { Receipt } from '#contracts';
import { messageTool, type MessageToolConfig } from './message.tool.js';

const receipt = (state: Receipt['state'], rest: Partial<Receipt> = {}): Receipt => ({
  state,
  platformIds: [],
  at: 1705315800123,
  possibleDuplicate: false,
  ...rest,
});
const delivered = (state: Receipt['state'], rest?: Partial<Receipt>): SendState => ({
  state: 'delivered',
  sequenceInTurn: 1,
  receipt: receipt(state, rest),
});
const DEFAULTS: MessageToolConfig = { defaultDeliveryMode: 'immediate', fallbackToBatchOnError: true };

/** A channel seen from a tool: what it was given now, what joined the batch. */
function channel(answer: SendState = delivered('sent', { platformIds: ['42'] }), canSendNow = true) {
  const now: SendRequest[] = [];
  const batch: SendRequest[] = [];
  const sends: ToolContext['sends'] = {
    canSendNow,
    abilities: PLAIN_TEXT,
    findMessage: async () => undefined,
    now: async (request) => (now.push(request), answer),
    atEnd: async (request) => ({ sequenceInTurn: 1 + batch.push(request), queuedAt: 7 }),
  };
  const state = { get: async () => undefined, set: async () => undefined };
  return { now, batch, context: { tenant: 'acme', session: 's', turn: 't~1', callId: 'c1', sends, state, pay: () => undefined } };
}

async function call(args: Record<string, unknown>, config: Partial<MessageToolConfig> = {}, on = channel()) {
  const tool = messageTool({ ...DEFAULTS, ...config });
  const { text, isError } = await tool.execute(args, on.context, new AbortController().signal);
  return { report: JSON.parse(text), isError, ...on };
}

describe('the message tool', () => {
  test('TO-1 默认立即交付: a send leaves at once', async () => {
    const { report, now, batch } = await call({ content: '立即消息' });
    expect(now).toEqual([{ key: 'c1', text: '立即消息', mode: 'immediate', fellBack: false }]);
    expect(batch).toEqual([]);
    expect(report).toEqual({
      ok: true,
      state: 'sent',
      deliveryMode: 'immediate',
      sequenceInTurn: 1,
      deliveredAt: 1705315800123,
      platformMessageId: '42',
    });
  });

  test('TO-1 T16 当 immediate: false 时排队: the text waits for the end and says when it was queued', async () => {
    const { report, now, batch } = await call({ content: '批量消息', immediate: false });
    expect(now).toEqual([]);
    expect(batch).toEqual([{ key: 'c1', text: '批量消息', mode: 'batched', fellBack: false }]);
    expect(report).toMatchObject({ ok: true, state: 'queued', deliveryMode: 'batched', sequenceInTurn: 2, queuedAt: 7 });
    expect(report).not.toHaveProperty('fellBackToBatch');
  });

  test('TO-1 T1 当 channel.send() 不可用时回退到批量: the text is in the batch once', async () => {
    const { report, now, batch } = await call({ content: '测试' }, {}, channel(undefined, false));
    expect([now, batch.map(({ key, fellBack }) => [key, fellBack])]).toEqual([[], [['c1', true]]]);
    expect(report).toMatchObject({ ok: true, deliveryMode: 'batched', fellBackToBatch: true, queuedAt: 7 });
  });

  test('TO-1 T1 a send that is proven unsent joins the batch once, under a key of its own', async () => {
    const { report, batch } = await call({ content: '测试' }, {}, channel(delivered('dead', { reason: 'chat not found' })));
    expect(batch).toEqual([{ key: 'c1:batch', text: '测试', mode: 'batched', fellBack: true }]);
    expect(report).toMatchObject({ ok: true, deliveryMode: 'batched', fellBackToBatch: true });
  });

  test('TO-1 B030 T16 fallbackToBatchOnError false: the error goes to the model and nothing is queued', async () => {
    const { report, batch, isError } = await call(
      { content: '提醒' },
      { fallbackToBatchOnError: false },
      channel(delivered('dead', { reason: 'ECONNREFUSED' })),
    );
    expect([batch, isError]).toEqual([[], true]);
    expect(report).toEqual({
      ok: false,
      state: 'failed',
      deliveryMode: 'immediate',
      sequenceInTurn: 1,
      error: 'Not sent, and nothing is queued: ECONNREFUSED.',
    });
  });

  test('TO-1 T16 fallbackToBatchOnError false holds for a channel that cannot send now, too', async () => {
    const { report, batch, isError } = await call({ content: 'x' }, { fallbackToBatchOnError: false }, channel(undefined, false));
    expect([batch, isError, report.ok]).toEqual([[], true, false]);
    expect(report.error).toContain('cannot send before the turn ends');
  });

  test.each([
    ['unknown', delivered('unknown')],
    ['queued', { state: 'queued', sequenceInTurn: 1, queuedAt: 5 } satisfies SendState],
  ])('TO-1 T2 B030 an outcome that is %s makes no second copy and tells the model not to send again', async (state, answer) => {
    for (const fallbackToBatchOnError of [true, false]) {
      const { report, batch, isError } = await call({ content: 'x' }, { fallbackToBatchOnError }, channel(answer));
      expect([batch, isError]).toEqual([[], false]);
      expect(report).toMatchObject({
        ok: true,
        state,
        deliveryMode: 'immediate',
        note: expect.stringContaining('Do not send it again.'),
      });
    }
  });

  test.each([
    [undefined, 'batched', 0],
    [true, 'immediate', 1],
    [false, 'batched', 0],
  ])('TO-1 T16 with defaultDeliveryMode batched, immediate: %j is %s', async (immediate, mode, sentNow) => {
    const { report, now } = await call(
      { content: 'x', ...(immediate !== undefined && { immediate }) },
      { defaultDeliveryMode: 'batched' },
    );
    expect([report.deliveryMode, now.length]).toEqual([mode, sentNow]);
  });

  test.each([
    ['immediate', true, 'delivered at once unless'],
    ['batched', false, 'waits for the end of the turn unless'],
  ] as const)('TO-1 the schema and the description follow defaultDeliveryMode %s', (defaultDeliveryMode, byDefault, words) => {
    const { parameters, description, effect } = messageTool({ ...DEFAULTS, defaultDeliveryMode });
    expect(parameters).toMatchObject({
      type: 'object',
      required: ['content'],
      properties: { immediate: { type: 'boolean', default: byDefault } },
    });
    expect(description).toContain(words);
    expect(description).toContain('does not end your turn');
    expect(description).toContain('after all immediate ones');
    expect(description).toContain('never send the same text again');
    expect(effect).toBe('idempotent');
  });

  test.each([{}, { content: '' }, { content: 5 }, { content: 'x', immediate: 'no' }])(
    'TU-5 the arguments %j are refused, and nothing leaves',
    async (args) => {
      const on = channel();
      const { text, isError } = await messageTool(DEFAULTS).execute(args, on.context, new AbortController().signal);
      expect([isError, on.now, on.batch]).toEqual([true, [], []]);
      expect(text).toContain('Invalid arguments for message');
    },
  );
});

describe('actions', () => {
  const ALL: MessageAbilities = { reply: true, edit: true, delete: true, react: true, buttons: 3, media: ['image'] };
  /** A conversation in which the agent sent `p1` and was shown `u1`. */
  function conversation(abilities: MessageAbilities = ALL, answer?: SendState, canSendNow = true) {
    const on = channel(answer, canSendNow);
    const known = { own: ['p1'], seen: ['p1', 'u1'] };
    const findMessage = async (whose: 'own' | 'seen', id = whose === 'own' ? 'p1' : 'u1') =>
      known[whose].find((one) => one === id);
    return { ...on, context: { ...on.context, sends: { ...on.context.sends, abilities, findMessage } } };
  }

  test.each([
    [
      { action: 'reply', content: 'x' },
      { text: 'x', replyTo: 'u1' },
    ],
    [
      { action: 'reply', content: 'x', messageId: 'p1' },
      { text: 'x', replyTo: 'p1' },
    ],
    [
      { action: 'edit', content: 'x' },
      { text: 'x', action: { do: 'edit', message: 'p1' } },
    ],
    [
      { action: 'delete', messageId: 'p1' },
      { text: '', action: { do: 'delete', message: 'p1' } },
    ],
    [
      { action: 'react', emoji: '👍' },
      { text: '', action: { do: 'react', message: 'u1', emoji: '👍' } },
    ],
    [{ action: 'react' }, { text: '', action: { do: 'react', message: 'u1', emoji: null } }],
    [
      { content: 'x', buttons: [{ text: 'A' }, { text: 'B', data: 'b' }] },
      {
        buttons: [
          { text: 'A', data: 'A' },
          { text: 'B', data: 'b' },
        ],
      },
    ],
    [
      { media: [{ type: 'image', url: 'https://a.example/x.png' }] },
      { text: '', media: [{ type: 'image', url: 'https://a.example/x.png' }] },
    ],
  ])('TO-1 %j is one send', async (args, request) => {
    const { now, report } = await call(args, {}, conversation());
    expect(now).toMatchObject([{ key: 'c1', mode: 'immediate', fellBack: false, ...request }]);
    expect(report).toMatchObject({ ok: true, state: 'sent' });
  });

  test.each([
    [{ action: 'edit', content: 'x', messageId: 'u1' }, /"u1" is no message that you sent/],
    [{ action: 'delete', messageId: 'other' }, /"other" is no message that you sent/],
    [{ action: 'react', emoji: '👍', messageId: 'other' }, /no message that you sent or were shown/],
    [{ content: 'x', buttons: Array.from({ length: 4 }, (_, i) => ({ text: `b${i}` })) }, /at most 3 buttons/],
    [{ content: 'x', buttons: [{ text: 'long', data: '汉'.repeat(22) }] }, /more than 64 bytes/],
    [{ media: [{ type: 'audio', url: 'https://a.example/x.ogg' }] }, /no media of type audio.*It takes: image/],
  ])('TO-1 %j is refused in words, and nothing leaves', async (args, words) => {
    const { now, batch, report, isError } = await call(args, {}, conversation());
    expect([now, batch, isError]).toEqual([[], [], true]);
    expect(report.error).toMatch(words);
  });

  test.each([
    { action: 'edit' },
    { action: 'reply' },
    { action: 'shout', content: 'x' },
    { media: [{ type: 'image', url: 'http://a.b/c' }] },
  ])('TU-5 the arguments %j are refused', async (args) => {
    const on = conversation();
    const { text } = await messageTool(DEFAULTS).execute(args, on.context, new AbortController().signal);
    expect([text.startsWith('Invalid arguments for message'), on.now]).toEqual([true, []]);
  });

  test.each(['reply', 'edit', 'delete', 'react'] as const)('TO-1 a channel that cannot %s says what it can', async (action) => {
    const { now, report } = await call({ action, content: 'x' }, {}, conversation({ ...ALL, [action]: false }));
    expect(now).toEqual([]);
    expect(report.error).toContain(`cannot ${action}. Instead, send`);
    const { parameters } = messageTool(DEFAULTS).inConversation?.({ ...ALL, [action]: false }) ?? {};
    expect(JSON.stringify(parameters)).not.toContain(`"${action}"`);
  });

  test('TO-1 an action that the platform refused is no text for the batch', async () => {
    const refused = conversation(ALL, delivered('dead', { reason: 'message is too old' }));
    const { batch, report } = await call({ action: 'edit', content: 'x' }, {}, refused);
    expect([batch, report.ok, report.error]).toEqual([[], false, 'Not done: message is too old.']);
  });

  test('TO-1 where nothing can leave before the end, actions wait for it like texts', async () => {
    const { batch, report } = await call({ action: 'delete' }, {}, conversation(ALL, undefined, false));
    expect(batch).toMatchObject([{ action: { do: 'delete', message: 'p1' }, mode: 'batched' }]);
    expect(report).toMatchObject({ ok: true, action: 'delete', messageId: 'p1', fellBackToBatch: true });
  });

  test('TO-1 equal abilities show one and the same tool, so that a prompt cache stays warm', () => {
    const tool = messageTool(DEFAULTS);
    expect(tool.inConversation?.({ ...ALL })).toBe(tool.inConversation?.({ ...ALL, media: ['image'] }));
    expect(tool.inConversation?.(PLAIN_TEXT)).toBe(tool);
  });
});
