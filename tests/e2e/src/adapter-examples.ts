// SPDX-License-Identifier: Apache-2.0
// The examples of adapters, as they stand, beside the frameworks that their lockfile pins and the packed client.
import { execFile, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { promisify } from 'node:util';
import type { SharedStack, World } from '@writ/stack';
import { npmPackages, pythonEnvironment, repositoryRoot, type WireServer } from '@writ/testing';

const root = repositoryRoot();
const execute = promisify(execFile);

const pinned = join(root, 'examples/adapters');
/** The binary of the Claude Agent SDK has 400 MB. */
const CLAUDE_INSTALL_MS = 400_000;

/** The frameworks but the Claude Agent SDK; null where they can't be had. */
export const frameworkPackages = (): Promise<string | null> => npmPackages('adapters', pinned);

/** The Claude Agent SDK; null where it can't be had. */
export const claudePackages = (): Promise<string | null> =>
  npmPackages('claude-agent', join(pinned, 'claude-agent'), CLAUDE_INSTALL_MS);

/** An interpreter with Pydantic AI and what the Python client needs; null where they can't be had. */
export async function pydanticAi(): Promise<string | null> {
  const lock = join(root, 'sdk/python/requirements-pydantic-ai.lock');
  return (await pythonEnvironment('pydantic-ai', lock, { atLeast: '3.11' }))?.python ?? null;
}

/** What an example prints. */
export type Printed = { readonly text: string } | { readonly held: string };

/** One process of an example, with a folder for what it keeps. */
export class ExampleRun {
  readonly folder: string;
  readonly #interpreter: string;
  readonly #program: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor(folder: string, [interpreter, program]: readonly [string, string], env: NodeJS.ProcessEnv) {
    this.folder = folder;
    this.#interpreter = interpreter;
    this.#program = program;
    this.#env = env;
  }

  /** Runs it with an argument, which is the prompt or `--resume`, and returns what it printed last. */
  async run(argument: string, env: NodeJS.ProcessEnv = {}): Promise<Printed> {
    const settings = { cwd: this.folder, env: { ...this.#env, ...env }, timeout: 90_000 };
    const { stdout } = await execute(this.#interpreter, [this.#program, argument], settings);
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Printed;
  }

  /** Starts it where it waits for lines on its standard input. */
  start(argument: string, env: NodeJS.ProcessEnv = {}): { next: () => Promise<Printed>; enter: () => void } {
    const child = spawn(this.#interpreter, [this.#program, argument], {
      cwd: this.folder,
      env: { ...this.#env, ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return {
      next: async () => JSON.parse((await lines.next()).value as string) as Printed,
      enter: () => child.stdin.write('\n'),
    };
  }

  /** What the functions did, a line each. */
  get effects(): string[] {
    const file = join(this.folder, 'refunds.txt');
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  }
}

/** A folder in which the examples run: below the frameworks, with the client beside them. */
export class AdapterExamples {
  readonly folder: string;

  private constructor(packages: string) {
    this.folder = mkdtempSync(join(packages, 'run-'));
  }

  /** @param packages the folder of the frameworks, of `npmPackages` */
  static async prepare(packages: string): Promise<AdapterExamples> {
    const examples = new AdapterExamples(packages);
    cpSync(join(root, 'examples/adapters'), join(examples.folder, 'adapters'), { recursive: true });
    const client = join(examples.folder, 'node_modules/@writ/client');
    await execute(process.execPath, [join(root, 'libs/client/bundle.mjs'), client], { cwd: root });
    return examples;
  }

  /** An example with a new folder of its own. */
  of(name: string, made: ExampleWorld): ExampleRun {
    const { model } = made;
    const folder = mkdtempSync(join(this.folder, `${name}-`));
    const modelUrl = name.startsWith('anthropic') ? model.url : `${model.url}/v1`;
    return new ExampleRun(folder, [process.execPath, join(this.folder, 'adapters', name, 'main.mjs')], {
      // The SDK of Claude runs programs of the machine, and as root only where it is told that this is a sandbox.
      ...{ IS_SANDBOX: '1', ...envOf(folder, made, modelUrl) },
      ...{ ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'local', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
      LANGSMITH_TRACING: 'false',
    });
  }

  /** The errors of a compiler about a program that uses the adapters; empty where it compiles. */
  async compile(program: string): Promise<string> {
    const folder = join(this.folder, 'types');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'program.ts'), program);
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const options = { strict: true, noEmit: true, skipLibCheck: true, target: 'es2023', module: 'nodenext', types: [] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['program.ts'] }));
    const tsc = join(root, 'node_modules/typescript-native/bin/tsc');
    return await execute(process.execPath, [tsc, '--project', folder, '--pretty', 'false']).then(
      () => '',
      (error: { stdout?: string }) => error.stdout ?? String(error),
    );
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export interface ExampleWorld {
  readonly stack: SharedStack;
  readonly world: World;
  /** a capability token that grants `billing.refund` alone */
  readonly token: string;
  readonly model: WireServer;
}

/** What an example is told, and nothing else of this process. */
const envOf = (folder: string, { stack, world, token }: ExampleWorld, modelUrl: string): NodeJS.ProcessEnv => ({
  ...{ PATH: process.env['PATH'], HOME: folder, NO_COLOR: '1' },
  ...{ WRIT_URL: stack.url, WRIT_AGENT_KEY: world.agent.key ?? '', WRIT_TOKEN: token, MODEL_URL: modelUrl },
});

/** The example of Pydantic AI, run as it stands, or by a program around it. */
export function pythonExample(python: string, made: ExampleWorld, around?: string): ExampleRun {
  const folder = mkdtempSync(join(tmpdir(), 'writ-pydantic-ai-'));
  const example = join(pinned, 'pydantic-ai/main.py');
  const program = around === undefined ? example : join(folder, 'around.py');
  if (around !== undefined) writeFileSync(program, around);
  return new ExampleRun(folder, [python, program], {
    ...envOf(folder, made, `${made.model.url}/v1`),
    ...{ EXAMPLE: example, PYTHONPATH: join(root, 'sdk/python/src'), PYTHONDONTWRITEBYTECODE: '1' },
  });
}
