// SPDX-License-Identifier: Apache-2.0
import { FS_WRITE, type ProposedCall } from '@writ/contract';
import { callBudget } from '@writ/capability';
import type { CallFacts, Judgement } from '../../judging/judgement/index.ts';
import { FactCache, type CachedFacts } from './fact-cache.ts';

const call = (more: Partial<ProposedCall> = {}) =>
  ({
    tenant_id: 'ten_a',
    agent_id: 'agt_a',
    tool_id: 'fs.write',
    capability_token_id: 'cap_a',
    workspace_id: 'wsp_a',
    session_id: null,
    session_mode: 'interactive',
    task_class: 'general',
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

const recordUse = (wasAdmitted: boolean, room: number | null = null): void =>
  cache.recordUse(call(), { queueHeadroom: room } as CachedFacts, clock, wasAdmitted);

let clock = 0;
let cache: FactCache;
beforeEach(() => {
  clock = 50;
  cache = new FactCache(() => clock);
  cache.store(call(), facts, whole, 40);
});

describe('the cached facts of an admission', () => {
  it('are returned for the next call of the kind, with the current time', () => {
    clock = 140;
    expect(cache.find(call())).toEqual({
      now: 1_100,
      head: 'snap_a',
      chain: [],
      rules: { policy: null, labels: [], history: null },
      past: null,
      cached: true,
      queueHeadroom: 16,
      backgroundQueueFull: false,
      existing: null,
      claim: null,
      agent: true,
      frozen: null,
      keyRevoked: false,
      closed: false,
      tool: null,
      versions: null,
      needs: null,
      queueFull: false,
      outbox: { oldest: null, rows: 0 },
    });
    expect(cache.find(call())).not.toBeNull();
  });

  it.each(['tenant_id', 'agent_id', 'tool_id', 'capability_token_id', 'workspace_id', 'session_id'])(
    'are not returned for a call of another %s',
    (which) => {
      cache.moved('ten_a', 'other', 'snap_a');
      cache.moved('other', 'wsp_a', 'snap_a');
      expect(cache.find(call({ [which]: 'other' }))).toBeNull();
    },
  );

  it('are not returned when they are too old, for a dry run or for a call with preconditions', () => {
    expect(cache.find(call({ dry_run: true }))).toBeNull();
    expect(cache.find(call({ precondition_refs: [{ kind: 'path', ref: 'a', version: 'absent' }] }))).toBeNull();
    clock = 60_041;
    expect(cache.find(call())).toBeNull();
  });

  it.each([
    ['counts of the past', { needs: [] }, {}],
    ['no workspace', { head: null }, {}],
    ['less than the call may use', {}, { limits: { ...callBudget(FS_WRITE), wall_ms: 1 } }],
  ])('are not cached with %s', (_what, otherFacts, otherJudgement) => {
    cache = new FactCache(() => clock);
    cache.store(call(), { ...facts, ...otherFacts }, { ...whole, ...otherJudgement }, 40);
    cache.moved('ten_a', 'wsp_a', 'snap_a');
    expect(cache.find(call())).toBeNull();
  });

  it('have the newest head that was reported', () => {
    cache.moved('ten_a', 'wsp_a', 'snap_b');
    expect(cache.find(call())?.head).toBe('snap_b');
  });

  it('are dropped on a miss, and used half as often after each further miss, until one hit', () => {
    const readsUntilTaken = (): number => {
      recordUse(false);
      for (let reads = 0; ; reads += 1) {
        if (cache.find(call()) !== null) return reads;
        cache.store(call(), facts, whole, 40);
      }
    };
    expect(Array.from({ length: 9 }, readsUntilTaken)).toEqual([1, 2, 4, 8, 16, 32, 64, 64, 64]);
    recordUse(true);
    expect(readsUntilTaken()).toBe(1);
  });

  it('request queue room until it was found, and then not for the calls that it covers', () => {
    expect(cache.find(call())?.queueHeadroom).toBe(16);
    recordUse(false, 16);
    cache.store(call(), facts, whole, 40);
    expect(cache.find(call())?.queueHeadroom).toBe(16);
    recordUse(true, 16);
    expect(Array.from({ length: 16 }, () => cache.find(call())?.queueHeadroom)).toEqual([
      ...Array.from({ length: 15 }, () => null),
      16,
    ]);
  });

  it('request queue room for background calls that interactive calls did not find', () => {
    recordUse(true, 16);
    expect([call(), call({ task_class: 'background' })].map((each) => cache.find(each)?.queueHeadroom)).toEqual([
      null,
      16,
    ]);
  });
});
