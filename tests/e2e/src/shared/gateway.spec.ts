// SPDX-License-Identifier: Apache-2.0
// Sessions in which nobody can be asked: what needs a person is refused there, except a staged change that is applied
// by its token. Every change of a file needs a person under the policy of this tenant.
import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import {
  eventually,
  makeWorld,
  Observer,
  serveModels,
  sharedStack,
  type JsonValue,
  type Proxy,
  type SharedStack,
  type World,
} from '@writ/stack';
import { chatChunk, WireServer, type WireRequest } from '@writ/testing';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const envelope = (...actions: object[]): string =>
  `\`\`\`yips-agent\n${JSON.stringify({ actions: actions.map((action, n) => ({ type: 'tool', id: `c${n}`, ...action })) })}\n\`\`\``;
const stages = (content: string) => ({ name: 'preview_write_file', arguments: { path: 'a.txt', content } });
const applies = (token: string) => ({ name: 'apply_file_change', arguments: { token } });

let stack: SharedStack;
let world: World;
let observer: Observer;
let wire: WireServer;
let served: Proxy;

/** Stages a change, applies it by the token that it is told, and ends. */
function reply({ body }: WireRequest): string[] {
  const messages = body['messages'] as readonly { readonly role: string; readonly content: string }[];
  const round = messages.filter(({ role }) => role === 'assistant').length;
  const token = /"token":"([A-Za-z0-9_-]+)"/.exec(messages.at(-1)?.content ?? '')?.[1] ?? 'none';
  const content = [envelope(stages('staged by a run\n')), envelope(applies(token))][round] ?? 'Done.';
  return [chatChunk({ content }), chatChunk({}, 'stop'), 'data: [DONE]\n\n'];
}

beforeAll(async () => {
  wire = await new WireServer().open();
  wire.script = (asked) => ({ chunks: reply(asked), end: 'whole' });
  served = await serveModels('gateway', wire.url);
  stack = await sharedStack();
  observer = new Observer(stack);
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
  const { document } = (await world.admin.get('/v1/policies/default')).body;
  await world.admin.must('/v1/policies', {
    document: { ...document, name: 'asks', thresholds: { general: { soft_gate: 0.01 } } },
  });
  await world.admin.must('/v1/policies/activate', { policy: 'asks' });
});
afterAll(async () => {
  await observer?.close();
  await served?.close();
  await wire?.close();
});

const turn = async (output: string, over: object = {}): Promise<JsonValue> =>
  (
    await world.agent.post('/v1/turns?wait=50000', {
      dialect: 'yips',
      output,
      session_id: 'of-a-gateway',
      session_mode: 'gateway',
      turn_id: randomUUID(),
      capability_token_id: world.tokenId,
      workspace_id: world.workspaceId,
      ...over,
    })
  ).body;
const callIn = ({ calls }: JsonValue): JsonValue => (calls as JsonValue[])[0]!;
const metadataIn = ({ messages }: JsonValue): Record<string, string> =>
  (
    JSON.parse(((messages as JsonValue[])[0]!.content as string).split('\n')[1]!) as {
      metadata: Record<string, string>;
    }
  ).metadata;

it('a gateway refuses a change that needs a person, and applies a staged one by its token, once', async () => {
  const direct = { type: 'tool', name: 'fs.write', arguments: { path: 'a.txt', content: 'direct\n' } };
  expect(callIn(await turn(envelope(direct)))).toMatchObject({
    standing: 'denied',
    state: 'refused',
    error: { code: 'policy.denied' },
  });
  const { token, diffPreview, expiresAt } = metadataIn(await turn(envelope(stages('two\n'))));
  expect(diffPreview).toContain('-one\n+two');
  expect(Date.parse(expiresAt!) - Date.now()).toBeLessThanOrEqual(600_000);
  expect(await world.file('a.txt')).toBe('one\n');
  const applied = callIn(await turn(envelope(applies(token!))));
  expect(applied).toMatchObject({ standing: 'completed', state: 'committed' });
  expect(await world.file('a.txt')).toBe('two\n');
  const [record] = await observer.rows(
    'SELECT session_mode, autonomy_mode, precondition_refs FROM kernel.operation WHERE operation_id = $1',
    [applied.operation_id],
  );
  expect(record).toMatchObject({
    session_mode: 'gateway',
    autonomy_mode: 'autopilot',
    precondition_refs: [{ kind: 'staged' }, { kind: 'path', ref: 'a.txt' }],
  });
  expect(callIn(await turn(envelope(applies(token!))))).toMatchObject({ error: { code: 'stale-preview' } });
});

it('no caller can pass off a change as staged that was not shown', async () => {
  const { token } = metadataIn(await turn(envelope(stages('three\n'))));
  expect(token).toMatch(/^[A-Za-z0-9_-]{158}$/);
  const { body: staged } = await world.call(
    'fs.write',
    { path: 'a.txt', content: 'shown\n' },
    {
      session_id: 'of-a-gateway',
      session_mode: 'gateway',
      dry_run: true,
      precondition_refs: [{ kind: 'staged', ref: 'self', version: 'shown' }],
    },
  );
  expect(staged.tx_outcome).toBe('no_op');
  const apply = (content: string) =>
    world.call(
      'fs.write',
      { path: 'a.txt', content },
      {
        session_id: 'of-a-gateway',
        session_mode: 'gateway',
        idempotency_key: `staged:${staged.operation_id as string}`,
        precondition_refs: [{ kind: 'staged', ref: staged.operation_id, version: 'shown' }],
      },
    );
  expect((await apply('not shown\n')).body).toMatchObject({ status: 'error', error: { code: 'precondition.failed' } });
  expect(await world.file('a.txt')).toBe('two\n');
});

it("a run of a gateway's session stages and applies, and an interactive one waits for a person", async () => {
  const run = async (session_mode: string): Promise<{ session: JsonValue; run: JsonValue }> => {
    const session = await world.agent.must('/v1/sessions', {
      workspace_id: world.workspaceId,
      capability_token_id: world.tokenId,
      model: 'gateway',
      dialect: 'yips',
      session_mode,
    });
    const { run_id } = await world.agent.must(`/v1/sessions/${session.session_id as string}/runs`, {
      input: 'change it',
    });
    const state = session_mode === 'gateway' ? 'ended' : 'waiting';
    const found = await eventually(
      `the run is ${state}`,
      async () => {
        const { body } = await world.admin.get(`/v1/runs/${run_id as string}`);
        return body.state === state ? body : null;
      },
      60_000,
    );
    return { session, run: found };
  };
  const gateway = await run('gateway');
  expect([gateway.session.session_mode, gateway.run.stopped]).toEqual(['gateway', 'end']);
  expect(await world.file('a.txt')).toBe('staged by a run\n');
  const interactive = await run('interactive');
  expect(interactive.run.waits_for).toHaveLength(1);
  await world.agent.post(`/v1/runs/${interactive.run.run_id as string}/cancel`, {});
});
