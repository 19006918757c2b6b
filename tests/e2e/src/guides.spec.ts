// SPDX-License-Identifier: Apache-2.0
// The commands of a guide, as a reader would type them. `# refused: CODE` behind a command says that it fails so; all others succeed.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { jest } from '@jest/globals';
import { makeWorld, startStack, type Stack } from '@writ/stack';
import { repositoryRoot } from '@writ/testing';

jest.setTimeout(180_000);

const root = repositoryRoot();
let stack: Stack;
let folder: string;

beforeAll(async () => {
  stack = await startStack();
  folder = mkdtempSync(join(tmpdir(), 'writ-guide-'));
  const world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'README.md': 'a repository\n', 'src/a.txt': 'one\n', 'docs/b.txt': 'two\n' } });
  const [api_key, operator_key, agent_key] = [world.admin.key, world.operator.key, world.agent.key];
  mkdirSync(join(folder, '.writ'));
  // As `npm start` writes it.
  writeFileSync(join(folder, '.writ', 'cli.json'), JSON.stringify({
    url: stack.url, api_key, operator_key, agent_key, platform_key: stack.keys.platformKey, agent_id: world.agentId, workspace_id: world.workspaceId, capability_token_id: world.tokenId,
  }), { mode: 0o600 });
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  await stack?.stop();
});

/** The commands of a guide's shell blocks. */
const commandsOf = (guide: string): string[] =>
  [...readFileSync(join(root, 'docs', 'guides', guide), 'utf8').matchAll(/```sh\n([\s\S]*?)\n```/g)].flatMap(([, block = '']) => block.trim().split('\n'));

const quoted = (text: string): string => `'${text.replaceAll('\'', `'\\''`)}'`;

/** One shell for all of them: a command that does otherwise than the guide says ends it, and is named. */
function scriptOf(commands: readonly string[]): string {
  const steps = commands.map((line) => {
    const [, command = '', code] = /^(.*?)(?:\s+# refused: (\S+))?$/.exec(line) ?? [];
    if (code === undefined) return `${command} || fails ${quoted(command)}`;
    return `said=$(${command} 2>&1) && fails ${quoted(`not refused: ${command}`)}; grep -qF '${code}' <<< "$said" || fails "said $said in the place of ${code}"`;
  });
  return [`npx() { shift; "${process.execPath}" "${join(root, 'apps/cli/dist/main.js')}" "$@"; }`, 'fails() { echo "$1" >&2; exit 9; }', ...steps].join('\n');
}

it.each([['capability-tokens.md', /budget +bound +used +reserved +left/], ['emergency-stop.md', /since +freeze +scope +what +state +why/], ['approvals.md', /votes +1 of 2/], ['records.md', /index +recorded +what +tool/], ['erasure.md', /erased +its content, .* by ers_/], ['turns.md', /\[TOOL_RESULT:c1\] status=Completed result=[^]*"tool_use_id":"toolu_1"[^]*stale-preview/]])('every command of %s does what the guide says', async (guide, shown) => {
  const commands = commandsOf(guide);
  expect(commands.length).toBeGreaterThan(4);
  const env = { PATH: process.env['PATH'] ?? '', NO_COLOR: '1' };
  const { stdout } = await promisify(execFile)('bash', ['-c', scriptOf(commands)], { cwd: folder, env });
  expect(stdout).toMatch(shown);
});
