// SPDX-License-Identifier: Apache-2.0
import type { PolicySetSource } from './document/policy-document.ts';
import { compilePolicySet } from './policy-set.ts';
import { PolicySetError } from './problems.ts';
import { located, verifyAnswer } from './rules/cedar-text.ts';
import { DEFAULT_POLICY } from './sets/default-policy.ts';
import { OBSERVE_POLICY } from './sets/observe-policy.ts';
import { STRICT_POLICY } from './sets/strict-policy.ts';

const sourceOf = (cedar: string, more: Record<string, unknown> = {}) => ({ v: 1, name: 'test', cedar, ...more });
const compile = (cedar: string, more: Record<string, unknown> = {}) => compilePolicySet(sourceOf(cedar, more));
const wrongWith = (source: Record<string, unknown>) => {
  try {
    // As on the wire: undefined members are absent.
    compilePolicySet(JSON.parse(JSON.stringify(source)) as Record<string, unknown>);
  } catch (error) {
    if (error instanceof PolicySetError) return error.problems;
    throw error;
  }
  return [];
};
const problemsOf = (cedar: string, more: Record<string, unknown> = {}) => wrongWith(sourceOf(cedar, more));
const rule = (id: string, body = '') => `@id("${id}") permit (principal, action, resource)${body};`;

