// SPDX-License-Identifier: Apache-2.0
import { Fault, type Caller, type OperationView, type ProposedCall } from '@writ/contract';
import type { DialectCall, DialectName } from '@writ/dialects';
import { newId } from '@writ/nest-kit';
import type { ParsedCall } from '../../calls/parsed-call.ts';
import { FakeRuns } from '../../specs/fake-sessions.ts';
import { viewOf } from '../../specs/fake-views.ts';
import { ENDED, LEASE_MS, SUMS } from '../../specs/session-steps.ts';
import type { ModelView } from '../models/model-view.ts';
import type { Turn } from './turn-call.ts';
import { TurnSubAgents } from './turn-sub-agents.ts';

const caller = {
  tenant_id: newId('tenant') as Caller['tenant_id'],
  api_key_id: newId('apiKey'),
  role: 'agent',
  agent_id: newId('agent'),
} as Caller;
const CALL: DialectCall = {
  id: 'a1',
  name: 'subagent',
  tool_id: 'agent.spawn',
  args: { task: 'look around', rounds_max: 3 },
  mode: 'run',
  show: {},
  at: 0,
};
const turnIn = (dialect: DialectName, over: Partial<Turn> = {}): Turn => ({
  dialect,
  session_id: 'mine',
  turn_id: 't1',
  agent_id: caller.agent_id ?? '',
  capability_token_id: newId('token'),
  workspace_id: newId('workspace'),
  ...over,
});

let runs: FakeRuns;
let proposed: ParsedCall[];
let tokens: string[];
let names: string[];
let answer: (call: ParsedCall) => OperationView;
/** what happens while a turn waits for a sub-agent */
let meanwhile: () => Promise<void>;
let now: number;
let fault: Fault | null;
beforeEach(() => {
  [runs, proposed, tokens, names, now] = [new FakeRuns(), [], [], ['only'], 0];
  [meanwhile, fault] = [() => Promise.resolve(), null];
  const operation_id = newId('operation');
  answer = (call) =>
    viewOf({ ...call, operation_id, args_ref: null } as ProposedCall, 'no_op', {}, { result: { allowed: true } });
});

const subAgents = (): TurnSubAgents =>
  new TurnSubAgents({
    order: {
      proposeOne: async (_caller, call) => {
        proposed.push(call);
        return { kind: 'proposed', view: answer(call) };
      },
    },
    sessions: runs.sessions,
    models: {
      views: () => names.map((name) => ({ name }) as ModelView),
      read: (name) => (names.includes(name) ? ({ name } as never) : null),
    },
    tokenOf: async (_caller, operationId) => {
      if (fault !== null) throw fault;
      tokens.push(operationId);
      return `token of ${operationId}`;
    },
    monotonic: () => now,
    wait: async (ms) => {
      now += ms;
      await meanwhile();
    },
  });
const run = (turn: Turn, waitMs = 0, gone = new AbortController().signal) =>
  subAgents().run({ caller, turn, waitOptions: { waitMs, gone } }, CALL);
/** Drives the sub-agent's run to its end. */
async function drive(stopped: 'end' | 'limit' = 'end'): Promise<void> {
  const [claim] = await runs.work.claim({ rows: 1, tenantMax: 9, leaseMs: LEASE_MS, models: ['only'], goneMs: null });
  if (claim === undefined) return;
  await runs.work.append(
    claim,
    1,
    { kind: 'replied', turn: { text: 'It is quiet.', calls: [], stop: 'end' } },
    SUMS,
    1,
  );
  await runs.work.append(claim, 2, { kind: 'ended', stopped }, { ...ENDED, stopped }, LEASE_MS);
}

test.each<[DialectName, string]>([
  ['yips', 'yips'],
  ['blocks', 'blocks'],
  ['tools-xml', 'tools-xml'],
  ['anthropic', 'native'],
  ['openai', 'native'],
])(
  'a call of a turn in %s starts a sub-agent whose session is in %s, and answers with its last text',
  async (dialect, own) => {
    meanwhile = drive;
    const turn = turnIn(dialect, { session_mode: 'gateway', data_subject: 'person-1' });
    const { outcome, isUnderWay, view } = await run(turn, 1_000);
    expect([outcome.standing, isUnderWay ?? false]).toEqual(['completed', false]);
    expect(outcome.result).toMatchObject({ status: 'ok', text: 'It is quiet.', rounds: 1 });
    expect(proposed).toMatchObject([{ tool_id: 'agent.spawn', provenance: { source: 'turn', turn: 't1' } }]);
    const [kept] = runs.kept;
    expect(kept?.row).toMatchObject({
      dialect: own,
      model: 'only',
      session_mode: 'gateway',
      job_id: null,
      workspace_id: turn.workspace_id,
      capability_token_id: `token of ${view?.operation_id}`,
      spawned_by: { run_id: null, operation_id: view?.operation_id },
    });
    expect(kept?.content).toEqual({ system: null, base: [], data_subject: 'person-1' });
    expect(runs.runs[0]?.asked).toMatchObject({ input: 'look around', rounds_max: 3, role: 'agent' });
  },
);

