// SPDX-License-Identifier: Apache-2.0
import { callCedar, CedarFailure, cedarGeneration } from './cedar-instance.ts';
import { decidePolicy } from './decide/decide-policy.ts';
import { PLAIN_ASK } from './plain-request.contract.ts';
import { compilePolicySet } from './policy-set.ts';
import { slotsInUse } from './rules/slots.ts';
import { DEFAULT_POLICY } from './sets/default-policy.ts';

/** Deep enough to overflow the stack of Cedar's parser; the limits on a set's texts refuse such depth. */
const DEEP = `permit (principal, action, resource) when { ${'('.repeat(20_000)}true${')'.repeat(20_000)} };`;
const trap = () => callCedar((cedar) => cedar.policyToJson(DEEP));
/** The next instance ends at what it is asked then. */
const sabotage = (what: 'statefulIsAuthorized' | 'preparsePolicySet' | 'validate'): void => {
  // The first one is a module's namespace, which can't be changed.
  expect(trap).toThrow(CedarFailure);
  callCedar((cedar) =>
    Object.assign(cedar, {
      [what]: () => {
        throw new RangeError('memory access out of bounds');
      },
    }),
  );
};
const standard = compilePolicySet(DEFAULT_POLICY);

describe('a trap in Cedar', () => {
  it('fails that call alone: the next one has a new instance, without the state of the old one', () => {
    expect(decidePolicy(standard, PLAIN_ASK).mode).toBe('autopilot');
    const before = cedarGeneration();
    expect(trap).toThrow(CedarFailure);
    expect(cedarGeneration()).toBe(before + 1);
    expect(decidePolicy(standard, PLAIN_ASK)).toMatchObject({ mode: 'autopilot', errors: [] });
    expect(slotsInUse().slots).toBe(1);
    expect(compilePolicySet(DEFAULT_POLICY).policy_hash).toBe(standard.policy_hash);
  });

  it('fails each time it is repeated, and never returns an answer', () => {
    for (let times = 0; times < 5; times += 1) {
      expect(trap).toThrow(CedarFailure);
      expect(decidePolicy(standard, { ...PLAIN_ASK, risk_ceiling: 'no_go' }).mode).toBe('no_go');
    }
  });

  it.each(['statefulIsAuthorized', 'preparsePolicySet'] as const)(
    'in `%s` while a call is decided refuses the call, as a rule that fails does',
    (what) => {
      sabotage(what);
      expect(decidePolicy(standard, PLAIN_ASK)).toMatchObject({
        mode: 'no_go',
        errors: ['the policy engine failed'],
        reasons: [{ code: 'policy.error', message: 'the policy engine failed' }],
      });
      expect(decidePolicy(standard, PLAIN_ASK)).toMatchObject({ mode: 'autopilot', errors: [] });
    },
  );

  it('while a set is read is reported as a problem of the set', () => {
    sabotage('validate');
    const other = { v: 1, name: 'other', cedar: '@id("a") permit (principal, action, resource);' };
    expect(() => compilePolicySet(other)).toThrow(
      expect.objectContaining({
        problems: [expect.objectContaining({ pointer: '/cedar', message: 'the policy engine gave up on the rules' })],
      }),
    );
    expect(compilePolicySet(other).rules.size).toBe(1);
  });
});
