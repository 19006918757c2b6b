// SPDX-License-Identifier: Apache-2.0
// A cancellation and a deadline in every state of a call, as tests/e2e/cases/stops.yaml lists them, through the public
// API.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { Lane } from '@writ/contract';
import {
  BusExecutor,
  eventually,
  expectCleanLog,
  makeWorld,
  Observer,
  startStack,
  verifiedReceipt,
  type Answer,
  type JsonValue,
  type ReceivedPermit,
  type Stack,
  type World,
} from '@writ/stack';
import { repositoryRoot } from '@writ/testing';
import { parse } from 'yaml';
import { ManualExecutor, type RedeemedAttempt } from './manual-executor.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

interface Case {
  readonly at: 'held' | 'previewing' | 'admitted' | 'dispatched' | 'performing' | 'committing' | 'in a container';
  readonly lane?: Lane;
  readonly stop: 'cancel' | 'deadline';
  readonly then?: 'reports' | 'silent';
  readonly answer?: number;
  readonly problem?: string;
  readonly ends: {
    readonly state: string;
    readonly code?: string;
    readonly tx_outcome: string;
    readonly calls: number;
  };
  readonly log: { readonly decisions: readonly string[]; readonly outcome: string | null };
}
const { cases } = parse(readFileSync(join(repositoryRoot(), 'tests/e2e/cases/stops.yaml'), 'utf8')) as {
  cases: Case[];
};

/** Long enough to get a call to its state on a slow machine before its deadline. */
const DEADLINE_MS = 5_000;
const RENEW_MS = 500;
const TUNING = { WRIT_LEASE_MS: '3000', WRIT_PERMIT_TTL_MS: '2000', WRIT_SWEEP_MS: '200' };
const CONTENT = 'written\n';

let stack: Stack;
let world: World;
let observer: Observer;
beforeAll(async () => {
  stack = await startStack({ without: ['executor'], env: { kernel: TUNING } });
  world = await makeWorld(stack.url, stack.keys.platformKey, {
    files: { 'src/a.txt': 'one\n', 'docs/b.txt': 'two\n' },
  });
  observer = new Observer(stack);
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
});

/** An open call, made under its own token. */
interface OpenCall {
  readonly operationId: string;
  readonly tokenId: string;
  readonly deadline: number | null;
  readonly body: JsonValue;
  /** the answer to the caller that has waited all the time */
  readonly answer: Promise<Answer<JsonValue>>;
  readonly file: string;
  readonly received?: ReceivedPermit;
  readonly attempt?: RedeemedAttempt;
}

async function propose(
  { stop }: Case,
  tool: 'fs.write' | 'shell.run',
  argsFor: (file: string) => JsonValue,
): Promise<OpenCall> {
  const { capability_token_id: tokenId } = await world.admin.must('/v1/capability-tokens', {
    agent_id: world.agentId,
    workspace_id: world.workspaceId,
    grant: {
      tools: ['fs.*', 'shell.run'],
      fs: [{ path: '', read: true, write: true }],
      net: [],
      secrets: [],
      budgets: { calls: 10, wall_ms: 100_000_000 },
      not_before: 0,
      expires_at: Date.now() + 600_000,
    },
  });
  const file = `src/${randomUUID()}.txt`;
  const deadline = stop === 'deadline' ? Date.now() + DEADLINE_MS : null;
  const body = {
    tool_id: tool,
    args: argsFor(file),
    capability_token_id: tokenId,
    workspace_id: world.workspaceId,
    idempotency_key: randomUUID(),
    ...(deadline === null ? {} : { deadline }),
  };
  const { body: said } = await world.agent.post('/v1/tool-calls?wait=0', body);
  const operationId = said.operation_id as string;
  const answer = (async () => {
    for (;;) {
      const answered = await world.agent.get(`/v1/operations/${operationId}?wait=20000`);
      if (
        answered.status !== 200 ||
        !['held', 'admitted', 'dispatched', 'performing'].includes(answered.body.state as string)
      )
        return answered;
      await new Promise((resolve) => {
        setTimeout(resolve, 100);
      });
    }
  })();
  return { operationId, tokenId: tokenId as string, deadline, body, answer, file };
}
const running = (one: Case): Promise<OpenCall> =>
  one.lane === 'inline'
    ? propose(one, 'fs.write', (path) => ({ path, content: CONTENT }))
    : propose(one, 'shell.run', (path) => ({ command: `echo written > ${path}` }));