describe('a policy text is read', () => {
  test('rules have an id, an effect, a reason and a text', () => {
    const { rules } = compile(
      '@id("a.b") @reason("because") @would_pass("less") @quorum("2") permit (principal, action, resource);\n@id("c") forbid (principal, action, resource);',
    );
    expect([...rules.values()]).toMatchObject([
      { id: 'a.b', effect: 'permit', reason: 'because', would_pass: 'less', quorum: 2 },
      {
        id: 'c',
        effect: 'forbid',
        reason: 'rule `c`',
        would_pass: null,
        quorum: null,
        text: '@id("c") forbid (principal, action, resource);',
      },
    ]);
  });

  test('a syntax error has line and column, and names what was expected', () => {
    expect(problemsOf('@id("a")\npermit (principal, action, resource)\nwhen { foo( };')).toEqual([
      {
        pointer: '/cedar',
        message: expect.any(String),
        help: expect.stringContaining('expected'),
        line: 3,
        column: 13,
      },
    ]);
  });

  test('schema errors have line and column, and all are reported', () => {
    const problems = problemsOf(
      '@id("a")\npermit (principal, action, resource)\nwhen { context.riks_milli > 1 };\n@id("b") permit (principal, action == Action::"fs.raed", resource);',
    );
    expect(problems.map(({ line, column }) => [line, column])).toEqual([
      [3, 8],
      [4, 39],
    ]);
    expect(problems.map(({ message }) => message).join()).toContain('riks_milli');
    expect(problems[1]).toMatchObject({
      message: expect.stringContaining('unrecognized action'),
      help: expect.stringContaining('did you mean'),
    });
  });

  test('two errors in one line are reported from left to right', () => {
    expect(
      problemsOf('@id("a") permit (principal, action, resource) when { context.y == 1 && context.x == 1 };').map(
        ({ column }) => column,
      ),
    ).toEqual([54, 72]);
  });

  test('all problems are reported at once, in the document and in the text', () => {
    const problems = problemsOf(
      '@id("a") permit (principal, action, resource) when { context.x == 1 };\npermit (principal, action, resource);',
      {
        thresholds: { general: { soft_gate: 0.9, escalated: 0.5 } },
        history: [{ id: 'h', kind: 'at_most', tools: ['nothing.*'], n: 1, then: 'refuse', reason: 'r' }],
      },
    );
    expect(problems.map(({ pointer, line }) => [pointer, line])).toEqual([
      ['/thresholds/general/escalated', null],
      ['/history/0/tools/0', null],
      ['/cedar', 2],
      ['/cedar', 1],
    ]);
    for (const { help } of problems.slice(0, 3)) expect(help).not.toBe('');
  });

  test("a rule without an id, with a strange one, with another's or a reserved one is refused", () => {
    expect(problemsOf('\npermit (principal, action, resource);')).toMatchObject([{ line: 2, column: 1 }]);
    expect(problemsOf('@id("A b") permit (principal, action, resource);')).toHaveLength(1);
    expect(
      problemsOf('@id("a") permit (principal, action, resource);\n@id("a") forbid (principal, action, resource);'),
    ).toMatchObject([{ message: 'the id `a` is given to two rules', line: 2 }]);
    expect(problemsOf(`${rule('a')}\n${rule('a')}`)).toMatchObject([
      { message: 'the id `a` is given to two rules', line: 2 },
    ]);
    expect(problemsOf(rule('risk.no_go'))).toMatchObject([
      { message: expect.stringContaining('stands for something else') },
    ]);
  });

  test('an unknown or invalid annotation is refused', () => {
    expect(problemsOf('@id("a") @resaon("x") permit (principal, action, resource);')).toMatchObject([
      { message: 'there is no annotation `@resaon`' },
    ]);
    for (const quorum of ['0', '17', 'two', ''])
      expect(problemsOf(`@id("a") @quorum("${quorum}") permit (principal, action, resource);`)).toHaveLength(1);
    expect(problemsOf(`@id("a") @reason("${'x'.repeat(513)}") permit (principal, action, resource);`)).toMatchObject([
      { message: expect.stringContaining('512') },
    ]);
  });

  test('a template is refused', () => {
    expect(problemsOf('@id("a") permit (principal == ?principal, action, resource);')).toMatchObject([
      { message: expect.stringContaining('template') },
    ]);
  });

  test('a rule that can never apply is warned of, not refused', () => {
    const { warnings } = compile(`${rule('a')}\n${rule('b', ' when { context.risk_milli > 1 && false }')}`);
    expect(warnings).toMatchObject([{ pointer: '/cedar', line: 2, message: expect.stringContaining('impossible') }]);
  });

  test.each([
    ['a category', '@id("a") forbid (principal, action == Action::"write", resource);'],
    ['a family of tools', '@id("a") forbid (principal, action == Action::"fs.*", resource);'],
    [
      'a category, whatever else is asked',
      '@id("a") forbid (principal, action == Action::"admin", resource is File) when { context.risk_milli > 1 };',
    ],
    [
      'a category, in the condition',
      '@id("a") forbid (principal, action, resource) when { action == Action::"write" };',
    ],
    [
      'a category, the other way round',
      '@id("a") forbid (principal, action, resource) when { Action::"write" == action && context.risk_milli > 1 };',
    ],
    ['nothing', '@id("a") forbid (principal, action, resource) when { context.risk_milli > 1 && false };'],
    ['a call that is none', '@id("a") forbid (principal, action, resource) unless { true };'],
  ])('a rule about %s can never apply, and the set says so', (_what, cedar) => {
    const { impossible, warnings } = compile(`${rule('b')}\n${cedar}`);
    expect(impossible).toHaveLength(1);
    expect(impossible).toMatchObject([
      { pointer: '/cedar', line: 2, help: expect.stringContaining('`allow_impossible`') },
    ]);
    expect(warnings).toEqual(expect.arrayContaining([...impossible]));
  });

  test('a rule whose scope compares with a group is reported with its group and the remedy', () => {
    const { impossible } = compile('@id("a") forbid (principal, action == Action::"fs.*", resource);');
    expect(impossible).toMatchObject([
      {
        line: 1,
        column: 1,
        message: expect.stringContaining('the rule `a` can never apply: `Action::"fs.*"` is a group of tools'),
        help: expect.stringContaining('write `action in Action::"fs.*"`'),
      },
    ]);
  });

  test.each([
    '@id("a") forbid (principal, action in Action::"write", resource);',
    '@id("a") forbid (principal, action in [Action::"write", Action::"fs.*"], resource);',
    '@id("a") forbid (principal, action == Action::"fs.write", resource);',
    '@id("a") forbid (principal, action, resource) when { action in Action::"write" };',
    '@id("a") forbid (principal, action, resource) when { action == Action::"fs.write" };',
    '@id("a") forbid (principal, action in Action::"admin", resource);',
  ])("a rule that can apply is not said to be one that can't: %s", (cedar) => {
    expect(compile(cedar)).toMatchObject({ impossible: [], warnings: [] });
  });

  test('a comparison with a group in a rule that can still apply is only a warning', () => {
    const { impossible, warnings } = compile(
      '@id("a") forbid (principal, action, resource) when { action == Action::"write" || context.risk_milli > 900 };',
    );
    expect(impossible).toEqual([]);
    expect(warnings).toMatchObject([
      {
        line: 1,
        message: expect.stringContaining('is never true in the rule `a`'),
        help: 'write `action in Action::"write"`',
      },
    ]);
  });

  test('shipped sets have no rule that can never apply', () => {
    for (const source of [DEFAULT_POLICY, STRICT_POLICY, OBSERVE_POLICY])
      expect(compilePolicySet(source)).toMatchObject({ impossible: [], warnings: [] });
  });

  test('the message names every position', () => {
    expect(() => compile('@id("a") permit (principal, action, resource) when { context.x == 1 };')).toThrow(/^1:\d+: /);
    expect(() => compile('', { ttl: { approval_ms: 1 } })).toThrow(/^\/ttl\/approval_ms: it must be >= 1000/);
  });

  test('too many rules are refused before they are checked', () => {
    expect(problemsOf(Array.from({ length: 1001 }, (_, n) => rule(`r${n}`)).join('\n'))).toMatchObject([
      { pointer: '/cedar', message: 'it has 1001 rules, and 1000 are allowed' },
    ]);
    expect(problemsOf(' '.repeat(262_145))).toMatchObject([{ pointer: '/cedar' }]);
  });

  test('a problem without a position is located at its rule', () => {
    const error = { message: 'no', help: 'try', code: null, url: null, severity: null };
    expect(located('a\nbc', 3, error)).toEqual({ pointer: '/cedar', message: 'no', help: 'try', line: 2, column: 2 });
  });

  test('an answer that contradicts an earlier one is a bug', () => {
    expect(() => verifyAnswer({ type: 'failure' })).toThrow('cedar refused');
  });
});

