// SPDX-License-Identifier: Apache-2.0
// `writ chat` right after `npm start`: nobody has written a file of settings or named a model. The models are those
// that the set-up chooses by the environment, and the program is the built one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { makeWorld, startStack, type Stack, type World } from '@writ/stack';
import { chatChunk, repositoryRoot, WireServer } from '@writ/testing';
import { vi } from 'vitest';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const ROOT = repositoryRoot();
/** The exit status where a call waits for a person. */
const HELD = 3;
const EXAMPLE = join(ROOT, 'examples', 'duration');

/** The step of `npm start` that writes the models. Imported by path: no package of specs depends on the tools. */
type Step = (setup: { checkout: string; stateDir: string; env: Readonly<Record<string, string>> }) => string;
const { writeModelsFile } = (await import(join(ROOT, 'tools', 'src', 'start', 'models.ts'))) as {
  writeModelsFile: Step;
};

/** The repository that the demo tenant's agent repairs. */
const files = Object.fromEntries(
  readdirSync(EXAMPLE, { recursive: true, encoding: 'utf8' })
    .map((name) => join(EXAMPLE, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => [relative(EXAMPLE, path), readFileSync(path, 'utf8')]),
);

let stateDir: string;
let stack: Stack | undefined;
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'writ-set-up-'));
});
afterEach(async () => {
  await stack?.stop();
  stack = undefined;
  rmSync(stateDir, { recursive: true, force: true });
});

/** Starts Writ as `npm start` does with that environment, with the file of keys that it writes. */
async function start(env: Readonly<Record<string, string>>): Promise<World> {
  const WRIT_MODELS_FILE = writeModelsFile({ checkout: ROOT, stateDir, env });
  stack = await startStack({ env: { orchestrator: { WRIT_MODELS_FILE } } });
  const world = await makeWorld(stack.url, stack.keys.platformKey, { files });
  const keys = { api_key: world.admin.key, operator_key: world.operator.key, agent_key: world.agent.key };
  const ids = { agent_id: world.agentId, workspace_id: world.workspaceId, capability_token_id: world.tokenId };
  writeFileSync(join(stateDir, 'cli.json'), JSON.stringify({ url: stack.url, ...keys, ...ids }), { mode: 0o600 });
  return world;
}

async function chat(message: string): Promise<{ readonly exit: number | null; readonly out: string; err: string }> {
  const program = [join(ROOT, 'apps', 'cli', 'bin', 'writ.mjs'), 'chat', '--verbose'];
  const env = { PATH: process.env['PATH'] ?? '', HOME: stateDir, WRIT_STATE_DIR: stateDir };
  const child = spawn(process.execPath, program, { env, cwd: stateDir });
  child.stdin.end(message);
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (child.exitCode === null) await once(child, 'exit');
  return { exit: child.exitCode, out, err };
}

test('without a key of a provider, the shipped transcript repairs the repository of the demo', async () => {
  const world = await start({});
  const { exit, out, err } = await chat('Repair it.\n');
  // The transcript also asks for what a person must decide, and in a pipe there is none.
  expect([[0, HELD].includes(exit ?? -1), out, err]).toEqual([
    true,
    expect.stringContaining('I look at the repository first.'),
    expect.anything(),
  ]);
  expect(err).toContain('✔ fs.edit committed');
  expect(await world.file('src/parse.js')).toContain('(d|h|ms|m|s)');
});

test("with a provider's key in the environment, its model answers, and the request has that key", async () => {
  const model = await new WireServer().open();
  try {
    const chunks = [chatChunk({ content: 'I am here.' }), chatChunk({}, 'stop'), 'data: [DONE]\n\n'];
    model.script = { chunks, end: 'whole' };
    const OPENAI_API_KEY = 'sk-of-the-environment';
    await start({ OPENAI_API_KEY, OPENAI_BASE_URL: `${model.url}/v1`, WRIT_MODEL: 'model-of-the-environment' });
    const { exit, out, err } = await chat('Are you there?\n');
    expect([exit, out, err]).toEqual([0, 'I am here.\n', expect.anything()]);
    expect(model.requests.map(({ headers, body }) => [headers.authorization, body['model']])).toEqual([
      [`Bearer ${OPENAI_API_KEY}`, 'model-of-the-environment'],
    ]);
  } finally {
    await model.close();
  }
});