const deleting = (one: Case): Promise<OpenCall> => propose(one, 'shell.run', () => ({ command: 'rm -rf docs' }));

let executor: BusExecutor;
let manualExecutor: ManualExecutor;
const permitFor = async (openCall: OpenCall, mode: 'run' | 'preview' = 'run') => ({
  ...openCall,
  received: await manualExecutor.permitOf(openCall.operationId, mode),
});
const redeemed = async (openCall: OpenCall & { received: ReceivedPermit }): Promise<OpenCall> => ({
  ...openCall,
  attempt: await manualExecutor.redeem(openCall.received),
});
const report = async ({ attempt, file }: OpenCall): Promise<void> =>
  await manualExecutor.reportFile(attempt!, file, CONTENT);

const PLACES: Readonly<Record<Case['at'], (one: Case) => Promise<OpenCall>>> = {
  held: deleting,
  previewing: async (one) => await redeemed(await permitFor(await deleting(one), 'preview')),
  admitted: running,
  dispatched: async (one) => await permitFor(await running(one)),
  performing: async (one) => await redeemed(await permitFor(await running(one))),
  committing: async (one) => await redeemed(await permitFor(await running(one))),
  'in a container': (one) => propose(one, 'shell.run', (path) => ({ command: `echo written > ${path}; sleep 100` })),
};
const STATE: Readonly<Record<Case['at'], string>> = {
  held: 'held',
  previewing: 'held',
  admitted: 'admitted',
  dispatched: 'dispatched',
  performing: 'performing',
  committing: 'performing',
  'in a container': 'performing',
};

/** Waits until that long after the deadline, as an executor that keeps its lease as long as it may. */
async function awaitDeadline({ deadline, attempt, received }: OpenCall, afterMs: number): Promise<void> {
  let renewed = Date.now();
  await eventually('the deadline', async () => {
    if (attempt !== undefined && received?.permit.mode === 'run' && Date.now() - renewed > RENEW_MS) {
      renewed = Date.now();
      await manualExecutor.renew(attempt);
    }
    return Date.now() > (deadline ?? 0) + afterMs;
  });
}
async function stopped(one: Case, openCall: OpenCall): Promise<void> {
  if (one.stop === 'deadline') {
    await awaitDeadline(openCall, 100);
    return;
  }
  const { status, body } = await world.agent.post(`/v1/operations/${openCall.operationId}/cancel`);
  expect([status, body.code]).toEqual([one.answer, one.problem]);
}
/** The stop arrives while the kernel holds the call's row and waits for the workspace's. */
async function stoppedInCommit(one: Case, openCall: OpenCall): Promise<void> {
  // One second before the deadline, so that no process waits long for the lock.
  if (one.stop === 'deadline') await awaitDeadline(openCall, -1_000);
  const release = await observer.hold('SELECT 1 FROM kernel.workspace WHERE workspace_id = $1 FOR UPDATE', [
    world.workspaceId,
  ]);
  const committing = report(openCall);
  committing.catch(() => undefined);
  await observer.untilBlocked('writ_kernel');
  // Its executor has sent everything.
  const { attempt: _said, ...rest } = openCall;
  const stopping = stopped(one, rest);
  stopping.catch(() => undefined);
  if (one.stop === 'deadline') await stopping;
  await release();
  await Promise.all([committing, stopping]);
}

