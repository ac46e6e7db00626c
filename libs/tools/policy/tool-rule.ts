/** What one rule says of one tool. */
export interface ToolRule {
  /** `leaves out`: it is for others only. */
  says: 'allows' | 'denies' | 'leaves out';
  because: string;
  /** The option that says so; none: the tool itself does. */
  at?: string;
}
