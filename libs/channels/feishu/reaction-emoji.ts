/** Feishu names its reactions: https://open.feishu.cn/document/server-docs/im-v1/message-reaction/emojis-introduce */
const NAMES: Readonly<Record<string, string>> = {
  '👍': 'THUMBSUP',
  '👎': 'ThumbsDown',
  '👌': 'OK',
  '✅': 'DONE',
  '☑️': 'CheckMark',
  '❌': 'CrossMark',
  '❤️': 'HEART',
  '💔': 'HEARTBROKEN',
  '👏': 'APPLAUSE',
  '🙏': 'THANKS',
  '💪': 'MUSCLE',
  '👋': 'WAVE',
  '🎉': 'PARTY',
  '🔥': 'Fire',
  '💯': 'Hundred',
  '🏆': 'Trophy',
  '🌹': 'ROSE',
  '🎁': 'GIFT',
  '🍺': 'BEER',
  '🎂': 'CAKE',
  '☕': 'Coffee',
  '📌': 'Pin',
  '⏰': 'Alarm',
  '👀': 'GLANCE',
  '🤔': 'THINKING',
  '😀': 'SMILE',
  '😊': 'BLUSH',
  '😄': 'LAUGH',
  '😂': 'LOL',
  '😉': 'WINK',
  '😍': 'LOVE',
  '😘': 'KISS',
  '😭': 'SOB',
  '😢': 'CRY',
  '😮': 'WOW',
  '😱': 'SHOCKED',
  '😡': 'ANGRY',
  '😅': 'SWEAT',
  '😴': 'SLEEP',
  '🤦': 'FACEPALM',
  '🤗': 'HUG',
  '💀': 'SKULL',
  '💣': 'BOMB',
};

/** Feishu's name of an emoji, or what is one of its names already. Undefined: Feishu has none like it. */
export function reactionName(emoji: string): string | undefined {
  if (/^[A-Za-z0-9_]{2,40}$/.test(emoji)) return emoji;
  const plain = emoji.replace(/[\u{1f3fb}-\u{1f3ff}]/u, '');
  return NAMES[plain] ?? NAMES[`${plain}\ufe0f`] ?? NAMES[plain.replace('\ufe0f', '')];
}

export const KNOWN_REACTIONS = Object.keys(NAMES).join(' ');
