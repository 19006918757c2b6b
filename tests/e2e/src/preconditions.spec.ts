// SPDX-License-Identifier: Apache-2.0
// Preconditions of calls, valid and stale, as tests/e2e/cases/preconditions.yaml lists them, through the public API.
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { PreconditionRef } from '@writ/contract';
import {
  BusExecutor,
  expectCleanLog,
  makeWorld,
  Observer,
  approveShown,
  startStack,
  verifiedReceipt,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';
import { repositoryRoot } from '@writ/testing';
import { parse } from 'yaml';
import { ManualExecutor } from './manual-executor.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

interface Case {
  readonly name: string;
  readonly relies: {
    readonly kind: PreconditionRef['kind'];
    readonly of?: 'a' | 'nothing';
    readonly version: 'current' | 'another' | 'absent';
  };
  readonly moved?: {
    readonly what: 'a' | 'nothing' | 'other file' | 'external_version';
    readonly when: 'while it runs' | 'while it is held';
  };
  readonly ends: { readonly state: string; readonly code?: string; readonly calls: number };
}
const { cases } = parse(readFileSync(join(repositoryRoot(), 'tests/e2e/cases/preconditions.yaml'), 'utf8')) as {
  cases: Case[];
};

const ELSEWHERE = 'a version that nothing has';
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

let stack: Stack;
let world: World;
let observer: Observer;
let executor: BusExecutor;
let manualExecutor: ManualExecutor;
beforeAll(async () => {
  stack = await startStack({ without: ['executor'], env: { kernel: { WRIT_SWEEP_MS: '200' } } });
  world = await makeWorld(stack.url, stack.keys.platformKey);
  observer = new Observer(stack);
  executor = await BusExecutor.join(stack);
  manualExecutor = new ManualExecutor(executor);
});
afterAll(async () => {
  await executor?.disconnect();
  await observer?.close();
  await stack?.stop();
});

/** A new directory and external version for the case. */
interface Place {
  readonly dir: string;
  readonly external: string;
  readonly missing: string;
}
const put = async (path: string, content: string): Promise<void> => {
  await world.admin.must(`/v1/workspaces/${world.workspaceId}/files`, { files: [{ path, content }] });
};
async function setExternalVersion(ref: string, version: string, expected_version: string | null): Promise<void> {
  const { status } = await world.operator.request('PUT', '/v1/external-versions', { ref, version, expected_version });
  expect(status).toBe(200);
}
async function prepare(): Promise<Place> {
  const id = randomUUID().slice(0, 8);
  const place = { dir: `d${id}`, external: `deployment:${id}`, missing: `deployment:none-${id}` };
  await put(`${place.dir}/docs/a.txt`, 'first\n');
  await setExternalVersion(place.external, 'v1', null);
  return place;
}

async function refOf(
  { relies: { kind, of, version } }: Case,
  { dir, external, missing }: Place,
): Promise<PreconditionRef> {
  const head = (await world.admin.get(`/v1/workspaces/${world.workspaceId}`)).body.head_snapshot_id as string;
  if (kind === 'snapshot')
    return { kind, ref: world.workspaceId, version: version === 'current' ? head : `snap_${'0'.repeat(64)}` };
  const current = kind === 'path' ? sha256('first\n') : 'v1';
  const other = kind === 'path' ? sha256(ELSEWHERE) : 'v0';
  const name =
    kind === 'path' ? (of === 'a' ? `${dir}/docs/a.txt` : `${dir}/docs/nothing.txt`) : of === 'a' ? external : missing;
  return { kind, ref: name, version: { current, another: other, absent: 'absent' }[version] };
}

async function move({ moved }: Case, { dir, external }: Place): Promise<void> {
  if (moved?.what === 'external_version') return await setExternalVersion(external, 'v2', 'v1');
  await put(
    `${dir}/docs/${{ a: 'a.txt', nothing: 'nothing.txt', 'other file': 'other.txt' }[moved?.what ?? 'a']}`,
    'moved\n',
  );
}

async function tokenOfOwn(): Promise<string> {
  const grant = {
    tools: ['fs.*', 'shell.run'],
    fs: [{ path: '', read: true, write: true }],
    net: [],
    secrets: [],
    budgets: { calls: 10 },
    not_before: 0,
    expires_at: Date.now() + 600_000,
  };
  return (
    await world.admin.must('/v1/capability-tokens', { agent_id: world.agentId, workspace_id: world.workspaceId, grant })
  ).capability_token_id as string;
}

it.each(cases.map((one) => [one.name, one] as const))('%s', async (_name, one) => {
  const place = await prepare();
  const [ref, tokenId, file] = [await refOf(one, place), await tokenOfOwn(), `${place.dir}/made.txt`];
  const isHeld = one.moved?.when === 'while it is held';
  const proposed = (
    await world.agent.post('/v1/tool-calls?wait=0', {
      tool_id: 'fs.write',
      args: { path: file, content: 'made\n' },
      capability_token_id: tokenId,
      workspace_id: world.workspaceId,
      idempotency_key: randomUUID(),
      precondition_refs: [ref],
      ...(isHeld ? { max_autonomy: 'soft_gate' } : {}),
    })
  ).body as JsonValue;
  const operationId = proposed.operation_id as string;
  if (isHeld) {
    expect(proposed.state).toBe('held');
    await move(one, place);
    const { status } = await approveShown(world.operator, proposed.approval_id);
    expect(status).toBe(200);
  }
  if (one.ends.state !== 'refused') {
    const redeemed = await manualExecutor.redeem(await manualExecutor.permitOf(operationId));
    if (one.moved?.when === 'while it runs') await move(one, place);
    await manualExecutor.reportFile(redeemed, file, 'made\n');
  }
  const { result, state } = await world.until(operationId, ['committed', 'rolled_back', 'refused']);
  expect({ state, code: result.error?.code }).toEqual({ state: one.ends.state, code: one.ends.code });
  expect(await world.file(file)).toBe(one.ends.state === 'committed' ? 'made\n' : null);
  const budgets = await observer.rows(
    'SELECT used::int, reserved::int FROM kernel.budget WHERE capability_token_id = $1',
    [tokenId],
  );
  expect(budgets).toEqual([{ used: one.ends.calls, reserved: 0 }]);
  // A refusal is in the decision record, unless the call was held before.
  const { record } = await verifiedReceipt(
    stack,
    world,
    operationId,
    one.ends.state === 'refused' && !isHeld ? 'decision' : 'outcome',
  );
  expect([record.fault_code, record.tx_outcome]).toEqual([
    one.ends.code ?? null,
    one.ends.state === 'committed' ? 'committed' : 'rolled_back',
  ]);
});

it('the log that is left is one that the independent checker rebuilds', () => expectCleanLog(stack));
