/** Values of a label that a process tells apart. More agents, models or tools than that are few; more ids of people would end the system that collects them. */
export const MOST_VALUES = 50;
/** What stands for all further values, and for what is not configured: a name that a model or a stranger made up. */
export const OTHER = 'other';

export type Labels<T extends string> = Readonly<Record<T, string>>;

/**
 * Keeps labels from growing without end, whatever names come in: the first MOST_VALUES values of a label that a process sees
 * keep their names, all others are counted together. So a sum over a label is always right.
 */
export class LabelBound {
  private readonly known = new Map<string, Set<string>>();

  /** The same object, where all of its values have names of their own: this runs for every count. */
  of<T extends string>(labels: Labels<T>): Labels<T> {
    let bounded = labels;
    for (const name in labels) if (!this.knows(name, labels[name])) bounded = { ...bounded, [name]: OTHER };
    return bounded;
  }

  private knows(name: string, value: string): boolean {
    const values = this.known.get(name) ?? new Set();
    if (values.has(value)) return true;
    if (values.size >= MOST_VALUES) return false;
    this.known.set(name, values.add(value));
    return true;
  }
}
