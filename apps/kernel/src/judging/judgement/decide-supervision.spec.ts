// SPDX-License-Identifier: Apache-2.0
import { AUTONOMY_MODES, type AutonomyMode } from '@writ/contract';
import fc from 'fast-check';
import type { JudgedCall } from './call.ts';
import { decideSupervision, stricter, type GivenApproval } from './decide-supervision.ts';

const modes = fc.constantFrom(...AUTONOMY_MODES);
const sessions = fc.constantFrom<JudgedCall['session_mode'][]>('interactive', 'gateway', 'scheduled');
const approvals = fc.constantFrom<(GivenApproval | null)[]>(
  null,
  { satisfies: 'soft_gate' },
  { satisfies: 'escalated' },
);
const call = (session_mode: JudgedCall['session_mode'], max_autonomy: AutonomyMode | null): JudgedCall =>
  ({ session_mode, max_autonomy }) as JudgedCall;
const required = (autonomy_mode: AutonomyMode) => ({
  autonomy_mode,
  decided: autonomy_mode,
  approvers: null,
  risk_score: 0,
  risk_basis: [],
  rule_ids: [],
  reasons: [{ code: 'r', message: 'because' }],
});

describe('supervision', () => {
  it('is never less than the policy requires, in any session', () => {
    fc.assert(
      fc.property(modes, fc.option(modes), sessions, approvals, (policy, max, session, approval) => {
        const { mode } = decideSupervision(call(session, max), required(policy), approval);
        expect(stricter(mode, policy)).toBe(mode);
      }),
    );
  });

  it('lets nothing run without a required approval, and nothing at all that no person may approve', () => {
    fc.assert(
      fc.property(modes, fc.option(modes), sessions, approvals, (policy, max, session, approval) => {
        const corridor = decideSupervision(call(session, max), required(policy), approval);
        if (corridor.effect !== 'allow') return;
        expect(corridor.mode).not.toBe('no_go');
        if (corridor.mode !== 'autopilot') expect(approval).not.toBeNull();
        if (corridor.mode === 'escalated') expect(approval?.satisfies).toBe('escalated');
      }),
    );
  });

  it('holds a call only in an interactive session, and never for an approval that it has', () => {
    fc.assert(
      fc.property(modes, fc.option(modes), sessions, approvals, (policy, max, session, approval) => {
        const corridor = decideSupervision(call(session, max), required(policy), approval);
        if (corridor.effect === 'hold')
          expect({ session, approval }).toEqual({ session: 'interactive', approval: null });
      }),
    );
  });

  it('gives a refusal a message, and a hint where something would have helped', () => {
    expect(decideSupervision(call('interactive', null), required('no_go'), null)).toMatchObject({
      code: 'policy.denied',
      message: 'because',
    });
    expect(decideSupervision(call('interactive', 'no_go'), required('autopilot'), null)).toMatchObject({
      code: 'policy.denied',
      message: 'the session permits no action',
    });
    expect(decideSupervision(call('gateway', null), required('soft_gate'), null)).toMatchObject({
      code: 'policy.denied',
      hint: expect.stringContaining('interactive') as string,
    });
    expect(
      decideSupervision(call('interactive', null), required('escalated'), { satisfies: 'soft_gate' }),
    ).toMatchObject({ code: 'approval.stale' });
  });

  it("gives a refusal of the policy the ways to pass, in the rules' words, each once", () => {
    const withHints = (mode: AutonomyMode) => ({
      ...required(mode),
      would_pass: ['another file', 'a lower risk', 'another file'],
    });
    const no = (session: JudgedCall['session_mode'], mode: AutonomyMode) =>
      decideSupervision(call(session, null), withHints(mode), null);
    expect(no('interactive', 'no_go')).toMatchObject({ hint: 'it would pass: another file; and a lower risk' });
    expect(no('gateway', 'soft_gate')).toMatchObject({
      hint: 'propose it in an interactive session, where it waits for the approval. it would pass: another file; and a lower risk',
    });
    expect(decideSupervision(call('interactive', null), required('no_go'), null)).not.toHaveProperty('hint');
  });

  it('gives a held call the way to pass without a person, as its last reason', () => {
    const corridor = decideSupervision(
      call('interactive', null),
      { ...required('soft_gate'), would_pass: ['a person approves it', 'another file'] },
      null,
    );
    expect(corridor).toMatchObject({
      effect: 'hold',
      reasons: [
        { code: 'r' },
        { code: 'policy.would_pass', message: 'it would pass: a person approves it; and another file' },
      ],
    });
    expect(decideSupervision(call('interactive', null), required('soft_gate'), null)).toMatchObject({
      reasons: [{ code: 'r', message: 'because' }],
    });
  });
});
