/** Slack names its emoji; these are the ones that people react with, by the sign that models write. */
const NAMES: Readonly<Record<string, string>> = {
  '👍': '+1',
  '👎': '-1',
  '❤': 'heart',
  '🔥': 'fire',
  '🎉': 'tada',
  '👏': 'clap',
  '🙏': 'pray',
  '👀': 'eyes',
  '💯': '100',
  '🚀': 'rocket',
  '✅': 'white_check_mark',
  '☑': 'ballot_box_with_check',
  '✔': 'heavy_check_mark',
  '❌': 'x',
  '⚠': 'warning',
  '❓': 'question',
  '❗': 'exclamation',
  '⏳': 'hourglass_flowing_sand',
  '⌛': 'hourglass',
  '💡': 'bulb',
  '🤔': 'thinking_face',
  '😀': 'grinning',
  '😂': 'joy',
  '😅': 'sweat_smile',
  '😊': 'blush',
  '🙂': 'slightly_smiling_face',
  '😉': 'wink',
  '😍': 'heart_eyes',
  '😎': 'sunglasses',
  '😢': 'cry',
  '😭': 'sob',
  '😡': 'rage',
  '😱': 'scream',
  '🤯': 'exploding_head',
  '🥳': 'partying_face',
  '👋': 'wave',
  '👌': 'ok_hand',
  '✌': 'v',
  '💪': 'muscle',
  '🤝': 'handshake',
  '🙌': 'raised_hands',
  '⭐': 'star',
  '✨': 'sparkles',
  '🐛': 'bug',
  '🔧': 'wrench',
  '📝': 'memo',
  '📌': 'pushpin',
  '🔍': 'mag',
};

const VARIATION_OR_TONE = /[\ufe0e\ufe0f]|\p{Emoji_Modifier}/gu;

/** `:name:`, a name (also of a workspace's own emoji), or one of the common signs. undefined: Slack's name for it is not known here. */
export function reactionName(emoji: string): string | undefined {
  const named = /^:?([\p{L}\p{N}_+'-]+(?:::skin-tone-[2-6])?):?$/u.exec(emoji)?.[1];
  return NAMES[emoji.replace(VARIATION_OR_TONE, '')] ?? named?.toLowerCase();
}
