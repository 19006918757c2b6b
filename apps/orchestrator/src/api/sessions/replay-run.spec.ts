// SPDX-License-Identifier: Apache-2.0
import type { ModelCall } from '@writ/agent-loop';
import { REPLAYED_MAX, type Caller, type RecordedCallRef, type TenantId } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import type { KeptEvent } from '../../store/session-rows/run-events.ts';
import { FakeRuns } from '../../specs/fake-sessions.ts';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { CALL_CURSOR, ReplayRun } from './replay-run.ts';

const [tenant, agent] = [newId('tenant'), newId('agent')];
const caller: Caller = { tenant_id: tenant, api_key_id: newId('apiKey'), role: 'operator', agent_id: null };
const candidate = { policy_hash: '0'.repeat(64), name: 'strict', enforcement: 'enforce' };
const answer = (mode: 'autopilot' | 'soft_gate' | 'escalated' | 'no_go') => ({
  verdict: ({ autopilot: 'admitted', soft_gate: 'held', escalated: 'held', no_go: 'refused' } as const)[mode],
  mode,
  decided: mode,
  rule_ids: [],
  reasons: [],
});

let runs: FakeRuns;
let asked: { document: unknown; policy: unknown; calls: RecordedCallRef[] }[];
/** the kernel's operations, by operation id or key */
let known: Map<
  string,
  { operation_id: string; tool_id: string; was: unknown; would_be: unknown; why_not: string | null }
>;
let replay: ReplayRun;
beforeEach(() => {
  [runs, asked, known] = [new FakeRuns(), [], new Map()];
  const ask = (verb: string, _caller: Caller, request: (typeof asked)[number]): Promise<unknown> => {
    expect(verb).toBe('policy.replay');
    asked.push(request);
    return Promise.resolve({
      candidate,
      items: request.calls.map(
        (ref) => known.get('operation_id' in ref ? ref.operation_id : ref.idempotency_key) ?? null,
      ),
    });
  };
  replay = new ReplayRun({ ask } as unknown as KernelClient, runs.sessions);
});

async function made(events: readonly KeptEvent[]): Promise<string> {
  const session = await runs.sessions.create(
    tenant as TenantId,
    {
      session_id: newId('session'),
      name: null,
      agent_id: agent,
      workspace_id: 'wsp_1',
      capability_token_id: 'cap_1',
      dialect: 'native',
      model: 'm',
      forked_from: null,
      spawned_by: null,
      job_id: null,
      session_mode: 'interactive',
      scheduling_class: null,
      created_by: 'key_1',
      content: { system: null, base: [] },
    },
    10,
  );
  const run = await runs.sessions.queue(
    tenant as TenantId,
    {
      run_id: newId('run'),
      session_id: session.session_id,
      idempotency_key: null,
      input: 'do it',
      rounds_max: null,
      tokens_max: null,
      cost_max: null,
      created_by: newId('apiKey'),
      role: 'admin',
      principal: null,
    },
    { runsMax: 10, unendedMax: 10 },
  );
  const id = run?.run_id ?? '';
  runs.run(tenant, id)?.events.push(...events.map((event, n) => ({ seq: n + 1, at: 0, event })));
  return id;
}
const replied = (...tools: readonly (string | Partial<ModelCall>)[]): KeptEvent => ({
  kind: 'replied',
  turn: {
    text: '',
    stop: 'tool_use',
    calls: tools.map((tool, n) => ({
      id: `c${n}`,
      tool_id: 'fs.read',
      args: {},
      ...(typeof tool === 'string' ? { tool_id: tool } : tool),
    })),
  },
});
const answered = (round: number, index: number, operation_id?: string, below?: string): KeptEvent => ({
  kind: 'answered',
  round,
  index,
  answer: {
    text: '',
    standing: 'completed',
    is_error: false,
    ...(operation_id === undefined ? {} : { operation_id }),
    ...(below === undefined ? {} : { below: { run_id: below, tokens: 0, cost: 0 } }),
  },
});
const knows = (
  name: string,
  was: Parameters<typeof answer>[0],
  would_be: Parameters<typeof answer>[0],
  operation_id = name,
) => known.set(name, { operation_id, tool_id: 'fs.read', was: answer(was), would_be: answer(would_be), why_not: null });
const places = ({ items }: { items: readonly { round: number; index: number; operation_id: string | null }[] }) =>
  items.map(({ round, index, operation_id }) => [round, index, operation_id]);

