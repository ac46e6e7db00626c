import { expect, test } from 'vitest';
import type { ChatMessage, TurnRecord } from '#contracts';
import { chatTurn } from './chat-history.js';

const call = (id: string, name: string, args: object) => ({ id, name, arguments: JSON.stringify(args) });
const result = (callId: string, name: string, report: object, isError = false): ChatMessage => ({
  role: 'tool',
  callId,
  name,
  text: JSON.stringify(report),
  isError,
});

function record(messages: ChatMessage[], more: Partial<TurnRecord> = {}): TurnRecord {
  return {
    v: 1,
    turn: 't~0',
    outcome: 'answered',
    inputs: [{ id: 'm1', seq: 1, sender: 'ann', at: 1 }],
    messages,
    at: 2,
    ...more,
  };
}

test('TO-1 sends show where they were made, batched ones before the answer, failed ones not at all', () => {
  const toolCalls = [
    call('1', 'message', { content: 'at the end', immediate: false }),
    call('2', 'message', { content: 'now' }),
    call('3', 'message', { content: 'refused' }),
    call('4', 'search', {}),
  ];
  const { inputs, entries } = chatTurn(
    record([
      { role: 'user', text: 'go' },
      { role: 'assistant', text: 'On it.', toolCalls },
      result('1', 'message', { deliveryMode: 'batched' }),
      result('2', 'message', { deliveryMode: 'immediate', sequenceInTurn: 2 }),
      result('3', 'message', {}, true),
      result('4', 'search', {}, true),
      { role: 'assistant', text: 'Done.', toolCalls: [] },
    ]),
  );
  expect(inputs).toEqual([{ id: 'm1', text: 'go' }]);
  expect(entries).toEqual([
    { kind: 'message', mode: 'narration', text: 'On it.' },
    { kind: 'message', mode: 'immediate', id: 't~0-2', text: 'now' },
    { kind: 'tool', name: 'search', state: 'failed' },
    { kind: 'message', mode: 'batched', text: 'at the end' },
    { kind: 'message', mode: 'final', text: 'Done.' },
  ]);
});

test('TO-1 what was changed stands beside what was shown', () => {
  const media = [{ type: 'image' as const, url: 'https://a.example/b.png' }];
  const toolCalls = [
    call('1', 'message', { content: 'first' }),
    call('2', 'message', { action: 'edit', content: 'better', media }),
    call('3', 'message', { action: 'react', emoji: '👀' }),
    call('4', 'message', { action: 'reply', messageId: 'm1', content: 'to you', buttons: [{ text: 'Yes' }] }),
    call('5', 'message', { action: 'delete' }),
    call('6', 'message', { action: 'delete', messageId: 'gone' }),
  ];
  const turn = chatTurn(
    record(
      [
        { role: 'user', text: 'go' },
        { role: 'assistant', text: '', toolCalls },
        result('1', 'message', { platformMessageId: 'p1', sequenceInTurn: 1 }),
        result('2', 'message', { action: 'edit', messageId: 'p1', sequenceInTurn: 2 }),
        result('3', 'message', { action: 'react', messageId: 'm1', sequenceInTurn: 3 }),
        result('4', 'message', { platformMessageId: 'p4', sequenceInTurn: 4, replyTo: 'm1' }),
        result('5', 'message', { action: 'delete', messageId: 'p4', sequenceInTurn: 5 }),
        result('6', 'message', {}, true),
        { role: 'assistant', text: 'Done.', toolCalls: [] },
      ],
      { place: { conversation: 'c', seen: ['m1'], rows: 6 } },
    ),
  );
  expect(turn.entries).toEqual([
    { kind: 'message', mode: 'immediate', id: 'p1', text: 'first' },
    { kind: 'message', mode: 'immediate', id: 'p4', text: 'to you', replyTo: 'm1', buttons: [{ text: 'Yes', data: 'Yes' }] },
    { kind: 'message', mode: 'final', id: 't~0-6', text: 'Done.' },
  ]);
  expect(turn.changes).toEqual([
    { action: { do: 'edit', message: 'p1' }, text: 'better', media },
    { action: { do: 'react', message: 'm1', emoji: '👀' }, text: '' },
    { action: { do: 'delete', message: 'p4' }, text: '' },
  ]);
});

test('TU-8 a silent reply is not shown', () => {
  expect(chatTurn(record([{ role: 'assistant', text: ' no_reply', toolCalls: [] }])).entries).toEqual([]);
});

test('QU-3 a stopped answer is marked, and its reason kept', () => {
  const turn = chatTurn(
    record([{ role: 'assistant', text: 'Once', toolCalls: [], interrupted: true }], {
      outcome: 'cancelled',
      reason: 'cancelled',
    }),
  );
  expect(turn).toMatchObject({ outcome: 'cancelled', reason: 'cancelled', entries: [{ text: 'Once', partial: true }] });
});

test('TU-7 a turn that waits for a person ends with its question, to be answered by a button or by typing', () => {
  const park = { code: 'ABC234', kind: 'question' as const, title: 'Which?', choices: ['red', 'blue'] };
  const toolCalls = [call('1', 'ask_user', { question: 'Which?' })];
  const { entries } = chatTurn(record([{ role: 'assistant', text: '', toolCalls }], { outcome: 'parked', park }));
  expect(entries).toHaveLength(2);
  expect(entries.at(-1)).toEqual({
    kind: 'message',
    mode: 'notice',
    text: 'Which?\n\n1. red\n2. blue\n\nAnswer with /answer ABC234 and your answer or its number.',
    buttons: [
      { text: 'red', data: '/answer ABC234 1' },
      { text: 'blue', data: '/answer ABC234 2' },
    ],
  });
});

test('TU-7 a question that was answered stays where it was asked', () => {
  const toolCalls = [call('1', 'ask_user', { question: 'Which?' })];
  const { entries } = chatTurn(
    record([
      { role: 'assistant', text: '', toolCalls },
      result('1', 'ask_user', { answer: 'red' }),
      { role: 'assistant', text: 'Red it is.', toolCalls: [] },
    ]),
  );
  expect(entries).toEqual([
    { kind: 'message', mode: 'narration', text: 'Which?' },
    { kind: 'tool', name: 'ask_user', state: 'done' },
    { kind: 'message', mode: 'final', text: 'Red it is.' },
  ]);
});
