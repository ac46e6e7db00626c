import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decideTool, ruleByRule, type PlacedToolRules, type ToolRules } from './decide-tool.js';
import type { PolicedTool } from './policed-tool.js';
import { means } from './tool-pattern.js';
import { TOOL_PROFILES } from './tool-profiles.js';
import { unknownNames } from './unknown-names.js';

const native = (name: string, more: Partial<PolicedTool> = {}): PolicedTool => ({ name, origin: { kind: 'native' }, ...more });
const message = native('message', { group: 'messaging' });
const search = native('web_search', { group: 'web' });
const notes: PolicedTool = { name: 'add_note', origin: { kind: 'plugin', plugin: 'notes' } };
const issues: PolicedTool = { name: 'mcp_github_list_issues', origin: { kind: 'mcp', server: 'github' } };

const rules = (more: Partial<ToolRules>): ToolRules => ({ alsoAllow: [], deny: [], ...more });
const placed = (...all: Partial<ToolRules>[]): PlacedToolRules[] => all.map((more, n) => ({ at: `p${n}`, rules: rules(more) }));
const visible = (tool: PolicedTool, ...all: Partial<ToolRules>[]) => decideTool(tool, placed(...all), { isOwner: false }).visible;

test('TO-7 profiles, groups, owners and wildcards mean what docs/tools.md says', () => {
  const table: [pattern: string, tool: PolicedTool, expected: boolean][] = [
    ['*', message, true],
    ['MESSAGE', message, true],
    ['mess', message, false],
    ['web_*', search, true],
    ['*_search', search, true],
    ['w*h', search, true],
    ['web.*', search, false],
    ['group:web', search, true],
    ['group:messaging', search, false],
    ['group:plugins', notes, true],
    ['plugin:notes', notes, true],
    ['notes', notes, false],
    ['mcp:github', issues, true],
    ['mcp:git', issues, false],
    ['mcp_github_*', issues, true],
    ['group:mcp', issues, true],
    ['mcp_*_l*t*s', issues, true],
    ['mcp_*list*list*', issues, false],
    ['group:openclaw', message, true],
    ['group:turnpike', notes, false],
    ['', message, false],
  ];
  for (const [pattern, tool, expected] of table)
    expect([pattern, tool.name, means(pattern, tool)]).toEqual([pattern, tool.name, expected]);
});

test('TO-7 each place narrows, alsoAllow widens its own place alone, deny is final', () => {
  expect(visible(message)).toBe(true);
  expect(visible(message, { allow: ['web_*'] })).toBe(false);
  expect(visible(message, { profile: 'coding' }, {})).toBe(false);
  expect(visible(message, { profile: 'coding', alsoAllow: ['message'] })).toBe(true);
  expect(visible(message, { allow: ['web_*'], alsoAllow: ['group:messaging'] })).toBe(true);
  expect(visible(message, { profile: 'messaging' }, { allow: ['web_*'] })).toBe(false);
  expect(visible(message, { alsoAllow: ['message'] }, { deny: ['mess*'] })).toBe(false);
  expect(visible(issues, { profile: 'messaging' })).toBe(true);
  expect(visible(issues, { profile: 'minimal' })).toBe(false);
  expect(visible(message, { allow: [] })).toBe(false);
});

test('TO-7 an optional tool has to be named, and no wildcard names it; one for owners is for owners', () => {
  const optional = { ...notes, optional: true };
  expect(visible(optional)).toBe(false);
  expect(visible(optional, { allow: ['*'] })).toBe(false);
  expect(visible(optional, { profile: 'full' })).toBe(false);
  for (const name of ['add_note', 'plugin:notes', 'group:plugins']) expect(visible(optional, { alsoAllow: [name] })).toBe(true);
  expect(visible(optional, { alsoAllow: ['add_note'] }, { allow: ['web_*'] })).toBe(false);
  const ownerOnly = { ...notes, ownerOnly: true };
  expect(decideTool(ownerOnly, [], { isOwner: false })).toEqual({ visible: false, because: 'for owners alone (access.owners)' });
  expect(decideTool(ownerOnly, [], { isOwner: true }).visible).toBe(true);
  expect(decideTool(ownerOnly, placed({ deny: ['*'] }), { isOwner: true }).visible).toBe(false);
});

test('TO-7 the verdict names the option that decides', () => {
  expect(decideTool(search, placed({}, { deny: ['web_*'] }), { isOwner: true })).toEqual({
    visible: false,
    because: 'denied by "web_*"',
    at: 'p1.deny',
  });
  expect(decideTool(search, placed({ profile: 'minimal' }), { isOwner: true })).toMatchObject({ at: 'p0.profile' });
  expect(decideTool(search, placed({ allow: ['x'] }), { isOwner: true })).toMatchObject({ at: 'p0.allow' });
});