it('evaluates each call of the run in order, and tells where the conversation diverges', async () => {
  const id = await made([
    replied('fs.read', 'fs.write'),
    answered(1, 1, 'op_b'),
    answered(1, 0, 'op_a'),
    replied('shell.run'),
    { kind: 'held', round: 2, index: 0, held: { operation_id: 'op_c', waits_for: 'approval', text: '' } },
  ]);
  knows('op_a', 'autopilot', 'autopilot');
  knows('op_b', 'soft_gate', 'escalated');
  knows('op_c', 'soft_gate', 'no_go');
  const told = await replay.run(caller, id, { policy: 'strict', limit: 100 });
  expect(places(told)).toEqual([
    [1, 0, 'op_a'],
    [1, 1, 'op_b'],
    [2, 0, 'op_c'],
  ]);
  expect(told).toMatchObject({
    run_id: id,
    candidate,
    next_cursor: null,
    parts_at: { run_id: id, round: 2, index: 0 },
    counts: { examined: 3, skipped: 0, changed: 2, would_be: { admitted: 1, held: 1, refused: 1 } },
  });
  expect(asked).toMatchObject([{ policy: 'strict', document: null }]);
});

it("finds a call without an event by the key of its position, and the run's own read", async () => {
  const id = await made([replied('fs.write'), { kind: 'cancelled', by: 'asked' }]);
  knows(`${id}/0/0`, 'autopilot', 'no_go', 'op_notes');
  knows(`${id}/1/0`, 'autopilot', 'autopilot', 'op_a');
  const told = await replay.run(caller, id, { limit: 100 });
  expect([places(told), told.parts_at]).toEqual([
    [
      [0, 0, 'op_notes'],
      [1, 0, 'op_a'],
    ],
    { run_id: id, round: 0, index: 0 },
  ]);
  expect(asked[0]?.calls[1]).toEqual({ agent_id: agent, tool_id: 'fs.write', idempotency_key: `${id}/1/0` });
});

it('does not evaluate texts that never became a call, and marks them', async () => {
  const id = await made([
    replied({ problem: 'the arguments are no object' }, { tool_id: 'x'.repeat(200) }, { tool_id: '' }, 'fs.read'),
    answered(1, 3, 'op_a'),
  ]);
  knows('op_a', 'autopilot', 'no_go');
  const told = await replay.run(caller, id, { limit: 100 });
  expect(places(told)).toEqual([
    [1, 0, null],
    [1, 1, null],
    [1, 2, null],
    [1, 3, 'op_a'],
  ]);
  expect(told).toMatchObject({
    counts: { examined: 4, skipped: 3 },
    parts_at: { round: 1, index: 3 },
    items: [{ why_not: expect.stringContaining('refused before') as string }, {}, {}, { why_not: null }],
  });
  expect(asked.flatMap(({ calls }) => calls)).toHaveLength(2);
});

it("lists a sub-agent's calls after the call that started it", async () => {
  const below = await made([replied('fs.read'), answered(1, 0, 'op_below')]);
  const id = await made([replied('agent.spawn', 'fs.read'), answered(1, 0, 'op_spawn', below), answered(1, 1, 'op_b')]);
  const told = await replay.run(caller, id, { limit: 100 });
  expect(told.items.map(({ run_id, round, index }) => [run_id === below, round, index])).toEqual([
    [false, 1, 0],
    [true, 1, 0],
    [false, 1, 1],
  ]);
});

it('returns pages in slices that fit a message, without gaps between pages', async () => {
  const count = REPLAYED_MAX * 2 + 3;
  const id = await made(
    Array.from({ length: count }, (_each, n) => [replied('fs.read'), answered(n + 1, 0, `op_${n}`)]).flat(),
  );
  for (let n = 0; n < count; n += 1) knows(`op_${n}`, 'autopilot', 'autopilot');
  const seen: (string | null)[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await replay.run(caller, id, { cursor, limit: REPLAYED_MAX + 1 });
    seen.push(...page.items.map(({ operation_id }) => operation_id));
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
  }
  expect(seen).toEqual(Array.from({ length: count }, (_each, n) => `op_${n}`));
  expect(Math.max(...asked.map(({ calls }) => calls.length))).toBe(REPLAYED_MAX);
});

it("answers the same for a missing run and another tenant's, and refuses a cursor of another run", async () => {
  const id = await made([replied('fs.read')]);
  const other = { ...caller, tenant_id: newId('tenant') };
  for (const [by, run] of [
    [other, id],
    [caller, newId('run')],
  ] as const)
    await expect(replay.run(by, run, { limit: 1 })).rejects.toMatchObject({ code: 'not_found' });
  const ofAnotherRun = CALL_CURSOR.format({ run_id: newId('run'), round: 1, index: 0 });
  await expect(replay.run(caller, id, { limit: 1, cursor: ofAnotherRun })).rejects.toMatchObject({
    code: 'request.malformed',
  });
  expect(asked).toEqual([]);
});
