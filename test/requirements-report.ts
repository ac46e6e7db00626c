import { notYetBuilt, requirementGroups, requirements } from './requirements.js';

export interface RunFacts {
  /** Ids in the titles of all tests, whatever became of them. */
  cited: readonly string[];
  /** Ids in the titles of passed tests. */
  proved: readonly string[];
  skipped: readonly { title: string; reason: string | undefined }[];
  /** False when files or names were filtered: then a missing test says nothing. */
  full: boolean;
}

const ID = /^(?:(?:IN|TN|RT|QU|TU|MO|TO|OUT|CX|AU|OP)-\d+|B\d{3}|[GT]\d+)$/;
const INDENT = 14;
const WIDTH = 110;

/** The ids a title begins with: `TO-1 B001, T16: ...`. */
export function citedIds(title: string): string[] {
  const words = title.split(/[\s,:;+/()[\]]+/).filter(Boolean);
  const end = words.findIndex((word) => !ID.test(word));
  return words.slice(0, end === -1 ? words.length : end);
}

/** `open` are the ids that may lack a test. */
export function requirementsReport(
  { cited, proved, skipped, full }: RunFacts,
  open = notYetBuilt,
): { text: string; failed: boolean } {
  const ids = Object.keys(requirements);
  const provedIds = new Set(proved);
  const unproved = ids.filter((id) => !provedIds.has(id));
  const complaints = [
    ...complaint(
      'Cited, but not in test/requirements.ts (mend the title, or add the id there)',
      [...new Set(cited)].filter((id) => !(id in requirements)),
    ),
    ...complaint(
      'Skipped without a reason (use context.skip(reason))',
      skipped.filter(({ reason }) => !reason).map(({ title }) => title),
    ),
    ...complaint(
      'Built, but no passing test cites it (write one, or put the id into notYetBuilt)',
      full ? unproved.filter((id) => !open.has(id)) : [],
    ),
  ];
  const lines = [
    '',
    `Requirements proved by a test: ${ids.length - unproved.length} of ${ids.length}${full ? '' : ' (part of the tests ran)'}`,
    ...(full && unproved.length > 0 ? ['Not yet built / without a test:', ...groupedLines(new Set(unproved))] : []),
    ...skipped.filter(({ reason }) => reason).map(({ title, reason }) => `Skipped: ${title} (${reason})`),
    ...complaints,
  ];
  return { text: `${lines.join('\n')}\n`, failed: complaints.length > 0 };
}

function complaint(what: string, which: readonly string[]): string[] {
  return which.length === 0 ? [] : [`FAILED  ${what}:`, ...which.map((one) => `  ${one}`)];
}

function groupedLines(unproved: ReadonlySet<string>): string[] {
  return Object.entries(requirementGroups).flatMap(([group, members]) => {
    const missing = Object.keys(members).filter((id) => unproved.has(id));
    return missing.length === 0 ? [] : wrapped(group, missing);
  });
}

/** `  Group        ID ID ID`, going on under the first id. */
function wrapped(group: string, ids: readonly string[]): string[] {
  const lines = [`  ${group}`.padEnd(INDENT)];
  for (const id of ids) {
    if (`${lines.at(-1)} ${id}`.length > WIDTH) lines.push(' '.repeat(INDENT));
    lines.push(`${lines.pop()} ${id}`);
  }
  return lines;
}
