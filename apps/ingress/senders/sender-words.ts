/** What a stranger reads. Nothing in it comes from the stranger. */
export function pairingPrompt(code: string): string {
  return [
    'Hello! I answer people who were approved.',
    `Give this code to whoever runs me: ${code}`,
    `They approve it with /approve ${code} in a chat with me, or with: turnpike pairing approve ${code}`,
    'It is valid for one hour. Then write again.',
  ].join('\n');
}

export const BOTS_TALKED_ENOUGH = 'This goes back and forth between bots. I stop here until a person writes.';
