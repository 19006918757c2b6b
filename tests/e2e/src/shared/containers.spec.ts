// SPDX-License-Identifier: Apache-2.0
// The listing of running containers for operators, and the calls of killed containers.
import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import Docker from 'dockerode';
import {
  Api,
  eventually,
  expectCleanLog,
  makeWorld,
  Observer,
  sharedStack,
  verifiedReceipt,
  type JsonValue,
  type SharedStack,
  type World,
} from '@writ/stack';
import { testAddress } from '@writ/testing';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let stack: SharedStack;
let ours: World;
let theirs: World;
let observer: Observer;
beforeAll(async () => {
  stack = await sharedStack();
  [ours, theirs] = [
    await makeWorld(stack.url, stack.keys.platformKey),
    await makeWorld(stack.url, stack.keys.platformKey),
  ];
  observer = new Observer(stack);
});
afterAll(async () => {
  await observer?.close();
});

const begin = (world: World, tool: string, args: Record<string, unknown>, over = {}): Promise<JsonValue> =>
  world.call(tool, args, over, 50_000).then(({ body }) => body);
const listed = async (api: Api): Promise<JsonValue[]> => (await api.get('/v1/containers')).body.items as JsonValue[];
const one = (world: World, kind: string): Promise<JsonValue> =>
  eventually(`a ${kind}`, async () => (await listed(world.admin)).find((each) => each.kind === kind));
const kill = (api: Api, id: unknown) => api.post(`/v1/containers/${String(id)}/kill`, {});
const kills = (subject: unknown) =>
  observer.rows<{ change: JsonValue; actor: string }>(
    `SELECT p -> 'change' AS change, p ->> 'actor' AS actor FROM (SELECT convert_from(payload, 'UTF8')::jsonb -> 'predicate' AS p FROM ledger.leaf WHERE kind = 'change') x WHERE p #>> '{change,subject}' = $1`,
    [subject],
  );

it('a listed container shows its output; its kill is recorded, and ends its call once', async () => {
  const running = begin(ours, 'shell.run', { command: 'echo begun; echo half > half.txt; sleep 1000' });
  const container = await one(ours, 'call');
  expect(container).toMatchObject({
    tool_id: 'shell.run',
    container_id: container.operation_id,
    agent_id: ours.agentId,
    image_digest: expect.stringMatching(/^sha256:/),
  });
  const logs = await eventually('output', async () => {
    const { body } = await ours.auditor.get(`/v1/containers/${String(container.container_id)}/logs`);
    return (body.output_bytes as number) > 0 && body;
  });
  expect(logs).toEqual({ container_id: container.container_id, output: 'begun\n', output_bytes: 6, withheld: false });
  expect((await kill(ours.operator, container.container_id)).body).toMatchObject({
    container_id: container.container_id,
  });
  expect(await running).toMatchObject({
    status: 'error',
    error: { code: 'sandbox.killed' },
    tx_outcome: 'rolled_back',
  });
  expect(await ours.file('half.txt')).toBeNull();
  const { record } = await verifiedReceipt(stack, ours, container.operation_id as string);
  expect(record).toMatchObject({ fault_code: 'sandbox.killed', tx_outcome: 'rolled_back' });
  expect(await observer.outcomes(container.operation_id as string)).toBe(1);
  const [change] = await eventually('the record of the kill', async () => {
    const rows = await kills(container.container_id);
    return rows.length > 0 && rows;
  });
  expect(change).toMatchObject({ change: { verb: 'sandbox_killed' }, actor: expect.stringMatching(/^key_/) });
  const docker = new Docker({ socketPath: testAddress('DOCKER_HOST').replace('unix://', '') });
  await eventually(
    'its container is gone',
    async () =>
      (
        await docker.listContainers({
          all: true,
          filters: { label: [`writ.operation=${String(container.operation_id)}`] },
        })
      ).length === 0,
  );
  expect(await listed(ours.admin)).toEqual([]);
  expect((await kill(ours.operator, container.container_id)).status).toBe(404);
});

it("after a kill of a session's shell one call fails, and the next one starts a new shell", async () => {
  const session_id = randomUUID();
  const ask = (args: Record<string, unknown>) => begin(ours, 'shell.session', args, { session_id });
  await ask({ command: 'X=5; echo said' });
  const container = await one(ours, 'session');
  expect(container).toMatchObject({ session_id, operation_id: null });
  expect((await ours.operator.get(`/v1/containers/${String(container.container_id)}/logs`)).body).toMatchObject({
    output: expect.stringContaining('said'),
  });
  expect((await kill(ours.admin, container.container_id)).status).toBe(200);
  expect(await ask({ command: 'echo "$X"' })).toMatchObject({
    status: 'error',
    error: { code: 'session.lost', message: expect.stringContaining('a person killed') },
  });
  expect(await ask({ command: 'echo "X is $X"' })).toMatchObject({
    status: 'ok',
    result: { shell: 'started', output: 'X is \n' },
  });
  await kill(ours.admin, (await one(ours, 'session')).container_id);
});

it("a kill of a session's shell ends its running call", async () => {
  const running = begin(
    ours,
    'shell.session',
    { command: 'echo half > half.txt; sleep 1000', yield_ms: 60_000 },
    { session_id: randomUUID() },
  );
  const container = await eventually('the call is under way', async () =>
    (await listed(ours.admin)).find(({ kind, operation_id }) => kind === 'session' && operation_id !== null),
  );
  await kill(ours.operator, container.container_id);
  expect(await running).toMatchObject({
    status: 'error',
    error: { code: 'sandbox.killed' },
    tx_outcome: 'rolled_back',
  });
  expect(await ours.file('half.txt')).toBeNull();
});

it("the platform key sees and kills every tenant's containers, and a tenant only its own", async () => {
  const platform = new Api(stack.url, stack.keys.platformKey);
  const running = [ours, theirs].map((world) => begin(world, 'shell.run', { command: 'sleep 1000' }));
  const [own, foreign] = [await one(ours, 'call'), await one(theirs, 'call')];
  expect(await listed(ours.admin)).toHaveLength(1);
  expect((await listed(platform)).map(({ container_id }) => container_id)).toEqual(
    expect.arrayContaining([own.container_id, foreign.container_id]),
  );
  for (const path of ['logs', 'kill'])
    expect(
      (
        await ours.admin.request(
          path === 'kill' ? 'POST' : 'GET',
          `/v1/containers/${String(foreign.container_id)}/${path}`,
          path === 'kill' ? {} : undefined,
        )
      ).status,
    ).toBe(404);
  for (const each of [own, foreign]) expect((await kill(platform, each.container_id)).status).toBe(200);
  for (const answer of await Promise.all(running)) expect(answer).toMatchObject({ error: { code: 'sandbox.killed' } });
  const rows = await eventually('its record', async () => {
    const all = await kills(foreign.container_id);
    return all.length > 0 && all;
  });
  expect(rows[0]).toMatchObject({ actor: 'platform' });
  expectCleanLog(stack);
});
