// SPDX-License-Identifier: Apache-2.0
import { compileScript } from '../compile/compile.ts';
import type { Program } from '../compile/program.ts';
import { rulesOf } from '../rules/rules.ts';
import type { Sandbox } from '../rules/sandbox.ts';
import { runProgram } from '../run/run-program.ts';
import type { ScriptResult } from '../run/result.ts';
import type { Operation, Script } from '../script/script.ts';
import { MemoryHost } from './memory-host.ts';
import { zipOf } from './archives.ts';

export const REPOSITORY_URL = 'https://git.example.com/a/b.git';
const RULES = rulesOf({ urls: [REPOSITORY_URL] });

/** A sandbox with a little of everything. */
export const SANDBOX: Sandbox = {
  id: 'test',
  root: '/workspace',
  cwd: '',
  user: 'agent',
  env: new Map([
    ['GREETING', 'hi'],
    ['DEPLOY_TOKEN', 'never'],
  ]),
  rules: RULES,
  fragments: new Map<string, readonly Operation[]>([
    ['greet', [{ verb: 'Echo', args: ['hello from a fragment'] }]],
    ['loop', [{ verb: 'Include', args: ['loop'] }]],
    ['bad', [{ verb: 'FileRead', args: ['/etc/passwd'] }]],
  ]),
  skills: [{ name: 'release', summary: 'how to release' }],
};

/** A workspace of a few files. */
export function hostWithFiles(): MemoryHost {
  const host = new MemoryHost();
  host.files.plant('a.txt', 'one\nthree\n');
  host.files.plant('src/readme.md', '# Readme\n');
  host.files.plant('a.zip', zipOf([['inner/x.txt', 'x']]));
  return host;
}

export function compiled(
  script: Script | { readonly operations: readonly unknown[] },
  sandbox: Sandbox = SANDBOX,
): Program {
  const { program, problems } = compileScript(script, sandbox);
  if (program === null) throw new Error(problems.map(({ pointer, message }) => `${pointer}: ${message}`).join('\n'));
  return program;
}

export const run = (
  script: Script | { readonly operations: readonly unknown[] },
  host: MemoryHost = hostWithFiles(),
  sandbox: Sandbox = SANDBOX,
): Promise<ScriptResult> => runProgram(compiled(script, sandbox), sandbox, host);

/** The output of one operation, or why it failed. */
export async function outcomeOf(
  operation: Operation,
  host: MemoryHost = hostWithFiles(),
): Promise<{ readonly output: string; readonly error: string | null }> {
  const { steps } = await run({ operations: [operation] }, host);
  const { output = '', error = null } = steps.at(-1) ?? {};
  return { output, error };
}

/** Why a script doesn't compile, as `pointer: message`. */
export const problemsOf = (script: unknown, sandbox: Sandbox = SANDBOX): string[] =>
  compileScript(script, sandbox).problems.map(({ pointer, message }) => `${pointer}: ${message}`);
export const problemsOfOne = (operation: Operation, options: Script['options'] = {}): string[] =>
  problemsOf({ operations: [operation], options });
