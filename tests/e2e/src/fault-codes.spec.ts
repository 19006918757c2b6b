// SPDX-License-Identifier: Apache-2.0
// Every fault code, caused at the public API as tests/e2e/cases/faults.yaml describes, or by the test that it names.
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { FAULT_ANSWERS, FAULTS, type FaultCode } from '@writ/contract';
import {
  Api,
  eventually,
  makeWorld,
  startStack,
  type Answer,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';
import { repositoryRoot } from '@writ/testing';
import { parse } from 'yaml';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

interface TokenCase {
  readonly workspace?: 'any';
  readonly agent?: 'another';
  readonly revoked?: true;
  readonly not_before_in_ms?: number;
  readonly expires_in_ms?: number;
}
interface ApiCase {
  readonly code: FaultCode;
  readonly when: string;
  readonly ask?: string;
  readonly as?: 'admin' | 'operator' | 'agent' | 'auditor' | 'nobody' | 'stranger';
  readonly body?: JsonValue;
  readonly text?: string;
  readonly bytes?: number;
  readonly grant?: JsonValue;
  readonly headers?: Record<string, string>;
  readonly call?: JsonValue;
  readonly token?: TokenCase & Record<string, unknown>;
  readonly before?: readonly JsonValue[];
  readonly content_bytes?: number;
  readonly deadline_in_ms?: number;
  readonly by?: 'admin';
  readonly then?: 'deny' | 'approve' | 'cancel' | 'wait';
  readonly times?: number;
  readonly stopped?: 'kernel' | 'ledger';
  readonly frozen?: true;
}
interface OtherCase {
  readonly code: FaultCode;
  readonly why: string;
  readonly test?: string;
  readonly name?: string;
}

const root = repositoryRoot();
const cases = parse(readFileSync(join(root, 'tests/e2e/cases/faults.yaml'), 'utf8')) as {
  at_the_api: ApiCase[];
  elsewhere: OtherCase[];
};
const HOUR_MS = 3_600_000;
/** One expiry for all: a child token ends no later than its parent. */
const ENDS_AT = Date.now() + HOUR_MS / 2;
const CHAIN_MAX = 8;

let stack: Stack;
let world: World;
let stranger: World;
let ids: Record<string, string>;
let anotherAgent: string;

const fullGrant = (more: JsonValue = {}): JsonValue => ({
  tools: ['fs.*', 'shell.run'],
  fs: [{ path: '', read: true, write: true }],
  net: [],
  secrets: [],
  budgets: {},
  not_before: 0,
  expires_at: ENDS_AT,
  ...more,
});

beforeAll(async () => {
  stack = await startStack({ env: { kernel: { WRIT_SWEEP_MS: '200' } } });
  world = await makeWorld(stack.url, stack.keys.platformKey, {
    files: { 'src/a.txt': 'one\n', 'docs/b.txt': 'two, two\n' },
  });
  stranger = await makeWorld(stack.url, stack.keys.platformKey);
  anotherAgent = (await world.admin.must('/v1/agents', { name: 'another' })).agent_id as string;
  const { body } = await world.call('fs.read', { path: 'src/a.txt' });
  let deepest = world.tokenId;
  for (let depth = 1; depth < CHAIN_MAX; depth += 1)
    deepest = (await world.admin.must(`/v1/capability-tokens/${deepest}/attenuate`, { grant: fullGrant() }))
      .capability_token_id as string;
  ids = { operation: body.operation_id as string, token: world.tokenId, workspace: world.workspaceId, deepest };
});
afterAll(async () => {
  await stack?.stop();
});

const filled = (text: string): string => text.replaceAll(/\{(\w+)\}/g, (_all, name: string) => ids[name] ?? 'missing');
function apiOf(as: ApiCase['as']): Api {
  if (as === 'nobody') return new Api(stack.url);
  return as === 'stranger' ? stranger.admin : world[as ?? 'agent'];
}

async function tokenFor({
  workspace,
  agent,
  revoked,
  not_before_in_ms,
  expires_in_ms,
  ...grant
}: TokenCase & Record<string, unknown>): Promise<string> {
  const expires_at = Date.now() + (expires_in_ms ?? HOUR_MS);
  const token = (
    await world.admin.must('/v1/capability-tokens', {
      agent_id: agent === undefined ? world.agentId : anotherAgent,
      ...(workspace === 'any' ? {} : { workspace_id: world.workspaceId }),
      grant: fullGrant({
        not_before: not_before_in_ms === undefined ? 0 : Date.now() + not_before_in_ms,
        expires_at,
        ...grant,
      }),
    })
  ).capability_token_id as string;
  if (revoked) await world.admin.must(`/v1/capability-tokens/${token}/revoke`);
  if (expires_in_ms !== undefined)
    await eventually('the token has expired', () => Promise.resolve(Date.now() > expires_at + 50));
  return token;
}

/** Makes the call as the agent, or as an administrator for it, and returns the final answer. */
async function made(one: ApiCase): Promise<Answer<JsonValue>> {
  const { tool_id, args, ...over } = one.call;
  const token = one.token === undefined ? {} : { capability_token_id: await tokenFor(one.token) };
  const body = {
    tool_id,
    args: one.content_bytes === undefined ? args : { ...args, content: 'x'.repeat(one.content_bytes) },
    capability_token_id: world.tokenId,
    workspace_id: world.workspaceId,
    idempotency_key: randomUUID(),
    ...(one.deadline_in_ms === undefined ? {} : { deadline: Date.now() + one.deadline_in_ms }),
    ...(one.by === 'admin' ? { agent_id: world.agentId } : {}),
    ...token,
    ...over,
  };
  if (body.idempotency_key === null) delete body.idempotency_key;
  const answers = await Promise.all(
    Array.from({ length: one.times ?? 1 }, (_, index) =>
      apiOf(one.by ?? 'agent').post('/v1/tool-calls?wait=30000', {
        ...body,
        ...(index === 0 ? {} : { idempotency_key: randomUUID() }),
      }),
    ),
  );
  // Of several concurrent calls, one exceeds the limit.
  return answers.find(({ body: said }) => said.error !== null && said.error !== undefined) ?? answers[0]!;
}

async function decided(held: JsonValue, { then, by, body }: ApiCase): Promise<Answer<JsonValue>> {
  expect(held.state).toBe('held');
  const operation = `/v1/operations/${held.operation_id as string}`;
  if (then === 'cancel') return await world.agent.post(`${operation}/cancel`);
  if (then === 'wait')
    return await world.agent.get(`${operation}?wait=20000`).then(async () => {
      await world.until(held.operation_id as string, ['refused']);
      return await world.agent.get(operation);
    });
  return await apiOf(by ?? 'operator').post(`/v1/approvals/${held.approval_id as string}/${then ?? ''}`, body ?? {});
}

async function asked(one: ApiCase): Promise<Answer<JsonValue>> {
  const [method = '', path = ''] = (one.ask ?? '').split(' ');
  const body =
    one.text ??
    (one.bytes === undefined ? one.body : JSON.stringify({ x: 'x'.repeat(one.bytes) })) ??
    (one.grant === undefined ? undefined : { grant: fullGrant(one.grant) });
  const headers =
    one.bytes === undefined && one.text === undefined
      ? one.headers
      : { 'content-type': 'application/json', ...one.headers };
  return await apiOf(one.as).request(method, filled(path), body, headers);
}

async function met(one: ApiCase): Promise<Answer<JsonValue>> {
  for (const { tool_id, args, ...over } of one.before ?? [])
    await world.call(tool_id as string, args, over as Record<string, unknown>);
  if (one.frozen) await world.admin.must('/v1/freezes', { scope: 'tenant', reason: 'a test' });
  if (one.stopped) await stack.services[one.stopped].kill();
  try {
    let answer = one.ask === undefined ? await made(one) : await asked(one);
    // The bus notices a dead process a moment later: requests before that wait in vain.
    while (one.stopped && one.ask !== undefined && one.code !== 'deadline' && answer.body.code === 'deadline')
      answer = await asked(one);
    return one.then === undefined ? answer : await decided(answer.body, one);
  } finally {
    if (one.stopped) await stack.services[one.stopped].start();
  }
}

it.each(cases.at_the_api.map((one) => [one.code, one.when, one] as const))('%s: %s', async (code, _when, one) => {
  const { status, body } = await met(one);
  // An operation contains its result; the answer to a call with `wait` is the result itself.
  const result = ('state' in body ? body.result : body) as JsonValue;
  const error = (result.error ?? null) as JsonValue;
  if (error === null) {
    // A problem, without a call or before it.
    expect([code, FAULT_ANSWERS[code]]).toEqual([code, expect.stringMatching(/^(problem|both)$/)]);
    expect({ status, code: body.code, type: body.type, retry: body.retry }).toEqual({
      status: FAULTS[code].status,
      code,
      type: `https://writ.dev/errors/${code}`,
      retry: FAULTS[code].retry,
    });
    return;
  }
  expect([code, FAULT_ANSWERS[code]]).toEqual([code, expect.stringMatching(/^(result|both)$/)]);
  const { tx_outcome, operation_id } = result;
  expect({ status, code: error.code, outcome: ['rolled_back', 'no_op'].includes(tx_outcome as string) }).toEqual({
    status: 200,
    code,
    outcome: true,
  });
  expect((error.message as string).length).toBeGreaterThan(0);
  // A refused or failed call can be read, with its record.
  const operation = (await world.admin.get(`/v1/operations/${operation_id as string}`)).body;
  expect(operation.result.error.code).toBe(code);
});

test('every fault code has a case at the API, or a reason why not', () => {
  const listed = [...cases.at_the_api, ...cases.elsewhere].map(({ code }) => code);
  expect([...listed].sort()).toEqual(Object.keys(FAULTS).sort());
});

test('every test that replaces a case exists', () => {
  const gone = cases.elsewhere.filter(
    ({ test: path, name = '' }) =>
      path !== undefined &&
      !(existsSync(join(root, path)) && readFileSync(join(root, path), 'utf8').replaceAll("\\'", "'").includes(name)),
  );
  expect(gone).toEqual([]);
  for (const { code, why } of cases.elsewhere) expect({ code, says: why.length > 10 }).toEqual({ code, says: true });
});