describe('a document is read', () => {
  test('omitted members have their defaults', () => {
    const { document } = compile(rule('a'), {
      thresholds: { general: { soft_gate: 0.4 }, task_classes: { deploy: { escalated: 0.7 } } },
    });
    expect(document).toMatchObject({
      description: '',
      enforcement: 'enforce',
      history: [],
      quorum: { soft_gate: 1, escalated: 1 },
      thresholds: {
        general: { soft_gate: 0.4, escalated: 0.99, no_go: null },
        task_classes: { deploy: { soft_gate: 0.4, escalated: 0.7, no_go: null } },
      },
      ttl: { approval_ms: 86_400_000, preview_ms: 86_400_000, staged_change_ms: 600_000, session_grant_ms: 28_800_000 },
    });
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['another version', { v: 2 }, '/v'],
    ['a name with blanks', { name: 'my set' }, '/name'],
    ["a field that isn't known", { extra: 1 }, '/extra'],
    ['another enforcement', { enforcement: 'warn' }, '/enforcement'],
    ['a threshold above one', { thresholds: { general: { soft_gate: 1.1 } } }, '/thresholds/general/soft_gate'],
    [
      'a threshold of four decimals',
      { thresholds: { general: { soft_gate: 0.1234 } } },
      '/thresholds/general/soft_gate',
    ],
    [
      'thresholds out of order in a task class',
      { thresholds: { task_classes: { x: { no_go: 0.1 } } } },
      '/thresholds/task_classes/x/no_go',
    ],
    ["a task class that can't be one", { thresholds: { task_classes: { 'X Y': {} } } }, '/thresholds/task_classes/X Y'],
    ['nobody to approve', { quorum: { escalated: 0 } }, '/quorum/escalated'],
    ['a time to live beyond a month', { ttl: { approval_ms: 31 * 86_400_000 } }, '/ttl/approval_ms'],
    ['no text', { cedar: undefined }, ''],
  ])('%s is refused with its place', (_, more, pointer) => {
    expect(wrongWith({ ...sourceOf(rule('a')), ...more }).map((problem) => problem.pointer)).toContain(pointer);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ["a kind that isn't known", { kind: 'sometimes' }, '/history/0/kind'],
    ['no number', { n: undefined }, '/history/0'],
    ['a fraction', { n: 1.5 }, '/history/0/n'],
    ['no tools', { tools: [] }, '/history/0/tools'],
    ["a tool that isn't there", { tools: ['fs.*', 'fs.raed'] }, '/history/0/tools/1'],
    ['the id of a rule of the text', { id: 'a' }, '/history/0/id'],
    ['a reserved id', { id: 'policy.error' }, '/history/0/id'],
    ["an earlier call that this kind doesn't ask about", { after: ['fs.read'] }, '/history/0/after'],
  ])('a history rule with %s is refused with its place', (_, more, pointer) => {
    const history = [{ id: 'h', kind: 'at_most', tools: ['*'], n: 1, then: 'refuse', reason: 'r', ...more }];
    expect(problemsOf(rule('a'), { history }).map((problem) => problem.pointer)).toContain(pointer);
  });

  test('an id that two history rules have is refused', () => {
    const one = { id: 'h', kind: 'never_after', tools: ['*'], after: ['fs.read'], then: 'refuse', reason: 'r' };
    expect(problemsOf(rule('a'), { history: [one, one] })).toMatchObject([{ pointer: '/history/1/id' }]);
  });

  test.each([null, 7, 'text', []])('%j is no policy set', (source) => {
    expect(wrongWith(source as never)).toHaveLength(1);
  });
});

describe('the hash', () => {
  const hash = (source: Partial<PolicySetSource>) => compilePolicySet({ ...DEFAULT_POLICY, ...source }).policy_hash;

  test('covers the whole document, in any order and with any line ends', () => {
    expect(hash({})).toMatch(/^[0-9a-f]{64}$/);
    expect(compilePolicySet(Object.fromEntries(Object.entries(DEFAULT_POLICY).reverse())).policy_hash).toBe(hash({}));
    expect(hash({ cedar: DEFAULT_POLICY.cedar.replaceAll('\n', '\r\n') })).toBe(hash({}));
    expect(hash({ quorum: { escalated: 1 } })).toBe(hash({}));
  });

  test.each<[string, Partial<PolicySetSource>]>([
    ['text', { cedar: `${DEFAULT_POLICY.cedar} ` }],
    ['name', { name: 'other' }],
    ['enforcement', { enforcement: 'observe' }],
    ['quorum', { quorum: { escalated: 2 } }],
    ['threshold', { thresholds: { general: { no_go: 1 } } }],
    ['time to live', { ttl: { preview_ms: 5000 } }],
    ['description', { description: 'x' }],
  ])('changes with the %s', (_, change) => {
    expect(hash(change)).not.toBe(hash({}));
  });
});