async function check(one: Case): Promise<void> {
  const openCall = await PLACES[one.at](one);
  await world.until(openCall.operationId, [STATE[one.at]]);
  if (one.at === 'committing') await stoppedInCommit(one, openCall);
  else await stopped(one, openCall);
  if (one.then === 'reports') await report(openCall);
  await expectEnd(one, openCall);
}

async function expectEnd({ ends, log }: Case, openCall: OpenCall): Promise<void> {
  const {
    status,
    body: { state, result },
  } = await openCall.answer;
  expect({
    status,
    state,
    status_of_call: result.status,
    tx_outcome: result.tx_outcome,
    code: result.error?.code,
  }).toEqual({
    status: 200,
    state: ends.state,
    status_of_call: ends.code === undefined ? 'ok' : 'error',
    tx_outcome: ends.tx_outcome,
    code: ends.code,
  });
  // A repeated request with the key gets the same answer, and nothing runs.
  const again = await world.agent.post('/v1/tool-calls?wait=10000', openCall.body);
  expect({ operation: again.body.operation_id, tx_outcome: again.body.tx_outcome }).toEqual({
    operation: openCall.operationId,
    tx_outcome: ends.tx_outcome,
  });
  expect(await world.file(openCall.file)).toBe(ends.state === 'committed' ? CONTENT : null);
  expect(await world.file('docs/b.txt')).toBe('two\n');
  await eventually(
    'nothing is reserved',
    async () =>
      (
        await observer.rows('SELECT 1 FROM kernel.budget WHERE capability_token_id = $1 AND reserved > 0', [
          openCall.tokenId,
        ])
      ).length === 0,
  );
  const [calls] = await observer.rows<{ used: number }>(
    `SELECT used::int FROM kernel.budget WHERE capability_token_id = $1 AND dimension = 'calls'`,
    [openCall.tokenId],
  );
  expect(calls?.used).toBe(ends.calls);
  await observer.untilLogged();
  const leaves = await observer.rows<{ phase: string; record: JsonValue }>(
    `SELECT phase, convert_from(payload, 'UTF8')::jsonb -> 'predicate' AS record FROM ledger.leaf WHERE operation_id = $1 AND kind = 'tool_call' ORDER BY record_id`,
    [openCall.operationId],
  );
  const of = (phase: string): JsonValue[] =>
    leaves.filter((leaf) => leaf.phase === phase).map(({ record }) => record as JsonValue);
  expect(of('decision').map(({ verdict }) => verdict as string)).toEqual(log.decisions);
  expect(of('outcome')).toMatchObject([
    {
      verdict: log.outcome,
      fault_code: ends.code ?? null,
      tx_outcome: ends.tx_outcome,
      decision_record_id: of('decision').at(-1).record_id,
    },
  ]);
  const { record } = await verifiedReceipt(stack, world, openCall.operationId, 'outcome');
  expect(record.tx_outcome).toBe(ends.tx_outcome);
}

const nameOf = ({ at, lane, stop, then, ends }: Case): string =>
  `${at}${lane === undefined ? '' : `, ${lane}`}: ${stop}${then === undefined ? '' : `, and the executor ${then}`}: ${ends.state}`;
const those = (...at: Case['at'][]) =>
  cases.filter((one) => at.includes(one.at)).map((one) => [nameOf(one), one] as const);

describe('a call that is not at an executor', () => {
  it.each(those('held', 'admitted'))('%s', async (_name, one) => await check(one));
});

describe('a call at an executor', () => {
  beforeAll(async () => {
    executor = await BusExecutor.join(stack);
    manualExecutor = new ManualExecutor(executor);
  });
  afterAll(async () => await executor?.disconnect());
  it.each(those('previewing', 'dispatched', 'performing', 'committing'))('%s', async (_name, one) => await check(one));
});

describe('a call that runs in a container', () => {
  beforeAll(async () => {
    await stack.services.executor.start();
  });
  it.each(those('in a container'))('%s', async (_name, one) => await check(one));
});

it('the independent checker rebuilds the log', () => expectCleanLog(stack));
