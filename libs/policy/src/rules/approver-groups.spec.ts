// SPDX-License-Identifier: Apache-2.0
import { decidePolicy } from '../decide/decide-policy.ts';
import { groupsNamedIn } from '../groups-named-in.ts';
import { PLAIN_ASK } from '../plain-request.contract.ts';
import { compilePolicySet } from '../policy-set.ts';
import { PolicySetError } from '../problems.ts';
import type { PolicySetSource } from '../document/policy-document.ts';

const ALL = '@id("all") @reason("everything is permitted") permit (principal, action, resource);\n';
const reserve = (approvers: string, more = '', when = ''): string =>
  `@id("r") @reason("reserved") @approvers("${approvers}") ${more} forbid (principal, action, resource) ${when};\n`;
const compile = (cedar: string, rest: Partial<PolicySetSource> = {}) =>
  compilePolicySet({ v: 1, name: 'a', cedar: `${ALL}${cedar}`, ...rest });
const problems = (cedar: string, rest: Partial<PolicySetSource> = {}): string[] => {
  try {
    compile(cedar, rest);
    return [];
  } catch (error) {
    if (error instanceof PolicySetError) return error.problems.map(({ message }) => message);
    throw error;
  }
};

describe('a rule with `@approvers`', () => {
  test.each([
    ['without a group', reserve('')],
    ['with a name that no group can have', reserve('Finance')],
    ['with an empty name between commas', reserve('finance,,legal')],
  ])('is refused %s', (_, cedar) => {
    expect(problems(cedar)).toEqual(['`@approvers` names groups, of lower-case letters, digits, `.`, `_` and `-`']);
  });

  test('is refused with a group twice, and with more than eight', () => {
    expect(problems(reserve('finance, finance'))).toEqual(['`@approvers` names a group twice']);
    expect(problems(reserve('a,b,c,d,e,f,g,h,i'))).toEqual(['`@approvers` names 9 groups, and 8 are allowed']);
  });

  test('is a `forbid`, redacts nothing and does not ask for the supervision', () => {
    expect(problems(reserve('finance').replace('forbid', 'permit'))).toEqual([
      'a rule with `@approvers` is a `forbid`',
    ]);
    expect(problems(reserve('finance', '@redact("/a")')).at(0)).toBe('a rule with `@approvers` redacts nothing');
    expect(problems(reserve('finance', '', 'when { context.supervision == "autopilot" }'))).toEqual([
      "a rule with `@approvers` can't ask for `context.supervision`",
    ]);
  });

  test('refuses the call where it fails', () => {
    const { mode, fault } = decidePolicy(
      compile(reserve('finance', '', 'when { context.risk_milli * 9223372036854775807 > 1 }')),
      { ...PLAIN_ASK, risk_milli: 2 },
    );
    expect({ mode, fault }).toEqual({ mode: 'no_go', fault: 'policy.error' });
  });

  test('applies in a set that observes only where the call is held anyway', () => {
    const set = compile(reserve('finance'), { enforcement: 'observe' });
    expect(decidePolicy(set, PLAIN_ASK)).toMatchObject({ mode: 'autopilot', decided: 'soft_gate', approvers: null });
    expect(decidePolicy(set, { ...PLAIN_ASK, max_autonomy: 'soft_gate' }).approvers).toEqual({
      count: 1,
      role: 'operator',
      groups: [{ any_of: ['finance'], count: 1 }],
    });
  });

  test('changes the hash of the set', () => {
    expect(compile(reserve('finance')).policy_hash).not.toBe(compile(reserve('legal')).policy_hash);
  });
});

describe('what happens while a call waits', () => {
  const step = (after_ms: number, ...to: string[]) => ({ after_ms, to });

  test('names groups beside those of the rules', () => {
    const waiting = { escalation: [step(1_000, 'leads'), step(2_000, 'board', 'leads')] };
    expect(groupsNamedIn(compile(reserve('legal, finance'), { waiting }))).toEqual([
      'board',
      'finance',
      'leads',
      'legal',
    ]);
  });

  test('is refused out of order, after the end, and without a group', () => {
    expect(problems('', { waiting: { escalation: [step(2_000, 'a'), step(2_000, 'b')] } })).toEqual([
      'it comes no later than the step before',
    ]);
    expect(problems('', { waiting: { escalation: [step(86_400_000, 'a')] } })).toEqual([
      'the approval has expired by then',
    ]);
    expect(problems('', { waiting: { reminders_ms: [86_400_000] } })).toEqual(['no approval waits that long']);
    expect(problems('', { waiting: { escalation: [step(2_000)] } })).toHaveLength(1);
  });

  test('is part of the hash', () => {
    const hashOf = (waiting: PolicySetSource['waiting']) => compile('', { waiting }).policy_hash;
    expect(hashOf({ reminders_ms: [1_000] })).not.toBe(hashOf({ reminders_ms: [2_000] }));
  });
});
