// SPDX-License-Identifier: Apache-2.0
import { newRun as newState } from '@writ/agent-loop';
import type { Caller, TenantId } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { newRun, newSession } from '../../specs/session-steps.ts';
import { FakeRuns } from '../../specs/fake-sessions.ts';
import { SubAgents, type ParentRun } from './sub-agents.ts';

const LEASE_MS = 60_000;
const SUMS = {
  state: 'ended',
  stopped: 'end',
  fault: null,
  rounds: 1,
  input_tokens: 7,
  cached_tokens: 0,
  output_tokens: 3,
  cost: 20,
} as const;

test('a sub-agent gets the remaining limits of its parent run, which receives the total usage below it', async () => {
  const [runs, tenant] = [new FakeRuns(), newId('tenant') as TenantId];
  const { session_id } = await runs.sessions.create(tenant, newSession(), 10);
  await runs.sessions.queue(tenant, newRun(session_id, newId('apiKey'), { tokens_max: 100, cost_max: 500 }), {
    runsMax: 5,
    unendedMax: 5,
  });
  const claim = async () =>
    (await runs.work.claim({ rows: 1, tenantMax: 5, leaseMs: LEASE_MS, models: ['m'], goneMs: null }))[0]!;
  const above = await claim();
  const state = {
    ...newState([]),
    usage: { input_tokens: 20, cached_tokens: 0, output_tokens: 10 },
    below: { tokens: 5, cost: 40 },
  };
  const given: ParentRun = {
    claim: above,
    open: await runs.work.open(above),
    caller: {} as Caller,
    state,
    prices: { input: 1_000_000, cached: 0, output: 1_000_000 },
  };
  const agents = new SubAgents(runs.work, async () => newId('token'));
  const [operationId, call] = [newId('operation'), { id: 'c', tool_id: 'agent.spawn', args: { task: 'a part' } }];
  const held = await agents.answer(given, call, operationId);
  const { run } = (await runs.work.subAgentRun(above, operationId))!;
  expect([held, run]).toMatchObject([
    { held: { waits_for: 'run', run_id: run.run_id } },
    { tokens_max: 65, cost_max: 430, rounds_max: 10 },
  ]);
  expect([await agents.isOver(above, operationId), await agents.answer(given, call, operationId)]).toEqual([
    false,
    held,
  ]);
  const below = await claim();
  const answer = {
    text: '',
    standing: 'completed',
    is_error: false,
    below: { run_id: newId('run'), tokens: 100, cost: 1_000 },
  } as const;
  await runs.work.append(
    below,
    1,
    { kind: 'answered', round: 1, index: 0, answer },
    { ...SUMS, state: 'running', stopped: null },
    LEASE_MS,
  );
  await runs.work.append(
    below,
    2,
    { kind: 'replied', turn: { text: 'It is done.', calls: [], stop: 'end' } },
    { ...SUMS, state: 'running', stopped: null },
    LEASE_MS,
  );
  await runs.work.append(below, 3, { kind: 'ended', stopped: 'end' }, SUMS, LEASE_MS);
  expect([await agents.isOver(above, operationId), await agents.answer(given, call, operationId)]).toMatchObject([
    true,
    {
      is_error: false,
      below: { run_id: run.run_id, tokens: 110, cost: 1_020 },
      text: expect.stringContaining('It is done.') as string,
    },
  ]);
});
