// SPDX-License-Identifier: Apache-2.0
import { Model, ModelError, type Conversation, type ModelDelta, type ModelTurn, type RunEvent } from '@writ/agent-loop';
import { Fault, type AgentId, type FaultCode, type OperationView, type TenantId } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { newRun, newSession } from '../../specs/session-steps.ts';
import type { RunClaim, RunRow, SessionRow } from '../../store/session-rows/sessions.ts';
import type { ParsedCall } from '../../calls/parsed-call.ts';
import { FakeRuns } from '../../specs/fake-sessions.ts';
import type { DriveParts } from './drive-parts.ts';
import { DriveRun, LEASE_MS } from './drive-run.ts';
import type { ConfiguredModel } from '../models/models-file.ts';
import { Models } from '../models/models.ts';
import { SubAgents } from './sub-agents.ts';
import { NO_METRICS } from '../../specs/no-metrics.ts';

const asks = (...ids: string[]): ModelTurn => ({
  text: '',
  calls: ids.map((id) => ({ id, tool_id: 'fs.write', args: { path: id } })),
  stop: 'tool_use',
});
const says = (text: string): ModelTurn => ({ text, calls: [], stop: 'end' });
const SUMS = {
  state: 'running',
  stopped: null,
  fault: null,
  rounds: 1,
  input_tokens: 0,
  cached_tokens: 0,
  output_tokens: 0,
  cost: null,
} as const;

class GivenModel extends Model {
  readonly name = 'm';
  readonly #replies: (ModelTurn | Error)[];
  constructor(replies: (ModelTurn | Error)[]) {
    super();
    this.#replies = replies;
  }
  override async *reply(_conversation: Conversation): AsyncGenerator<ModelDelta, ModelTurn, void> {
    const next = this.#replies.shift() ?? says('done');
    if (next instanceof Error) throw next;
    return next;
  }
}

/** A run with stored events, and a kernel that holds and decides as the test sets it. */
async function begun(
  replies: (ModelTurn | Error)[],
  {
    kept = [],
    dialect = 'native',
    parts = {},
  }: { kept?: readonly RunEvent[]; dialect?: SessionRow['dialect']; parts?: Partial<DriveParts> } = {},
) {
  const runs = new FakeRuns();
  const tenant = newId('tenant') as TenantId;
  const { session_id } = await runs.sessions.create(
    tenant,
    newSession({ dialect, agent_id: newId('agent') as AgentId }),
    10,
  );
  const run = (await runs.sessions.queue(tenant, newRun(session_id, newId('apiKey'), { input: 'do it' }), {
    runsMax: 5,
    unendedMax: 5,
  })) as RunRow;
  const again = async (): Promise<RunClaim> => {
    runs.now += LEASE_MS + 10_000;
    return (await runs.work.claim({ rows: 1, tenantMax: 10, leaseMs: LEASE_MS, models: ['m'], goneMs: null }))[0]!;
  };
  const claim = await again();
  if (kept.length > 0) await runs.work.begin(claim, { system: 's', tools: [] });
  for (const [n, event] of kept.entries()) await runs.work.append(claim, n + 1, event, SUMS, LEASE_MS);
  const proposed: string[] = [];
  const cancelled: string[] = [];
  const model = {
    name: 'm',
    provider: 'openai',
    model: 'm',
    apiKey: 'k',
    base_url: undefined,
    idle_ms: undefined,
    prices: null,
    currency: null,
    context_tokens_max: null,
  } as ConfiguredModel;
  const provider = () => new GivenModel(replies);
  const drive = async (over: Partial<DriveParts> = {}, by?: RunClaim): Promise<DriveRun> =>
    new DriveRun(
      {
        work: runs.work,
        models: new Models([model], { openai: provider, anthropic: provider, gemini: provider }),
        calls: {
          parse: (body) => body as ParsedCall,
          propose: async (_caller, operation_id, call) => {
            proposed.push(String((call as { idempotency_key?: string }).idempotency_key?.slice(run.run_id.length)));
            return {
              operation_id,
              state: 'committed',
              reasons: [],
              result: { status: 'ok', tx_outcome: 'committed', result: null, error: null, reasons: [], metadata: null },
            } as unknown as OperationView;
          },
          staged: {
            stage: () => Promise.reject(new Error('none')),
            apply: () => Promise.reject(new Error('none')),
          } as unknown as DriveParts['calls']['staged'],
          show: async (_caller, view) => view,
          wait: () => Promise.resolve(),
        },
        prompt: async () => ({ system: 's', tools: [] }),
        isDecided: async () => false,
        subAgents: new SubAgents(runs.work, async () => newId('token')),
        tokenOf: async () => ({ revoked: false }),
        charge: async () => ({ bounded: false }),
        withPerson: async (caller) => caller,
        cancelCalls: async (_caller, _session, runId) => {
          cancelled.push(runId);
        },
        publish: () => undefined,
        tenantCostMax: null,
        chance: () => 0,
        monotonic: () => 0,
        metrics: NO_METRICS,
        ...parts,
        ...over,
      },
      by ?? (await again()),
    );
  const row = async (): Promise<RunRow> => (await runs.sessions.readRun(tenant, run.run_id))!;
  const kinds = async (): Promise<string[]> =>
    (await runs.sessions.events(tenant, run.run_id, 0, 100)).map(({ event }) => event.kind);
  return { runs, tenant, run, drive, again, row, kinds, proposed, cancelled };
}

