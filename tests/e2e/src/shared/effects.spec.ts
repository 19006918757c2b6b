// SPDX-License-Identifier: Apache-2.0
// The effect of a call on a workspace is decided, whatever its command looks like: real containers, real deltas, people
// who approve and deny.
import { vi } from 'vitest';
import { eventually, makeWorld, mustApproveShown, sharedStack, type JsonValue, type World } from '@writ/stack';

vi.setConfig({ testTimeout: 120_000 });

const SOURCES = Object.fromEntries(
  Array.from({ length: 24 }, (_, n) => [
    `src/module${n}.js`,
    Array.from(
      { length: 8 },
      (__, line) => `export const name${n}_${line} = (first, second) => first.field${line} + second * ${n};\n`,
    ).join(''),
  ]),
);

let world: World;
beforeAll(async () => {
  const stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'README.md': '# sample\n', ...SOURCES } });
});

const run = async (command: string, over: Record<string, unknown> = {}): Promise<JsonValue> =>
  (await world.call('shell.run', { command }, over, 30_000)).body;
const operation = async (id: unknown): Promise<JsonValue> =>
  (await world.operator.get(`/v1/operations/${String(id)}`)).body;
const isThere = async (): Promise<boolean> => (await world.file('src/module3.js')) !== null;

/** Deletes most of the sources, in commands that the risk table may or may not recognise. */
const DESTROYERS = [
  'node -e \'const fs = require("fs"); for (const f of fs.readdirSync("src")) fs["unlink" + "Sync"]("src/" + f);\'',
  'f=find; d=-delete; "$f" src -type f "$d"',
  'for f in src/*; do tee "$f" < /dev/null > /dev/null; done',
];

describe.each(DESTROYERS)('a call that destroys the sources: %s', (command) => {
  it('waits in an interactive session with its effect, and commits nothing when it is denied', async () => {
    const held = await run(command);
    const { state, approval_id, result } = await operation(held.operation_id);
    if (result?.effect_digest === null) return expect(state).toBe('held');
    expect(state).toBe('held');
    const approval = (await world.operator.get(`/v1/approvals/${String(approval_id)}`)).body;
    expect(approval).toMatchObject({ of: expect.stringMatching(/^(?:action|effect)$/) as unknown });
    await world.operator.must(`/v1/approvals/${String(approval_id)}/deny`, {});
    expect(await isThere()).toBe(true);
    return undefined;
  });

  it('never commits in a gateway session', async () => {
    const body = await run(command, { session_mode: 'gateway' });
    expect((await operation(body.operation_id)).state).toMatch(/^(?:rolled_back|refused)$/);
    expect(await isThere()).toBe(true);
  });
});

it('an unforeseen effect is held with its finding, and an approval commits exactly it', async () => {
  await world.admin.must(`/v1/workspaces/${world.workspaceId}/files`, {
    files: [{ path: 'tool.sh', content: 'cd src && for f in module1*; do : > "$f"; done\n' }],
  });
  const held = await run('bash tool.sh');
  const { state, approval_id } = await operation(held.operation_id);
  expect(state).toBe('held');
  const approval = (await world.operator.get(`/v1/approvals/${String(approval_id)}`)).body;
  if (approval.of === 'action') await mustApproveShown(world.operator, String(approval_id));
  const asked = await world.until(held.operation_id as string, ['held', 'committed'], 60_000);
  expect(asked.state).toBe('held');
  const second = (await world.operator.get(`/v1/approvals/${String((await operation(held.operation_id)).approval_id)}`))
    .body;
  expect(second).toMatchObject({
    of: 'effect',
    reasons: expect.arrayContaining([
      { code: 'effect.lost_many', message: 'the call empties 11 of 26 files' },
    ]) as unknown,
  });
  await world.operator.must(`/v1/approvals/${String(second.approval_id)}/approve`, {
    effect_digest: second.binding.effect_digest,
  });
  expect((await world.until(held.operation_id as string, ['committed'], 60_000)).state).toBe('committed');
  expect(await world.file('src/module10.js')).toBe('');
});

it('a call that empties a workspace is refused, and nobody can approve it', async () => {
  const body = await run(
    'node -e \'const fs = require("fs"); for (const f of fs.readdirSync(".")) fs["rm" + "Sync"](f, { recursive: true });\'',
  );
  const first = await operation(body.operation_id);
  if (first.state === 'held') await mustApproveShown(world.operator, String(first.approval_id));
  const ended = await world.until(body.operation_id as string, ['rolled_back', 'refused'], 60_000);
  expect(ended.state).toBe('rolled_back');
  expect(ended.result.error).toMatchObject({
    code: 'effect.out_of_scope',
    message: expect.stringContaining('the call '),
  });
  expect(ended.result.error.message).toMatch(/deletes all \d+ files of the workspace/);
  expect(await isThere()).toBe(true);
});

describe('a call that was shown as an action, and whose preview then has a finding', () => {
  const body = async (by: World['operator'], path: string): Promise<JsonValue> => (await by.get(path)).body;
  let lent: JsonValue;
  beforeAll(async () => {
    const key = async (principal: string): Promise<World['operator']> =>
      world.admin.as(
        (
          (await world.admin.must('/v1/api-keys', { name: principal, role: 'operator', principal })) as {
            api_key: string;
          }
        ).api_key,
      );
    const [ann, bob] = [await key('ann'), await key('bob')];
    const { delegation_id } = await ann.must('/v1/approvals/delegations', {
      to: 'bob',
      note: 'away',
      expires_at: Date.now() + 3_600_000,
    });
    lent = { bob, delegation_id };
  });

  it('needs an approval that names its effect, also for the session and by delegation', async () => {
    const held = await run('rm -rf src; echo gone > gone.txt', { session_id: 'late' });
    const path = `/v1/approvals/${String(held.approval_id)}`;
    const shown = await eventually(
      'its effect',
      async () => {
        const view = await body(world.operator, path);
        return view.of === 'effect' ? (view as JsonValue) : null;
      },
      60_000,
    );
    expect(shown.reasons.map(({ code }: JsonValue) => code as string)).toContain('effect.lost_many');
    const ways: readonly [World['operator'], JsonValue][] = [
      [world.operator, {}],
      [world.operator, { scope: 'session' }],
      [lent.bob, { delegation_id: lent.delegation_id }],
    ];
    for (const [by, more] of ways)
      for (const effect of [{}, { effect_digest: 'a'.repeat(64) }]) {
        const answer = await by.post(`${path}/approve`, { ...more, ...effect });
        expect([answer.status, answer.body.code]).toEqual([409, 'approval.effect_unseen']);
        expect(answer.body.detail).toMatch(
          /`effect\.lost_many`.*look at `apr_\w+` and its diff again, then send the `effect_digest`/,
        );
      }
    expect(await body(world.operator, path)).toMatchObject({ state: 'pending', votes: { given: 0 } });
    expect(await isThere()).toBe(true);
    const yes = await lent.bob.must(`${path}/approve`, {
      delegation_id: lent.delegation_id,
      effect_digest: shown.binding.effect_digest,
    });
    expect(yes).toMatchObject({ state: 'committed' });
    expect(await isThere()).toBe(false);
  });
});
