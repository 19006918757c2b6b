// SPDX-License-Identifier: Apache-2.0
// The database loses power under runs whose orchestrator, kernel and executors survive, and may remember more than it
// does. Each reply of the model is unique, so that a reply which was acted on and then lost shows: its call would be in
// no conversation, or in another place.
import { vi } from 'vitest';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '@writ/database';
import {
  eventually,
  makeWorld,
  startStack,
  verifiedReceipt,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';
import { chatChunk, WireServer, type WireRequest } from '@writ/testing';
import { LossyPostgres, whyNoPowerCut } from './lossy-postgres.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const why = whyNoPowerCut();
const describePowerCut = why === null ? describe : describe.skip;

const RUNS = 6;
const ROUNDS = 6;

interface Event {
  readonly kind: string;
  readonly turn?: { readonly calls: readonly { readonly args: { readonly path: string; readonly content: string } }[] };
}

interface Begun {
  readonly world: World;
  readonly sessionId: string;
  readonly runId: string;
}

describePowerCut(`power loss under runs${why === null ? '' : ` (skipped: ${why})`}`, () => {
  let folder: string;
  let model: WireServer;
  let postgres: LossyPostgres;
  let stack: Stack | undefined;
  /** A gate that a reply waits for. */
  let gate: () => Promise<unknown>;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'writ-models-'));
    gate = () => Promise.resolve();
    model = await new WireServer().open();
    model.script = async (asked) => {
      const nth = model.requests.length;
      await gate();
      return replyTo(asked, nth);
    };
    writeFileSync(join(folder, 'key'), 'sk-of-this-test');
    writeFileSync(
      join(folder, 'models.json'),
      JSON.stringify({
        models: [{ name: 'wire', provider: 'openai', model: 'wire', base_url: `${model.url}/v1`, key_file: 'key' }],
      }),
    );
    postgres = await LossyPostgres.make({ dropsSynced: false });
    stack = await startStack({
      database: await postgres.database(),
      env: {
        kernel: { WRIT_LEASE_MS: '2000', WRIT_PERMIT_TTL_MS: '3000', WRIT_SWEEP_MS: '250' },
        orchestrator: { WRIT_MODELS_FILE: join(folder, 'models.json') },
      },
    });
  });
  afterEach(async () => {
    await stack?.stop();
    await postgres?.remove();
    await model?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('keeps every executed call in its conversation, once, and ends each run', async () => {
    const begun: Begun[] = [];
    for (let n = 0; n < RUNS; n += 1) begun.push(await begin(stack!));
    await eventually('replies of all', () => Promise.resolve(model.requests.length >= RUNS * 3), 60_000);
    await postgres.cutPower();
    await sleep(500);
    await postgres.powerUp();
    for (const run of begun) await expectConsistent(stack!, run);
  });

  it('loses no reply that is acted on afterwards', async () => {
    const { kernel } = stack!.services;
    const [letGo, isAsked] = [gates(), gates()];
    gate = async () => {
      isAsked.open();
      await letGo.passed();
    };
    const run = await begin(stack!);
    for (let cut = 0; cut < 3; cut += 1) {
      await isAsked.passed();
      const observer = await connect(stack!.database.ownerUrl, 'power-loss');
      observer.on('error', () => undefined);
      const kept = async (): Promise<number> =>
        (
          await observer.query<{ n: number }>(
            'SELECT count(*)::int AS n FROM orchestrator.run_event WHERE run_id = $1',
            [run.runId],
          )
        ).rows[0]!.n;
      const before = await kept();
      // The reply is stored and its call is on the way. Nothing else commits, and the power goes before the server's
      // own flush.
      kernel.freeze();
      letGo.open();
      while ((await kept()) === before) await sleep(2);
      await postgres.cutPower();
      observer.end().catch(() => undefined);
      await postgres.powerUp();
      kernel.thaw();
    }
    letGo.openForGood();
    await expectConsistent(stack!, run);
  });
});

/** A gate that lets one caller through at a time. */
function gates(): { open: () => void; openForGood: () => void; passed: () => Promise<void> } {
  let [left, isOpen] = [0, false];
  return {
    open: () => {
      left += 1;
    },
    openForGood: () => {
      isOpen = true;
    },
    passed: async () => {
      while (left === 0 && !isOpen) await sleep(2);
      left = Math.max(0, left - 1);
    },
  };
}

/** The run ends; the calls of its model are exactly the executed ones. */
async function expectConsistent(stack: Stack, { world, sessionId, runId }: Begun): Promise<void> {
  const run = await eventually(
    `the end of ${runId}`,
    async () => {
      const { body } = await world.admin.get(`/v1/runs/${runId}`).catch(() => ({ body: null }));
      return body?.state === 'ended' ? (body as JsonValue) : null;
    },
    120_000,
  );
  expect(run).toMatchObject({ stopped: 'end' });
  const { runs } = (await world.auditor.get(`/v1/sessions/${sessionId}/transcript`)).body as unknown as {
    runs: { events: Event[] }[];
  };
  const output = runs.flatMap(({ events }) => events).flatMap(({ turn }) => turn?.calls.map(({ args }) => args) ?? []);
  expect(output.map(({ path }) => path)).toEqual(
    Array.from({ length: ROUNDS }, (_none, round) => `round-${round}.txt`),
  );
  const operations = (
    (await world.admin.get(`/v1/operations?session_id=${sessionId}&limit=200`)).body.items as JsonValue[]
  ).filter(({ tool_id }) => tool_id === 'fs.write');
  expect(operations.map(({ state }) => state)).toEqual(Array.from({ length: ROUNDS }, () => 'committed'));
  for (const { path, content } of output) expect([path, await world.file(path)]).toEqual([path, content]);
  for (const { operation_id } of operations.slice(0, 2)) await verifiedReceipt(stack, world, operation_id as string);
}

/** Writes a file each round, with a unique content; then it is done. */
function replyTo({ body }: WireRequest, nth: number): { chunks: string[]; end: 'whole' } {
  const round = (body['messages'] as { role: string }[]).filter(({ role }) => role === 'assistant').length;
  if (round === ROUNDS)
    return { chunks: [chatChunk({ content: 'Done.' }), chatChunk({}, 'stop'), 'data: [DONE]\n\n'], end: 'whole' };
  const args = JSON.stringify({ path: `round-${round}.txt`, content: `asked ${nth}` });
  return {
    chunks: [
      chatChunk({
        tool_calls: [
          { index: 0, id: `call_${round}`, type: 'function', function: { name: 'write_file', arguments: args } },
        ],
      }),
      chatChunk({}, 'tool_calls'),
      'data: [DONE]\n\n',
    ],
    end: 'whole',
  };
}

async function begin(stack: Stack): Promise<Begun> {
  const world = await makeWorld(stack.url, stack.keys.platformKey);
  const { session_id } = await world.agent.must('/v1/sessions', {
    workspace_id: world.workspaceId,
    capability_token_id: world.tokenId,
    model: 'wire',
  });
  const { run_id } = await world.agent.must(`/v1/sessions/${session_id as string}/runs`, { input: 'Write.' });
  return { world, sessionId: session_id as string, runId: run_id as string };
}