test('TO-6 TO-7 from outside what runs, writes or reaches others has to be named, and no wildcard names it', () => {
  const outside = (name: string, allow: string[], deny: string[] = [], ...all: Partial<ToolRules>[]) =>
    decideTool(native(name), placed(...all), { isOwner: false, invoke: { allow, deny } }).visible;
  for (const name of [
    'exec',
    'process',
    'write',
    'edit',
    'apply_patch',
    'fs_delete',
    'sessions_spawn',
    'sessions_send',
    'gateway',
    'cron',
  ]) {
    expect([name, visible(native(name)), outside(name, []), outside(name, ['*']), outside(name, [name])]).toEqual([
      name,
      true,
      false,
      false,
      true,
    ]);
    expect(outside(name, [name], [name])).toBe(false);
    expect(outside(name, [name], [], { deny: [name] })).toBe(false);
    expect(outside(name, [name], [], { profile: 'minimal' })).toBe(false);
  }
  expect([outside('current_time', []), outside('current_time', [], ['current_*'])]).toEqual([true, false]);
});

test('TO-7 every rule that says something is told, in the order in which they are looked at', () => {
  const tool = { ...notes, optional: true, ownerOnly: true };
  const places = placed({ profile: 'coding' }, { allow: ['plugin:notes'], deny: ['*_note'] });
  expect(ruleByRule(tool, places, { isOwner: true, invoke: { allow: [], deny: ['add_note'] } })).toEqual([
    { says: 'leaves out', because: 'not in the profile coding', at: 'p0.profile' },
    { says: 'denies', because: 'denied by "*_note"', at: 'p1.deny' },
    { says: 'allows', because: 'in the list of what is allowed', at: 'p1.allow' },
    { says: 'allows', because: 'for owners, and this is one', at: 'access.owners' },
    { says: 'allows', because: 'named', at: 'p1' },
    { says: 'denies', because: 'denied by "add_note"', at: 'tools.invoke.deny' },
  ]);
});

const toolArbitrary: fc.Arbitrary<PolicedTool> = fc.record({
  name: fc.constantFrom('message', 'exec', 'web_search', 'web_fetch', 'mcp_a_read', 'add_note'),
  origin: fc.constantFrom<PolicedTool['origin']>(
    { kind: 'native' },
    { kind: 'plugin', plugin: 'notes' },
    { kind: 'mcp', server: 'a' },
  ),
  group: fc.constantFrom(undefined, 'web', 'fs', 'messaging'),
  optional: fc.boolean(),
  ownerOnly: fc.boolean(),
});
const patterns = fc.array(
  fc.constantFrom(
    '*',
    'web_*',
    'message',
    'exec',
    'group:web',
    'group:fs',
    'group:mcp',
    'plugin:notes',
    'mcp:a',
    'ADD_NOTE',
    'nothing',
  ),
  { maxLength: 3 },
);
const placeArbitrary = fc.record({
  profile: fc.option(fc.constantFrom('minimal', 'messaging', 'coding', 'full'), { nil: undefined }),
  allow: fc.option(patterns, { nil: undefined }),
  alsoAllow: patterns,
  deny: patterns,
});
const placesArbitrary = fc.array(placeArbitrary, { maxLength: 4 });

test('TO-7 as the rule is written in words: against a slow reading of it', () => {
  const slow = (tool: PolicedTool, places: readonly ToolRules[], isOwner: boolean): boolean => {
    const any = (list: readonly string[] | undefined) => (list ?? []).some((pattern) => means(pattern, tool));
    const inPlace = ({ profile, allow, alsoAllow }: ToolRules) =>
      any(alsoAllow) || ((profile === undefined || any(TOOL_PROFILES[profile])) && (allow === undefined || any(allow)));
    const named = places.some(({ allow = [], alsoAllow }) =>
      [...allow, ...alsoAllow].some((pattern) => !pattern.includes('*') && means(pattern, tool)),
    );
    const denied = places.some(({ deny }) => any(deny));
    return !denied && places.every(inPlace) && (!tool.ownerOnly || isOwner) && (!tool.optional || named);
  };
  fc.assert(
    fc.property(toolArbitrary, placesArbitrary, fc.boolean(), (tool, places, isOwner) => {
      expect(decideTool(tool, placed(...places), { isOwner }).visible).toBe(slow(tool, places, isOwner));
    }),
    { numRuns: 2000 },
  );
});

test('TO-7 another place never gives a tool that is not optional, and the order of places does not matter', () => {
  fc.assert(
    fc.property(toolArbitrary, placesArbitrary, placeArbitrary, fc.boolean(), (tool, places, more, isOwner) => {
      const before = decideTool(tool, placed(...places), { isOwner }).visible;
      const after = decideTool(tool, placed(...places, more), { isOwner }).visible;
      if (!tool.optional) expect(before || !after).toBe(true);
      expect(decideTool(tool, placed(more, ...places.toReversed()), { isOwner }).visible).toBe(after);
    }),
    { numRuns: 1000 },
  );
});

test('TO-7 a name that nothing bears is told with its place; wildcards and groups are for what will be', () => {
  const places = placed({ allow: ['mesage', 'web_*', 'group:fs', 'plugin:nots'], deny: ['exec', 'message', 'group:sf'] });
  expect(unknownNames([message, notes], places)).toEqual([
    { at: 'p0.allow', pattern: 'mesage' },
    { at: 'p0.allow', pattern: 'plugin:nots' },
    { at: 'p0.deny', pattern: 'exec' },
    { at: 'p0.deny', pattern: 'group:sf' },
  ]);
});
