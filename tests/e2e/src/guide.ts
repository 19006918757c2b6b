// SPDX-License-Identifier: Apache-2.0
// Runs the commands of a guide as a reader would type them. `# refused: CODE` after a command states its expected
// fault. All others must succeed.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { makeWorld, type SharedStack } from '@writ/stack';
import { repositoryRoot } from '@writ/testing';

const root = repositoryRoot();

/** A folder where `npm start` has run, with a tenant of its own. */
export class GuideFolder {
  /** what a reader who uses no `.writ/cli.json` sets before: WRIT_URL, WRIT_API_KEY, and ids of the tenant */
  readonly variables: Readonly<Record<'WRIT_URL' | 'WRIT_API_KEY' | 'AGENT' | 'WORKSPACE' | 'CAPABILITY', string>>;
  readonly tenantId: string;
  readonly #path = mkdtempSync(join(tmpdir(), 'writ-guide-'));

  private constructor(variables: GuideFolder['variables'], tenantId: string) {
    this.variables = variables;
    this.tenantId = tenantId;
  }

  static async open({ url, keys: { platformKey: platform_key } }: SharedStack): Promise<GuideFolder> {
    const world = await makeWorld(url, platform_key, {
      files: { 'README.md': 'a repository\n', 'src/a.txt': 'one\n', 'docs/b.txt': 'two\n' },
    });
    const variables = {
      WRIT_URL: url,
      WRIT_API_KEY: world.admin.key ?? '',
      AGENT: world.agentId,
      WORKSPACE: world.workspaceId,
      CAPABILITY: world.tokenId,
    };
    const folder = new GuideFolder(variables, world.tenantId);
    const [api_key, operator_key, agent_key] = [world.admin.key, world.operator.key, world.agent.key];
    mkdirSync(join(folder.#path, '.writ'));
    symlinkSync(join(root, 'examples'), join(folder.#path, 'examples'));
    // The same format as `npm start` writes.
    writeFileSync(
      join(folder.#path, '.writ', 'cli.json'),
      JSON.stringify({
        url,
        api_key,
        operator_key,
        agent_key,
        platform_key,
        agent_id: world.agentId,
        workspace_id: world.workspaceId,
        capability_token_id: world.tokenId,
      }),
      { mode: 0o600 },
    );
    return folder;
  }

  /**
   * Runs all commands of a guide; returns their output. Throws where a result differs from the guide.
   * @param variables what the reader has set before
   * @param onLine gets each line of the error stream at once: a command may wait for what a person does
   */
  async run(
    guide: string,
    variables: Readonly<Record<string, string>> = {},
    onLine: (line: string) => void = () => undefined,
  ): Promise<string> {
    const commands = commandsOf(guide);
    expect(commands.length).toBeGreaterThan(4);
    const env = { PATH: process.env['PATH'] ?? '', NO_COLOR: '1', ...variables };
    const running = promisify(execFile)('bash', ['-c', scriptOf(commands)], { cwd: this.#path, env });
    createInterface({ input: running.child.stderr! }).on('line', onLine);
    return (await running).stdout;
  }

  remove(): void {
    rmSync(this.#path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

/** The commands of a guide's shell blocks. */
function commandsOf(guide: string): string[] {
  const text = readFileSync(join(root, 'docs', guide), 'utf8');
  return [...text.matchAll(/```sh\n([\s\S]*?)\n```/g)].flatMap(([, block = '']) => block.trim().split('\n'));
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** One shell for all of them: a command whose result differs ends it, and the error names the command. */
function scriptOf(commands: readonly string[]): string {
  const steps = commands.map((line) => {
    const [, command = '', code] = /^(.*?)(?:\s+# refused: (\S+))?$/.exec(line) ?? [];
    // Status 3 is a call that waits for a person, which is what some guides show.
    if (code === undefined) return `${command} || [ $? = 3 ] || fails ${quoted(command)}`;
    return (
      `said=$(${command} 2>&1) && fails ${quoted(`not refused: ${command}`)}; ` +
      `grep -qF '${code}' <<< "$said" || fails "said $said in the place of ${code}"`
    );
  });
  return [
    `npx() { shift; "${process.execPath}" "${join(root, 'apps/cli/dist/main.js')}" "$@"; }`,
    'fails() { echo "$1" >&2; exit 9; }',
    ...steps,
  ].join('\n');
}