const HELD: RunEvent = {
  kind: 'held',
  round: 1,
  index: 0,
  held: { operation_id: 'op_1', waits_for: 'approval', text: 'a person has to decide' },
};

test('a run is driven to its end, each call with the key of its position', async () => {
  const { drive, row, kinds, proposed } = await begun([asks('a', 'b'), says('done')]);
  expect(await (await drive()).run()).toEqual([]);
  expect([await kinds(), await row()]).toMatchObject([
    ['replied', 'answered', 'answered', 'replied', 'ended'],
    { state: 'ended', stopped: 'end', rounds: 2 },
  ]);
  expect(proposed).toEqual(['/1/0', '/1/1']);
});

test('after a crash with a held call, a run executes the other calls of the reply before it waits', async () => {
  const { drive, kinds, row, proposed } = await begun([], { kept: [{ kind: 'replied', turn: asks('a', 'b') }, HELD] });
  expect(await (await drive()).run()).toEqual(['op_1']);
  expect([await kinds(), proposed, (await row()).state]).toEqual([
    ['replied', 'held', 'answered'],
    ['/1/1'],
    'waiting',
  ]);
  // Without a decision the run waits again; after the decision it continues.
  expect(await (await drive()).run()).toEqual(['op_1']);
  expect((await kinds()).length).toBe(3);
  await (await drive({ isDecided: async () => true })).run();
  expect([await kinds(), proposed.at(-1)]).toEqual([
    ['replied', 'held', 'answered', 'resumed', 'answered', 'replied', 'ended'],
    '/1/0',
  ]);
});

test('after a crash before the explanation of a held call, the model explains it once', async () => {
  const { drive, kinds } = await begun([says('it must be approved')], {
    kept: [{ kind: 'replied', turn: asks('a') }, HELD],
    dialect: 'blocks',
  });
  for (let look = 0; look < 2; look++) expect(await (await drive()).run()).toEqual(['op_1']);
  expect(await kinds()).toEqual(['replied', 'held', 'explained']);
});

test('a run whose end was decided before a crash gets that end without a request to its model', async () => {
  const { drive, row } = await begun([new Error('asked')], {
    kept: [{ kind: 'model_failed', fault: 'unauthorized', message: 'no' }],
  });
  await (await drive()).run();
  expect(await row()).toMatchObject({ state: 'ended', stopped: 'model_failed', fault: 'unauthorized' });
});

test('a cancelled run, and one with a revoked token, ends together with its calls', async () => {
  const one = await begun([asks('a')]);
  await one.runs.sessions.cancel(one.tenant, one.run.run_id, 'ann');
  await (await one.drive()).run();
  expect([await one.kinds(), (await one.row()).stopped, one.cancelled]).toEqual([
    ['cancelled', 'ended'],
    'cancelled',
    [one.run.run_id],
  ]);
  const other = await begun([asks('a')], { parts: { tokenOf: async () => ({ revoked: true }) } });
  await (await other.drive()).run();
  expect([await other.kinds(), other.cancelled, other.proposed]).toEqual([
    ['cancelled', 'ended'],
    [other.run.run_id],
    [],
  ]);
});

test('a replica that lost the lease stores nothing more, and reports no error', async () => {
  const { drive, again, kinds } = await begun([says('late')]);
  const claim = await again();
  const late = await drive({}, claim);
  await again();
  expect(await late.run()).toEqual([]);
  expect(await kinds()).toEqual([]);
});

test('a stopping process releases its run, and a failing model ends it', async () => {
  const { drive, row, kinds } = await begun([new ModelError('invalid', 'no')]);
  const stopping = await drive();
  stopping.interrupt('stopping');
  await stopping.run();
  expect([(await row()).state, await kinds()]).toEqual(['running', []]);
  await (await drive()).run();
  expect(await row()).toMatchObject({ stopped: 'model_failed', fault: 'invalid' });
});

test('a temporary error is thrown before anything is stored, so that the run is retried', async () => {
  const { drive, kinds } = await begun([], { parts: { tokenOf: () => Promise.reject(new Fault('bus.unreachable')) } });
  await expect((await drive()).run()).rejects.toMatchObject({ code: 'bus.unreachable' });
  expect(await kinds()).toEqual([]);
});

