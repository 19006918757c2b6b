// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import type { Bus } from '@writ/bus';
import { subjectsOf, type AdmitRequest } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { Api, makeWorld, SHARD, startStack, type Stack, type World } from '@writ/stack';
import { measure, type Load, type Metric } from '../measure.ts';
import { processorTime, printEach } from '../processor-time.ts';

type Measured = Omit<Metric, 'reference' | 'ratio'>;

/** Far above what a run can use, so that every admission reserves and none is refused. */
const CALLS = 1_000_000_000;
/** The maximum of a tenant's limit. */
const WAITING = 1_000_000;
const ANSWER_MS = 10_000;
const HOUR_MS = 3_600_000;

/** A caller: a tenant and one of its tokens. */
interface Caller {
  readonly world: World;
  readonly token: string;
}

/**
 * One `fs.write` from the request to the kernel to its answer: decided, reserved and recorded in a committed
 * transaction. It has its own stack, without executors, so that admitted calls wait. Kernel, relay and ledger do all
 * the work that an admission causes, and nothing else runs.
 * @param tenants `chained`: one token, the last of a chain of three with a budget at each link. Otherwise that many
 * tenants in turn, each with its own token and budget, so that no tenant exceeds its limit of waiting calls.
 * `budgeted`: as `chained`, and two budgets per day count each call.
 */
export async function admissions(tenants: number | 'chained' | 'budgeted', load: Load): Promise<Measured> {
  const stack = await startStack({
    without: ['executor'],
    env: { orchestrator: { WRIT_RATE_PER_SECOND: '100000', WRIT_RATE_BURST: '100000' } },
  });
  try {
    const newWorld = () =>
      makeWorld(stack.url, stack.keys.platformKey, { files: { 'README.md': '# bench\n' }, budgets: { calls: CALLS } });
    const callers: Caller[] = [];
    const isOneTenant = typeof tenants === 'string';
    while (callers.length < (isOneTenant ? 1 : tenants)) {
      const world = await newWorld();
      callers.push({ world, token: isOneTenant ? await chainOfThree(world) : world.tokenId });
    }
    if (isOneTenant) await letAllWait(stack, callers);
    if (tenants === 'budgeted') await setBudgets(callers);
    const bus = await stack.busAs('orchestrator');
    try {
      const ask = admission(callers, bus);
      for (let i = 0; i < load.warmUp; i++) await ask();
      const before = await processorTime(stack, ['kernel', 'ledger']);
      const measured = await measure({ ...load, warmUp: 0 }, ask);
      printEach('an admission', before, await processorTime(stack, ['kernel', 'ledger']), measured.n);
      return measured;
    } finally {
      await bus.close();
    }
  } finally {
    await stack.stop();
  }
}

/** Sets the limit of waiting calls of each tenant to its maximum. */
async function letAllWait({ url, keys }: Stack, callers: readonly Caller[]): Promise<void> {
  const platform = new Api(url, keys.platformKey);
  for (const { world } of callers) {
    const { status, body } = await platform.request('PATCH', `/v1/tenants/${world.tenantId}/limits`, {
      waiting_max: WAITING,
    });
    if (status !== 200) throw new Error(`the limit wasn't set: ${JSON.stringify(body)}`);
  }
}

/** Two budgets of calls that bound each call: of the tenant, and of the agent. */
async function setBudgets(callers: readonly Caller[]): Promise<void> {
  for (const { world } of callers)
    for (const subject of [
      { kind: 'tenant', id: null },
      { kind: 'agent', id: world.agentId },
    ]) {
      const budget = { subject, period: 'day', measure: 'calls', limit: CALLS };
      const { status, body } = await world.admin.request('PUT', '/v1/budgets', budget);
      if (status !== 200) throw new Error(`the budget wasn't set: ${JSON.stringify(body)}`);
    }
}

/** The caller's token; every call reserves in its budget and in those of its parents. */
async function chainOfThree(world: World): Promise<string> {
  let token = world.tokenId;
  for (const life of [HOUR_MS / 2, HOUR_MS / 4]) {
    token = (await world.admin.must(`/v1/capability-tokens/${token}/attenuate`, { grant: grant(life) }))
      .capability_token_id as string;
  }
  return token;
}

const grant = (lifeMs: number) => ({
  tools: ['fs.*'],
  fs: [{ path: '', read: true, write: true }],
  net: [],
  secrets: [],
  budgets: { calls: CALLS },
  not_before: 0,
  expires_at: Date.now() + lifeMs,
});

/** Admits one call, of the callers in turn. */
function admission(callers: readonly Caller[], bus: Bus): () => Promise<void> {
  const subject = subjectsOf(SHARD).request('kernel.admit');
  const proposer = newId('apiKey');
  let turn = 0;
  return async () => {
    const { world, token } = callers[turn++ % callers.length] as Caller;
    const call: AdmitRequest = {
      v: 1,
      operation_id: newId('operation'),
      tenant_id: world.tenantId,
      agent_id: world.agentId,
      proposed_by: proposer,
      tool_id: 'fs.write',
      args: { path: `file-${randomUUID().slice(0, 2)}.txt`, content: randomUUID() },
      args_ref: null,
      capability_token_id: token,
      workspace_id: world.workspaceId,
      session_id: null,
      session_mode: 'interactive',
      max_autonomy: null,
      task_class: 'general',
      idempotency_key: randomUUID(),
      precondition_refs: [],
      provenance: { source: 'bench' },
      deadline: null,
      dry_run: false,
    };
    const view = (await bus.request(subject, call, { deadline: Date.now() + ANSWER_MS })) as { state: string };
    if (view.state !== 'admitted') throw new Error(`the call is ${view.state}: ${JSON.stringify(view)}`);
  };
}
