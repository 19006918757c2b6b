// SPDX-License-Identifier: Apache-2.0
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { declarationsOf, Writ } from '@writ/client';
import { startStack, type Stack } from '@writ/stack';
import { WireServer } from '@writ/testing';
import { runJob } from './main.ts';
import { checkReceipts } from './receipts.ts';
import type { JobResult } from './result.ts';

/** Time for a whole Writ to start, and for several containers in sequence. */
const SLOW_MS = 180_000;

let stack: Stack;
let stateDir: string;
beforeAll(async () => {
  stack = await startStack();
  stateDir = mkdtempSync(join(tmpdir(), 'writ-job-'));
  copyFileSync(stack.keys.publicKeysFile, join(stateDir, 'public-keys.json'));
}, SLOW_MS);
afterAll(async () => {
  await stack?.stop();
  rmSync(stateDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}, SLOW_MS);

const run = (env: Record<string, string> = {}): Promise<JobResult> =>
  runJob({ apiUrl: stack.url, platformKey: stack.keys.platformKey, stateDir, onProgress: () => undefined, env });
const unmet = ({ expectations }: JobResult) => expectations.filter(({ met }) => !met);

test(
  'the recorded run meets every expectation of the main job, twice',
  async () => {
    const first = await run();
    expect(unmet(first)).toEqual([]);
    expect(first).toMatchObject({ ok: true, model: 'transcript:example' });
    expect(first.calls.every(({ receipt, verified }) => verified && receipt !== null && existsSync(receipt))).toBe(
      true,
    );
    expect(first.calls.some(({ by }) => by === 'job')).toBe(false);
    const second = await run();
    expect(unmet(second)).toEqual([]);
    expect(second.workspace_id).not.toBe(first.workspace_id);
    // A program of the agent that names no token needs the only one: the second run has revoked that of the first.
    const variables = readFileSync(join(stateDir, 'demo.env'), 'utf8').trim().split('\n');
    const { WRIT_URL: url, ...keys } = Object.fromEntries(variables.map((line) => line.split('=')));
    const agent = new Writ({ url, apiKey: keys['WRIT_AGENT_KEY'] });
    expect(await agent.call('fs.read', { path: 'README.md' })).toMatchObject({ outcome: 'ok' });
    const own = { toolId: 'demo.own', description: 'Adds.', parameters: { type: 'object' }, run: () => 3 };
    const admin = new Writ({ url, apiKey: keys['WRIT_ADMIN_KEY'] });
    await admin.tools.apply({ functions: declarationsOf({ own }) });
    expect(await (await agent.perform(own.toolId, {}, own.run)).result()).toBe(3);
  },
  SLOW_MS,
);

test(
  'a well-behaved model fixes the bug, and the job does the rest itself',
  async () => {
    const reply = (delta: object, finish_reason: string) => ({
      end: 'whole' as const,
      chunks: [
        `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 0, model: 'm', choices: [{ index: 0, finish_reason, delta }] })}\n\n`,
        'data: [DONE]\n\n',
      ],
    });
    const edit = { path: 'src/parse.js', edits: [{ find: '(d|h|m|s|ms)', replace: '(d|h|ms|m|s)' }] };
    const provider = await new WireServer().open();
    provider.script = ({ body }) =>
      (body as { messages: unknown[] }).messages.length <= 2
        ? reply(
            {
              tool_calls: [
                {
                  index: 0,
                  id: 'e1',
                  type: 'function',
                  function: { name: 'edit_file', arguments: JSON.stringify(edit) },
                },
              ],
            },
            'tool_calls',
          )
        : reply({ content: 'fixed' }, 'stop');
    const result = await run({ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: provider.url, WRIT_MODEL: 'local/coder' });
    await provider.close();
    // It never saw the suite fail; every other expectation is met.
    expect(unmet(result).map(({ what }) => what)).toEqual(['the test suite failed in the sandbox']);
    expect(result.calls.map(({ by }) => by)).toEqual(['model', 'job', 'job', 'job', 'job', 'model']);
  },
  SLOW_MS,
);

test(
  'keys are readable only by their owner, and a receipt changed on disk does not verify',
  async () => {
    for (const name of ['cli.json', 'demo.json', 'demo.env'])
      expect(statSync(join(stateDir, name)).mode & 0o077).toBe(0);
    const { calls } = await run();
    const { receipt, operation_id } = calls[0]!;
    const file = { operationId: operation_id, phase: 'outcome' as const, path: receipt };
    const keys = join(stateDir, 'public-keys.json');
    expect(await checkReceipts([file], keys)).toMatchObject([{ isVerified: true }]);
    expect(await checkReceipts([{ ...file, operationId: 'op_other' }], keys)).toMatchObject([
      { isVerified: false, finding: 'genuine, but of another operation or phase' },
    ]);
    const text = readFileSync(receipt!, 'utf8');
    writeFileSync(receipt!, text.replace('"tree_size":', '"tree_size":1'));
    expect(await checkReceipts([file], keys)).toMatchObject([
      { isVerified: false, finding: expect.stringMatching(/^tree_size: /) },
    ]);
  },
  SLOW_MS,
);
