/** Colours for a terminal, nothing for a pipe or under NO_COLOR. */
export interface TerminalStyle {
  dim(text: string): string;
  accent(text: string): string;
  bad(text: string): string;
}

export function terminalStyle(colours: boolean): TerminalStyle {
  const sgr = (on: number, off: number) => (text: string) => (colours ? `\u001b[${on}m${text}\u001b[${off}m` : text);
  return { dim: sgr(2, 22), accent: sgr(36, 39), bad: sgr(31, 39) };
}
