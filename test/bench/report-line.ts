/** One line of the table. */
export function line(name: string, cells: readonly string[]): string {
  return name.padEnd(36) + cells.map((cell) => cell.padStart(12)).join('');
}
