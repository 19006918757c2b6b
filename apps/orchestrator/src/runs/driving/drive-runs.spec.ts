// SPDX-License-Identifier: Apache-2.0
import { Model, type Conversation, type ModelDelta, type ModelTurn } from '@writ/agent-loop';
import type { AgentId, Caller, TenantId } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { newRun, newSession } from '../../specs/session-steps.ts';
import { FakeRuns } from '../../specs/fake-sessions.ts';
import type { DriveParts } from './drive-parts.ts';
import { DriveRuns, MODEL_GONE_MS } from './drive-runs.ts';
import type { ConfiguredModel } from '../models/models-file.ts';
import { Models } from '../models/models.ts';
import { SubAgents } from './sub-agents.ts';
import { NO_METRICS } from '../../specs/no-metrics.ts';

/** Fails only when it is aborted, like a slow provider. */
class SilentModel extends Model {
  readonly name = 'm';
  readonly #asked: () => void;
  constructor(asked: () => void) {
    super();
    this.#asked = asked;
  }
  override async *reply(_conversation: Conversation, signal: AbortSignal): AsyncGenerator<ModelDelta, ModelTurn, void> {
    this.#asked();
    await new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        reject(signal.reason as Error);
      });
    });
    throw new Error('it was broken off');
  }
}

/** A run of the key that waits for its model's reply. */
async function asking() {
  const runs = new FakeRuns();
  const [tenant, key] = [newId('tenant') as TenantId, newId('apiKey')];
  const { session_id } = await runs.sessions.create(
    tenant,
    newSession({ dialect: 'native', agent_id: newId('agent') as AgentId }),
    10,
  );
  const { run_id } = (await runs.sessions.queue(tenant, newRun(session_id, key, { input: 'do it' }), {
    runsMax: 5,
    unendedMax: 5,
  })) as { run_id: string };
  const asked = Promise.withResolvers<true>();
  const cancelled: string[] = [];
  const configured = {
    name: 'm',
    provider: 'openai',
    model: 'm',
    apiKey: 'k',
    base_url: undefined,
    idle_ms: undefined,
    prices: null,
    currency: null,
    context_tokens_max: null,
  } as unknown as ConfiguredModel;
  const provider = () =>
    new SilentModel(() => {
      asked.resolve(true);
    });
  const driving = new DriveRuns(
    {
      work: runs.work,
      models: new Models([configured], { openai: provider, anthropic: provider, gemini: provider }),
      calls: { wait: () => Promise.resolve() } as unknown as DriveParts['calls'],
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
    },
    (error) => {
      throw error;
    },
  );
  await driving.run();
  await asked.promise;
  const ended = async () => {
    await driving.stop();
    return {
      run: await runs.sessions.readRun(tenant, run_id),
      events: (await runs.sessions.events(tenant, run_id, 0, 10)).map(({ event }) => event),
      cancelled,
    };
  };
  return { runs, key, run_id, driving, ended };
}

const ENDED = (run_id: string) => ({
  run: { state: 'ended', stopped: 'cancelled' },
  events: [
    { kind: 'cancelled', by: 'the key or the token was revoked' },
    { kind: 'ended', stopped: 'cancelled' },
  ],
  cancelled: [run_id],
});

test('a run whose key is revoked at this replica ends during a model request, with its calls', async () => {
  const { key, run_id, driving, ended } = await asking();
  driving.keyRevoked(newId('apiKey'));
  driving.keyRevoked(key);
  expect(await ended()).toMatchObject(ENDED(run_id));
});

test('a run whose key is revoked at another replica ends when its lease is renewed', async () => {
  const { runs, key, run_id, driving, ended } = await asking();
  await driving.renew();
  runs.revoked.add(key);
  await driving.renew();
  expect(await ended()).toMatchObject(ENDED(run_id));
});

test('a run of another key continues', async () => {
  const { runs, driving, ended } = await asking();
  runs.revoked.add(newId('apiKey'));
  driving.keyRevoked(newId('apiKey'));
  await driving.renew();
  expect(await ended()).toMatchObject({ run: { state: 'running' }, events: [], cancelled: [] });
});

test('a run whose model no replica has ends as failed after this replica has run for a minute', async () => {
  const runs = new FakeRuns();
  const tenant = newId('tenant') as TenantId;
  const { session_id } = await runs.sessions.create(
    tenant,
    newSession({ model: 'gone', agent_id: newId('agent') as AgentId }),
    10,
  );
  const { run_id } = (await runs.sessions.queue(tenant, newRun(session_id, newId('apiKey')), {
    runsMax: 5,
    unendedMax: 5,
  }))!;
  let monotonic = 0;
  const driving = new DriveRuns(
    {
      work: runs.work,
      models: new Models([], { openai: never, anthropic: never, gemini: never }),
      monotonic: () => monotonic,
      tokenOf: async () => ({ revoked: false }),
      tell: () => undefined,
      withPerson: async (caller: Caller) => caller,
      cancelCalls: async () => undefined,
    } as unknown as DriveParts,
    (error) => {
      throw error;
    },
  );
  const stateAt = async (ms: number) => {
    monotonic = ms;
    await driving.run();
    await driving.settled();
    return await runs.sessions.readRun(tenant, run_id);
  };
  expect(await stateAt(MODEL_GONE_MS - 1)).toMatchObject({ state: 'queued' });
  expect(await stateAt(MODEL_GONE_MS)).toMatchObject({ state: 'ended', stopped: 'failed', fault: 'model.unknown' });
});

const never = (): Model => {
  throw new Error('no model is asked');
};
