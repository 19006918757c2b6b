// SPDX-License-Identifier: Apache-2.0
import { FS_WRITE, type ProposedCall } from '@writ/contract';
import { callBudget } from '@writ/capability';
import type { CallFacts, Judgement } from '../../judging/judgement/index.ts';
import { FactMemory, type RememberedFacts } from './fact-memory.ts';

const call = (more: Partial<ProposedCall> = {}) =>
  ({
    tenant_id: 'ten_a',
    agent_id: 'agt_a',
    tool_id: 'fs.write',
    capability_token_id: 'cap_a',
    workspace_id: 'wsp_a',
    session_id: null,
    dry_run: false,
    precondition_refs: [],
    ...more,
  }) as unknown as ProposedCall;
const facts = {
  now: 1_000,
  head: 'snap_a',
  needs: null,
  past: null,
  chain: [],
  rules: { policy: null, labels: [], history: null },
  existing: null,
  claim: null,
  outbox: { oldest: 900, rows: 3 },
} as unknown as CallFacts;
const whole = { tool: FS_WRITE, limits: callBudget(FS_WRITE) } as Judgement;

const proved = (held: boolean, room: number | null = null): void =>
  memory.proved(call(), { room } as RememberedFacts, clock, held);

let clock = 0;
let memory: FactMemory;
beforeEach(() => {
  clock = 50;
  memory = new FactMemory(() => clock);
  memory.keep(call(), facts, whole, 40);
});

describe('what an admission was decided on', () => {
  it('is given to the next of its kind, with the time moved on since it was read', () => {
    clock = 140;
    expect(memory.take(call())).toEqual({
      now: 1_100,
      head: 'snap_a',
      chain: [],
      rules: { policy: null, labels: [], history: null },
      past: null,
      remembered: true,
      room: 16,
      existing: null,
      claim: null,
      agent: true,
      frozen: null,
      keyRevoked: false,
      tool: null,
      versions: null,
      needs: null,
      queueFull: false,
      outbox: { oldest: null, rows: 0 },
    });
    expect(memory.take(call())).not.toBeNull();
  });

  it.each(['tenant_id', 'agent_id', 'tool_id', 'capability_token_id', 'workspace_id', 'session_id'])(
    'is given to no call of another %s',
    (which) => {
      memory.moved('ten_a', 'other', 'snap_a');
      memory.moved('other', 'wsp_a', 'snap_a');
      expect(memory.take(call({ [which]: 'other' }))).toBeNull();
    },
  );

  it('is not given once clocks may have drifted apart, nor to a dry run or a call that relies on something', () => {
    expect(memory.take(call({ dry_run: true }))).toBeNull();
    expect(memory.take(call({ precondition_refs: [{ kind: 'path', ref: 'a', version: 'absent' }] }))).toBeNull();
    clock = 60_041;
    expect(memory.take(call())).toBeNull();
  });

  it.each([
    ['counts of the past', { needs: [] }, {}],
    ['no workspace', { head: null }, {}],
    ['less than the call may use', {}, { limits: { ...callBudget(FS_WRITE), wall_ms: 1 } }],
  ])('is not kept with %s', (_what, otherFacts, otherJudgement) => {
    memory = new FactMemory(() => clock);
    memory.keep(call(), { ...facts, ...otherFacts }, { ...whole, ...otherJudgement }, 40);
    memory.moved('ten_a', 'wsp_a', 'snap_a');
    expect(memory.take(call())).toBeNull();
  });

  it('has the newest head that is known', () => {
    memory.moved('ten_a', 'wsp_a', 'snap_b');
    expect(memory.take(call())?.head).toBe('snap_b');
  });

  it('is forgotten when it did not hold, and tried half as often each further time, until it holds once', () => {
    const readsUntilTaken = (): number => {
      proved(false);
      for (let reads = 0; ; reads += 1) {
        if (memory.take(call()) !== null) return reads;
        memory.keep(call(), facts, whole, 40);
      }
    };
    expect(Array.from({ length: 9 }, readsUntilTaken)).toEqual([1, 2, 4, 8, 16, 32, 64, 64, 64]);
    proved(true);
    expect(readsUntilTaken()).toBe(1);
  });

  it('asks for room in the queue until it was found, and then not for the calls that it was found for', () => {
    expect(memory.take(call())?.room).toBe(16);
    proved(false, 16);
    memory.keep(call(), facts, whole, 40);
    expect(memory.take(call())?.room).toBe(16);
    proved(true, 16);
    expect(Array.from({ length: 16 }, () => memory.take(call())?.room)).toEqual([
      ...Array.from({ length: 15 }, () => null),
      16,
    ]);
  });
});