describe('a run under a token that limits model tokens', () => {
  const used = (turn: ModelTurn): ModelTurn => ({
    ...turn,
    usage: { input_tokens: 100, cached_tokens: 40, output_tokens: 10 },
  });
  /** Records draws as the kernel would receive them: the usage, and whether something is reserved. */
  const bounded = (refuse: (draw: { reserve: number; used_total: number }) => FaultCode | null = () => null) => {
    const drawn: [used: number, isReserved: boolean][] = [];
    const parts: Partial<DriveParts> = {
      tokenOf: async () => ({ revoked: false }),
      charge: async (_caller, draw) => {
        drawn.push([draw.used_total, draw.reserve > 0]);
        const code = refuse(draw);
        if (code !== null) throw new Fault(code);
        return { bounded: true };
      },
    };
    return { drawn, parts };
  };

  test('reserves each reply before its request, settles the previous one, and ends without a reservation', async () => {
    const { drawn, parts } = bounded();
    const { drive, row } = await begun([used(asks('a')), used(says('done'))], { parts });
    await (await drive()).run();
    expect([drawn, await row()]).toMatchObject([
      [
        [0, true],
        [110, true],
        [220, false],
      ],
      { stopped: 'end', input_tokens: 200 },
    ]);
  });

  test('ends as `budget` with the fault, without a request to the model, if the budget is exhausted', async () => {
    const { drawn, parts } = bounded(({ used_total, reserve }) =>
      used_total > 0 && reserve > 0 ? 'budget.exhausted' : null,
    );
    const { drive, row, kinds } = await begun([used(asks('a')), new Error('asked')], { parts });
    await (await drive()).run();
    expect([drawn, await row(), await kinds()]).toMatchObject([
      [
        [0, true],
        [110, true],
        [110, false],
      ],
      { stopped: 'budget', fault: 'budget.exhausted', rounds: 1 },
      ['replied', 'answered', 'ended'],
    ]);
  });

  test('reports its total usage when another replica continues it', async () => {
    const { drawn, parts } = bounded();
    const { drive } = await begun([used(says('done'))], { kept: [{ kind: 'replied', turn: used(asks('a')) }], parts });
    const lost = await drive();
    lost.interrupt('stopping');
    await lost.run();
    expect(drawn).toEqual([]);
    await (await drive()).run();
    expect(drawn).toEqual([
      [110, true],
      [220, false],
    ]);
  });

  test('releases its reservation once when it waits for a person', async () => {
    const { drawn, parts } = bounded();
    const { drive, row } = await begun([], { kept: [{ kind: 'replied', turn: used(asks('a')) }, HELD], parts });
    for (let look = 0; look < 3; look++) await (await drive()).run();
    expect([drawn, (await row()).state]).toEqual([[[110, false]], 'waiting']);
  });

  test.each<[string, Partial<DriveParts>]>([
    ['the token was revoked before it was claimed', { tokenOf: async () => ({ revoked: true }) }],
    ['the token was revoked since', {}],
  ])('where %s it settles what it used, and ends', async (_when, over) => {
    const { drawn, parts } = bounded(({ reserve }) => (reserve > 0 ? 'token.revoked' : null));
    const { drive, row } = await begun([new Error('asked')], {
      kept: [{ kind: 'replied', turn: used(asks('a')) }],
      parts: { ...parts, ...over },
    });
    await (await drive()).run();
    expect([drawn.at(-1), await row()]).toMatchObject([[110, false], { stopped: 'cancelled' }]);
  });

  test('settles its usage if its key was revoked before the token was read', async () => {
    const { drawn, parts } = bounded();
    const { drive, runs, run } = await begun([], { kept: [{ kind: 'replied', turn: used(asks('a')) }], parts });
    runs.revoked.add(run.created_by);
    await (await drive()).run();
    expect(drawn).toEqual([[110, false]]);
  });

  test('stores nothing more if another replica has drawn since', async () => {
    const { drawn, parts } = bounded(() => 'conflict');
    const { drive, kinds } = await begun([new Error('asked')], { parts });
    expect(await (await drive()).run()).toEqual([]);
    expect([drawn.length, await kinds()]).toEqual([1, []]);
  });

  test('does not end if the kernel does not reply; the next replica settles its usage', async () => {
    const { parts } = bounded(({ reserve }) => (reserve === 0 ? 'bus.unreachable' : null));
    const { drive, kinds } = await begun([used(says('done'))], { parts });
    await expect((await drive()).run()).rejects.toMatchObject({ code: 'bus.unreachable' });
    expect(await kinds()).toEqual(['replied']);
  });

  test('has no reservation when its sub-agent begins', async () => {
    const { drawn, parts } = bounded();
    const { drive, runs } = await begun(
      [used({ text: '', calls: [{ id: 's', tool_id: 'agent.spawn', args: { task: 'help' } }], stop: 'tool_use' })],
      { parts },
    );
    const spawn = runs.work.spawn.bind(runs.work);
    const before: unknown[] = [];
    runs.work.spawn = (...given) => {
      before.push([...drawn]);
      return spawn(...given);
    };
    await (await drive()).run();
    expect([before, drawn]).toEqual([
      [
        [
          [0, true],
          [110, false],
        ],
      ],
      [
        [0, true],
        [110, false],
      ],
    ]);
  });
});
