// SPDX-License-Identifier: Apache-2.0
// Odd output of real programs in real containers: a secret in other encodings, prompts, and bytes that are not text.
import { vi } from 'vitest';
import { makeWorld, sharedStack, type JsonValue, type World } from '@writ/stack';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const SECRET = 'correct-horse-battery-staple';
/** Five consecutive characters of the secret, in any encoding used here, count as a leak. */
const PIECES = Array.from({ length: SECRET.length - 4 }, (_, at) => SECRET.slice(at, at + 5)).flatMap((piece) => {
  const bytes = [...Buffer.from(piece)];
  return [
    piece,
    Buffer.from(piece).toString('hex'),
    ...[8, 10].map((base) => bytes.map((byte) => byte.toString(base).padStart(3, '0')).join('')),
  ];
});

let world: World;
let token: string;
beforeAll(async () => {
  const stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey);
  await world.admin.request('PUT', '/v1/secrets', { name: 'KEY', value: SECRET });
  const grant = {
    tools: ['fs.*', 'shell.*'],
    fs: [{ path: '', read: true, write: true }],
    net: [],
    secrets: ['KEY'],
    budgets: {},
    not_before: 0,
    expires_at: Date.now() + 3_600_000,
  };
  token = (
    await world.admin.must('/v1/capability-tokens', { agent_id: world.agentId, workspace_id: world.workspaceId, grant })
  ).capability_token_id as string;
});

const run = async (command: string): Promise<JsonValue> =>
  (await world.call('shell.run', { command }, { capability_token_id: token })).body.result as JsonValue;
const ask = async (args: JsonValue, session_id = 'prompts'): Promise<JsonValue> =>
  (await world.call('shell.session', args, { capability_token_id: token, session_id })).body.result as JsonValue;

it.each([
  'fold -w5 <<< ${secret:KEY}',
  'printf %s ${secret:KEY} | od',
  'printf %s ${secret:KEY} | od -c',
  'printf %s ${secret:KEY} | od -x',
  'printf %s ${secret:KEY} | od -tx1',
  'printf %s ${secret:KEY} | od -An -tu1',
  "printf %s ${secret:KEY} | sed 's/./&\\n/g'",
  "printf %s ${secret:KEY} | od -An -v -tu1 -w1 | sed 's/^ */\\&#/; s/$/;/' | tr -d '\\n'",
  "printf %s ${secret:KEY} | od -An -v -tx1 -w1 | sed 's/^ */\\\\u00/' | tr -d '\\n'",
])('the output of `%s` on a secret is redacted', async (command) => {
  const output = (await run(command)).output as string;
  expect(output).toContain('***KEY***');
  const squeezed = output.replaceAll(/[\s"',\\]/g, '');
  expect(PIECES.filter((piece) => squeezed.includes(piece))).toEqual([]);
});

it('the output of a session has no prompt, whatever a command sets it to', async () => {
  expect(
    await ask({
      command: 'printf \'PS1="(venv) ${PS1:-}"\\nexport PS1\\nPROMPT_COMMAND="echo prompted"\\n\' > activate',
    }),
  ).toMatchObject({ output: '', exit_code: 0 });
  expect(await ask({ command: '. ./activate' })).toMatchObject({ output: '', exit_code: 0 });
  expect(await ask({ command: 'echo one\necho two; (exit 7)' })).toMatchObject({ output: 'one\ntwo\n', exit_code: 7 });
});

it('only output that is not UTF-8 is marked, in a container and in a session', async () => {
  expect(await run('printf "na\\xefve"')).toMatchObject({ output: 'na\uFFFDve', output_lossy: true });
  expect(await run('printf "na\\xc3\\xafve"')).not.toHaveProperty('output_lossy');
  expect(await ask({ command: 'printf "na\\xefve"' }, 'bytes')).toMatchObject({
    output: 'na\uFFFDve',
    output_lossy: true,
  });
  const parts = [
    await ask({ command: 'printf "na\\xc3"; sleep 2; printf "\\xafve"', yield_ms: 1_000 }, 'bytes'),
    await ask({ yield_ms: 10_000 }, 'bytes'),
  ];
  expect(parts.map(({ output }) => output as string).join('')).toBe('na\u00EFve');
  for (const part of parts) expect(part).not.toHaveProperty('output_lossy');
});
