// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import type { Bus } from '@writ/bus';
import { subjectsOf, type AdmitRequest } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { makeWorld, SHARD, startStack, type World } from '@writ/stack';
import { measure, type Load, type Metric } from '../measure.ts';

type Measured = Omit<Metric, 'reference' | 'ratio'>;

/** Far above what a run can use, so that every admission reserves and none is refused. */
const CALLS = 1_000_000_000;
const ANSWER_MS = 10_000;
const HOUR_MS = 3_600_000;

/**
 * One `fs.write` from the question to the kernel to its answer: decided, reserved and recorded in a transaction that has committed. It has a stack of its
 * own, without executors, so that what is admitted waits: kernel, relay and ledger do all that an admission makes them do, and nothing else runs.
 * @param tokens `chained`: one token, the last of a chain of three with a budget at each link; else so many, each with a budget of its own, in turn
 */
export async function admissions(tokens: number | 'chained', load: Load): Promise<Measured> {
  const stack = await startStack({ without: ['executor'], env: { orchestrator: { WRIT_RATE_PER_SECOND: '100000', WRIT_RATE_BURST: '100000' } } });
  try {
    const world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'README.md': '# bench\n' }, budgets: { calls: CALLS } });
    const bus = await stack.busAs('orchestrator');
    try {
      const ids = tokens === 'chained' ? [await chainOfThree(world)] : await Promise.all(Array.from({ length: tokens }, () => newToken(world)));
      return await measured(world, ids, bus, load);
    } finally {
      await bus.close();
    }
  } finally {
    await stack.stop();
  }
}

async function newToken({ admin, agentId, workspaceId }: World): Promise<string> {
  const token = await admin.must('/v1/capability-tokens', { agent_id: agentId, workspace_id: workspaceId, grant: grant(HOUR_MS) });
  return token.capability_token_id as string;
}

/** The caller's token, whose budget and whose parents' every call reserves. */
async function chainOfThree(world: World): Promise<string> {
  let token = world.tokenId;
  for (const life of [HOUR_MS / 2, HOUR_MS / 4]) {
    token = (await world.admin.must(`/v1/capability-tokens/${token}/attenuate`, { grant: grant(life) })).capability_token_id as string;
  }
  return token;
}

const grant = (lifeMs: number) => ({
  tools: ['fs.*'], fs: [{ path: '', read: true, write: true }], net: [], secrets: [], budgets: { calls: CALLS }, not_before: 0, expires_at: Date.now() + lifeMs,
});

function measured(world: World, tokens: readonly string[], bus: Bus, load: Load): Promise<Measured> {
  const subject = subjectsOf(SHARD).request('kernel.admit');
  const proposer = newId('apiKey');
  let turn = 0;
  return measure(load, async () => {
    const token = tokens[turn++ % tokens.length] as string;
    const call: AdmitRequest = {
      v: 1, operation_id: newId('operation'), tenant_id: world.tenantId, agent_id: world.agentId, proposed_by: proposer, tool_id: 'fs.write',
      args: { path: `file-${randomUUID().slice(0, 2)}.txt`, content: randomUUID() }, args_ref: null, capability_token_id: token, workspace_id: world.workspaceId,
      session_id: null, session_mode: 'interactive', max_autonomy: null, task_class: 'general', idempotency_key: randomUUID(), precondition_refs: [],
      provenance: { source: 'bench' }, deadline: null, dry_run: false,
    };
    const view = await bus.request(subject, call, { deadline: Date.now() + ANSWER_MS }) as { state: string };
    if (view.state !== 'admitted') throw new Error(`the call is ${view.state}: ${JSON.stringify(view)}`);
  });
}
