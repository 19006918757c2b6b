// SPDX-License-Identifier: Apache-2.0
// A page whose steps are done as a reader does them: it saves the files that the page names, and types the commands.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { makeWorld, type SharedStack } from '@writ/stack';
import { repositoryRoot } from '@writ/testing';

const root = repositoryRoot();
const DAY_MS = 86_400_000;
/** A block of code, with the name of the file that the line before it says. */
const BLOCK = /(?:save this[^`\n]* as `([^`]+)`:\n\n)?```(\w+)\n([^]*?)```/gi;

interface Block {
  readonly file: string | undefined;
  readonly language: string;
  readonly text: string;
}

/** A checkout where `npm start` is up, with a tenant like its demo, and a folder `shop` beside it. */
export class Tutorial {
  readonly #page: string;
  readonly #path = mkdtempSync(join(tmpdir(), 'writ-tutorial-'));
  readonly #checkout = join(this.#path, 'checkout');

  private constructor(page: string) {
    this.#page = page;
  }

  static async open(page: string, { url, keys }: SharedStack): Promise<Tutorial> {
    const tutorial = new Tutorial(page);
    const world = await makeWorld(url, keys.platformKey);
    // The grant of the demo, which tools/src/job/workspace.ts issues: the only token of its agent.
    await world.admin.must(`/v1/capability-tokens/${world.tokenId}/revoke`, {});
    const grant = { fs: [], net: [], secrets: [], budgets: {}, not_before: 0, expires_at: Date.now() + DAY_MS };
    await world.admin.must('/v1/capability-tokens', {
      agent_id: world.agentId,
      workspace_id: world.workspaceId,
      grant: { ...grant, tools: ['fs.*', 'demo.*'] },
    });
    const [admin, operator, agent] = [world.admin, world.operator, world.agent].map(({ key }) => key ?? '');
    mkdirSync(join(tutorial.#checkout, '.writ'), { recursive: true });
    for (const folder of ['libs', 'sdk']) symlinkSync(join(root, folder), join(tutorial.#checkout, folder));
    // The formats that `npm start` writes.
    tutorial.#write(
      '.writ/cli.json',
      JSON.stringify({ url, api_key: admin, operator_key: operator, agent_key: agent }),
    );
    tutorial.#write(
      '.writ/demo.env',
      `WRIT_URL=${url}\nWRIT_AGENT_KEY=${agent}\nWRIT_OPERATOR_KEY=${operator}\nWRIT_ADMIN_KEY=${admin}\n`,
    );
    return tutorial;
  }

  #write(name: string, content: string): void {
    writeFileSync(join(this.#checkout, name), content, { mode: 0o600 });
  }

  #blocks(heading: string): Block[] {
    const [, section = ''] = this.#page.split(`\n## ${heading}\n`);
    const [own = ''] = section.split('\n## ');
    return [...own.matchAll(BLOCK)].map(([, file, language = '', content = '']) => ({ file, language, text: content }));
  }

  /** What the page says that its commands print. */
  outputs(heading: string): string[] {
    return this.#blocks(heading)
      .filter(({ language }) => language === 'text')
      .map((block) => block.text);
  }

  /** Does what is below a heading, in its order, and returns what the commands print. */
  async step(heading: string): Promise<string> {
    const blocks = this.#blocks(heading);
    expect(blocks.length).toBeGreaterThan(1);
    let printed = '';
    for (const block of blocks) {
      if (block.file !== undefined) this.#write(join('../shop', block.file), block.text);
      else if (block.language === 'sh') printed += await this.#run(block.text);
    }
    return printed;
  }

  /**
   * A step of two blocks of commands, for two terminals. The second gets in place of `placeholder` what the first
   * prints. Returns all that the first prints.
   */
  async stepOfTwo(heading: string, awaited: RegExp, placeholder: string): Promise<string> {
    const [first, second, ...others] = this.#blocks(heading).filter(({ language }) => language === 'sh');
    expect([first?.text, second?.text, others]).toEqual([expect.any(String), expect.stringContaining(placeholder), []]);
    const child = this.#start(first!.text);
    let printed = '';
    const said = new Promise<string>((resolve) =>
      child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
        printed += chunk;
        const found = awaited.exec(printed)?.[1];
        if (found !== undefined) resolve(found);
      }),
    );
    const ended = ending(child);
    const value = await Promise.race([said, ended.then((code) => Promise.reject(new Error(`${code}: ${printed}`)))]);
    await this.#run(second!.text.replace(placeholder, value));
    expect(await ended).toBe(0);
    return printed;
  }

  async #run(commands: string): Promise<string> {
    const child = this.#start(commands);
    const [printed, errors, code] = await Promise.all([text(child.stdout!), text(child.stderr!), ending(child)]);
    if (code !== 0) throw new Error(`status ${code} of\n${commands}\n${printed}${errors}`);
    return printed;
  }

  #start(commands: string): ChildProcess {
    const own = Object.entries(process.env).filter(([name]) => !/^(?:WRIT_|npm_)/.test(name));
    const script = [
      'set -e',
      `npx() { shift; node "${join(root, 'apps/cli/dist/main.js')}" "$@"; }`,
      `npm() { node "${join(root, 'node_modules/npm/bin/npm-cli.js')}" "$@"; }`,
      commands,
    ].join('\n');
    return spawn('bash', ['-c', script], {
      cwd: this.#checkout,
      // No context of whoever tests, and no requests of npm for what the page doesn't install.
      env: {
        ...Object.fromEntries(own),
        ...{ PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`, NO_COLOR: '1', WRIT_CONTEXT: 'local' },
        ...{ npm_config_audit: 'false', npm_config_update_notifier: 'false' },
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  remove(): void {
    rmSync(this.#path, { recursive: true, force: true });
  }
}

const ending = async (child: ChildProcess): Promise<number | null> =>
  ((await once(child, 'close')) as [number | null])[0];
