import type { ActionsBlock, SectionBlock } from '@slack/types';
import type { Button } from '#contracts';
import { OWN_ACTION } from './interaction-event.js';

/** "Maximum length for the text in this field is 75 characters." */
const MAX_LABEL = 75;
/** Beside blocks the text is only read out and shown in notifications; an edit may carry 4,000 bytes of it, entities counted. */
const MAX_SUMMARY = 700;

/** @param mrkdwn at most 3,000 characters */
export function blocksOf(mrkdwn: string, buttons: readonly Button[]): (SectionBlock | ActionsBlock)[] {
  const section: SectionBlock = { type: 'section', expand: true, text: { type: 'mrkdwn', text: mrkdwn } };
  return buttons.length === 0 ? [section] : [section, actionsOf(buttons)];
}

export function summaryOf(plain: string): string {
  return escapeSlack(plain.slice(0, MAX_SUMMARY).toWellFormed());
}

/** The three characters with which Slack's notation begins (https://docs.slack.dev/messaging/formatting-message-text). */
export function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function actionsOf(buttons: readonly Button[]): ActionsBlock {
  const elements = buttons.map(({ text, data }, index) => ({
    type: 'button' as const,
    action_id: `${OWN_ACTION}${index}`,
    text: { type: 'plain_text' as const, text: labelOf(text) },
    value: data,
  }));
  return { type: 'actions', elements };
}

function labelOf(text: string): string {
  return text.length <= MAX_LABEL ? text : `${text.slice(0, MAX_LABEL - 1).toWellFormed()}…`;
}