test('a sub-agent that takes longer than the wait is named, and the same turn finds it later', async () => {
  const turn = turnIn('yips');
  const first = await run(turn, 600);
  expect(first).toMatchObject({
    isUnderWay: true,
    resultToShow: null,
    outcome: { standing: 'executing', result: { run_id: runs.runs[0]?.row.run_id, state: 'queued' } },
  });
  expect(now).toBe(600);
  await drive();
  expect((await run(turn)).outcome).toMatchObject({ standing: 'completed', result: { text: 'It is quiet.' } });
  expect([runs.kept.length, tokens.length]).toEqual([1, 1]);
});

test('a turn that nobody waits for any more leaves its sub-agent at work', async () => {
  expect(await run(turnIn('yips'), 60_000, AbortSignal.abort())).toMatchObject({ isUnderWay: true });
  expect(now).toBe(0);
});

test('a sub-agent that did not finish is a failed call with its last text', async () => {
  meanwhile = () => drive('limit');
  expect((await run(turnIn('yips'), 1_000)).outcome).toMatchObject({
    standing: 'failed',
    result: { status: 'error', stopped: 'limit', text: 'It is quiet.' },
  });
});

test('a call that the kernel holds or refuses starts nothing', async () => {
  for (const state of ['held', 'refused'] as const) {
    answer = (call) =>
      viewOf(
        { ...call, operation_id: newId('operation'), args_ref: null } as ProposedCall,
        state,
        {},
        { status: 'error', error: { code: 'policy.denied', message: 'no', hint: null } },
      );
    await run(turnIn('yips'), 1_000);
  }
  expect(runs.kept).toEqual([]);
});

test('a fault of the token that no retry mends is the result of the call, and another one is thrown', async () => {
  fault = new Fault('token.revoked');
  expect((await run(turnIn('yips'))).outcome).toMatchObject({ standing: 'failed', error: { code: 'token.revoked' } });
  fault = new Fault('database.unavailable');
  await expect(run(turnIn('yips'))).rejects.toMatchObject({ code: 'database.unavailable' });
  expect(runs.kept).toEqual([]);
});

describe('the model of a sub-agent', () => {
  const usedBy = async (over: Partial<Turn>): Promise<string> => {
    const { outcome } = await run(turnIn('yips', over));
    return outcome.error === null
      ? (runs.kept.at(0)?.row.model ?? '')
      : `${outcome.standing}: ${outcome.error.message}`;
  };

  test.each<[string, readonly string[], Partial<Turn>, string]>([
    ['named for sub-agents', ['a', 'b', 'c'], { sub_agent_model: 'b', model: 'a' }, 'b'],
    ['the turn’s own', ['a', 'b', 'c'], { model: 'c' }, 'c'],
    ['the only one', ['only'], { model: 'of-a-provider' }, 'only'],
  ])('is %s', async (_which, set, over, name) => {
    names = [...set];
    expect(await usedBy(over)).toBe(name);
  });

  test.each<[string, readonly string[], Partial<Turn>, RegExp]>([
    ['no model is set up', [], {}, /^denied: no model is set up here/],
    ['several are, and the turn names none', ['a', 'b'], {}, /^denied: several models are set up here/],
    ['the turn names one that is not there', ['a'], { sub_agent_model: 'b' }, /^denied: there is no such model/],
    ['the turn limits autonomy', ['a'], { max_autonomy: 'soft_gate' }, /^denied: a turn with `max_autonomy`/],
  ])('is missing where %s, and nothing is proposed', async (_what, set, over, message) => {
    names = [...set];
    expect(await usedBy(over)).toMatch(message);
    expect(proposed).toEqual([]);
  });
});
