// SPDX-License-Identifier: Apache-2.0
// A kernel that dies at each step between a person's approval and its effect: an approval is counted once or not at
// all, and what two persons approve happens once.
import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import {
  eventually,
  expectConsistent,
  makeWorld,
  Observer,
  startStack,
  type Answer,
  type Api,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';

const TUNING = { WRIT_LEASE_MS: '4000', WRIT_PERMIT_TTL_MS: '3000', WRIT_SWEEP_MS: '250' };

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let stack: Stack;
let world: World;
let observer: Observer;
let ann: Api;
let bob: Api;
let key: string;

beforeAll(async () => {
  stack = await startStack({ env: { kernel: TUNING }, busProxies: ['kernel'] });
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
  observer = new Observer(stack);
  const document = (await world.admin.get('/v1/policies/default')).body.document as JsonValue;
  await world.admin.must('/v1/policies', {
    document: { ...document, name: 'two', quorum: { ...document.quorum, soft_gate: 2 } },
  });
  await world.admin.must('/v1/policies/activate', { policy: 'two' });
  const person = async (principal: string): Promise<Api> =>
    world.admin.as(
      (await world.admin.must('/v1/api-keys', { name: principal, role: 'operator', principal })).api_key as string,
    );
  [ann, bob] = [await person('ann'), await person('bob')];
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
});
beforeEach(() => {
  key = randomUUID();
});
afterEach(async () => {
  await observer.close();
  stack.busProxy('kernel').release();
  for (const service of Object.values(stack.services)) if (!service.isRunning) await service.start();
});

/** The effect digest that `previewed` saw; null for an approval of the action. */
let seen: string | null;

/** A command that deletes a tree and writes a file: it needs two approvals. */
async function hold(): Promise<JsonValue> {
  seen = null;
  await world.admin.must(`/v1/workspaces/${world.workspaceId}/files`, {
    files: [{ path: `${key}/old.txt`, content: 'old' }],
  });
  const { body } = await world.call(
    'shell.run',
    { command: `rm -rf ${key}; echo once >> done-${key}.txt` },
    { idempotency_key: key },
  );
  expect([body.state, body.votes]).toEqual(['held', { given: 0, needed: 2, role: 'operator' }]);
  return body;
}
const pathOf = (held: JsonValue): string => `/v1/approvals/${held.approval_id as string}`;
async function previewed(held: JsonValue): Promise<void> {
  const preview = await eventually(
    'the end of the preview',
    async () => {
      const { body } = await world.operator.get(pathOf(held));
      seen = body.binding.effect_digest as string | null;
      return ['ready', 'failed'].includes(body.preview.state as string) ? (body.preview as JsonValue) : null;
    },
    120_000,
  );
  expect([preview.state, preview.why]).toEqual(['ready', null]);
}
/** A person repeats a request whose answer was lost. */
const lost = (): Answer<JsonValue> => ({ status: 0, headers: new Headers(), text: '', body: null });
/** Approves what was shown before, without reading it again while a process is down. */
const approve = (held: JsonValue, by: Api): Promise<Answer<JsonValue>> =>
  by.post(`${pathOf(held)}/approve`, seen === null ? {} : { effect_digest: seen }).catch(lost);
const approveUntilAnswered = (held: JsonValue, by: Api): Promise<Answer<JsonValue>> =>
  eventually(
    'an answer',
    async () => {
      const answer = await approve(held, by);
      return answer.status !== 0 && answer.status < 500 ? answer : null;
    },
    120_000,
  );
const votesOf = async (held: JsonValue): Promise<string[]> =>
  (
    await observer.rows<{ principal: string }>(
      'SELECT principal FROM kernel.vote WHERE approval_id = $1 ORDER BY created_at',
      [held.approval_id],
    )
  ).map(({ principal }) => principal);
/** The records of the approval in the log, by verb. */
async function recorded(held: JsonValue): Promise<string[]> {
  await observer.untilLogged();
  const rows = await observer.rows<{ payload: Buffer }>(
    `SELECT payload FROM ledger.leaf WHERE operation_id = $1 AND kind = 'approval'`,
    [held.operation_id],
  );
  return rows
    .map(
      ({ payload }) =>
        (JSON.parse(payload.toString()) as { predicate: { change: { verb: string } } }).predicate.change.verb,
    )
    .sort();
}
async function expectOnce(held: JsonValue): Promise<void> {
  await expectConsistent(stack, world, observer, held.operation_id as string, { tx_outcome: 'committed' });
  expect(await world.file(`done-${key}.txt`)).toBe('once\n');
  expect(await votesOf(held)).toEqual(['ann', 'bob']);
  expect(await recorded(held)).toEqual(['approve', 'vote', 'vote']);
}

it('kernel dies before the COMMIT of a first vote: the vote is repeated and counts once', async () => {
  const held = await hold();
  await previewed(held);
  const letGo = await observer.hold('LOCK TABLE kernel.outbox IN ACCESS EXCLUSIVE MODE');
  const answer = approve(held, ann);
  await observer.untilBlocked('writ_kernel');
  await stack.services.kernel.kill();
  await observer.abort('writ_kernel');
  await letGo();
  expect(await votesOf(held)).toEqual([]);
  await stack.services.kernel.start();
  await answer;
  expect((await approveUntilAnswered(held, ann)).body).toMatchObject({ state: 'held', votes: { given: 1 } });
  expect((await approveUntilAnswered(held, bob)).body.state).toBe('committed');
  await expectOnce(held);
});

it('kernel dies after the COMMIT of a first vote: the repeated vote is the same vote', async () => {
  const held = await hold();
  await previewed(held);
  stack.busProxy('kernel').hold('out');
  const answer = approve(held, ann);
  await eventually('the vote', async () => (await votesOf(held)).length > 0);
  await stack.services.kernel.kill();
  stack.busProxy('kernel').cut();
  await stack.services.kernel.start();
  await answer;
  expect((await approveUntilAnswered(held, ann)).body).toMatchObject({ state: 'held', votes: { given: 1 } });
  expect((await approveUntilAnswered(held, bob)).body.state).toBe('committed');
  await expectOnce(held);
});

it('kernel dies before the COMMIT of the last vote: effect and vote come with the repeated vote', async () => {
  const held = await hold();
  await previewed(held);
  await approve(held, ann);
  const letGo = await observer.hold('LOCK TABLE kernel.snapshot IN ACCESS EXCLUSIVE MODE');
  const answer = approve(held, bob);
  await observer.untilBlocked('writ_kernel');
  await stack.services.kernel.kill();
  await observer.abort('writ_kernel');
  await letGo();
  expect([(await observer.operation(key))?.state, await votesOf(held)]).toEqual(['held', ['ann']]);
  await stack.services.kernel.start();
  await answer;
  expect((await approveUntilAnswered(held, bob)).body.state).toBe('committed');
  await expectOnce(held);
});

it('kernel dies during the COMMIT of the last vote: one effect, which the repeated vote returns', async () => {
  const held = await hold();
  await previewed(held);
  await approve(held, ann);
  const letGo = await observer.hold('LOCK TABLE kernel.snapshot IN ACCESS EXCLUSIVE MODE');
  const answer = approve(held, bob);
  await observer.untilBlocked('writ_kernel');
  await stack.services.kernel.kill();
  await letGo();
  await observer.untilState(key, 'committed');
  await stack.services.kernel.start();
  await answer;
  expect((await approveUntilAnswered(held, bob)).body.state).toBe('committed');
  await expectOnce(held);
});

it('kernel dies between the last approval of an action and its run: the call runs once afterwards', async () => {
  // Without an executor there is no preview: the action is approved.
  stack.services.executor.freeze();
  const held = await hold();
  try {
    await approve(held, ann);
    await approve(held, bob);
    await observer.untilState(key, 'admitted', 'dispatched');
    await stack.services.kernel.kill();
  } finally {
    stack.services.executor.thaw();
  }
  await stack.services.kernel.start();
  expect((await approveUntilAnswered(held, bob)).status).toBe(200);
  await expectOnce(held);
});
