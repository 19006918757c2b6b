// SPDX-License-Identifier: Apache-2.0
// The client as users get it: packed, and installed into an empty folder without a network.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '@writ/testing';

const root = repositoryRoot();
const run = promisify(execFile);

/** What a program needs to find its own things, and nothing of the checkout. */
const plainEnv = (more: Readonly<Record<string, string>>): NodeJS.ProcessEnv => ({
  HOME: tmpdir(),
  PATH: '/usr/local/bin:/usr/bin:/bin',
  NO_COLOR: '1',
  DENO_NO_UPDATE_CHECK: '1',
  ...more,
});

/** A program that runs JavaScript. */
export interface Runtime {
  readonly name: string;
  readonly program: string;
  /** before the file */
  readonly options: readonly string[];
}

const inPath = (name: string): string[] =>
  (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name));

const firstOf = (name: string, paths: readonly string[], options: readonly string[] = []): [string, Runtime | null] => {
  const program = paths.find((path) => existsSync(path));
  return [name, program === undefined ? null : { name, program, options }];
};

/** The runtimes of the guide, each with the program; null where this machine has none. */
export const RUNTIMES: readonly [string, Runtime | null][] = [
  ['Node.js', { name: 'Node.js', program: process.execPath, options: [] }],
  firstOf('the Node.js of this machine', ['/usr/local/bin/node', '/usr/bin/node']),
  firstOf('Bun', [join(root, 'node_modules/@oven/bun-linux-x64-baseline/bin/bun'), ...inPath('bun')], ['run']),
  firstOf('Deno', [join(root, 'node_modules/@deno/linux-x64-glibc/deno'), ...inPath('deno')], ['run', '-A']),
];

/** An empty project with the package alone. */
export class PackedClient {
  readonly path = mkdtempSync(join(tmpdir(), 'writ-client-'));

  static async install(): Promise<PackedClient> {
    const client = new PackedClient();
    const made = join(client.path, 'made');
    await run(process.execPath, [join(root, 'libs/client/bundle.mjs'), made], { cwd: root });
    const npm = [join(root, 'node_modules/npm/bin/npm-cli.js')];
    const { stdout } = await run(process.execPath, [...npm, 'pack', '--json', made], {
      cwd: client.path,
      env: plainEnv({}),
    });
    const [{ filename = '' } = {}] = JSON.parse(stdout) as { filename?: string }[];
    rmSync(made, { recursive: true });
    client.write('package.json', JSON.stringify({ name: 'empty', version: '1.0.0', private: true, type: 'module' }));
    await run(process.execPath, [...npm, 'install', '--offline', '--no-audit', '--no-fund', `./${filename}`], {
      cwd: client.path,
      env: plainEnv({}),
    });
    return client;
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.path, name), text);
  }

  read(name: string): string {
    return readFileSync(join(this.path, 'node_modules/@writ/client', name), 'utf8');
  }

  /** The folders of all packages that the installation needed. */
  packages(): string[] {
    const modules = join(this.path, 'node_modules');
    return readdirSync(modules)
      .filter((name) => !name.startsWith('.'))
      .flatMap((name) =>
        name.startsWith('@') ? readdirSync(join(modules, name)).map((one) => `${name}/${one}`) : [name],
      );
  }

  /** Runs a file of the project, and returns its output. Throws with its errors where it fails. */
  async run(
    { program, options }: Pick<Runtime, 'program' | 'options'>,
    args: readonly string[],
    env = {},
  ): Promise<string> {
    const { stdout } = await run(program, [...options, ...args], {
      cwd: this.path,
      env: plainEnv(env),
      timeout: 90_000,
    });
    return stdout;
  }

  /** The errors of a compiler about the project; empty where it compiles. */
  async compile(typescript: string): Promise<string> {
    const tsc = join(root, 'node_modules', typescript, 'bin/tsc');
    return await run(process.execPath, [tsc, '--project', this.path, '--pretty', 'false'], { cwd: this.path }).then(
      () => '',
      (error: { stdout?: string }) => error.stdout ?? String(error),
    );
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
