// SPDX-License-Identifier: Apache-2.0
//
// The request to an interpreter in a container, and its answer.
// INVARIANT (judged inside too): an order carries the source of the script, and the interpreter compiles it again. So
// nothing runs there merely because a process outside has checked it.
import { compileScript, compileText, type Compiled } from '../compile/compile.ts';
import type { Program } from '../compile/program.ts';
import type { Host } from '../host/host.ts';
import { sandboxFrom, type Sandbox, type SandboxData } from '../rules/sandbox.ts';
import { reportOf, type ScriptReport } from './report.ts';
import { runProgram } from './run-program.ts';

/** A script and its environment. */
export interface ScriptOrder {
  /** JSON, or the text of it */
  readonly script: unknown;
  readonly sandbox: SandboxData;
  /** the time limit, cleanup included */
  readonly time_ms: number;
  /** the limit of the answer, as JSON */
  readonly report_bytes: number;
}

/** Compiles a script in either form: a text's problems have line and column. */
export const compileAny = (script: unknown, sandbox: Sandbox): Compiled =>
  typeof script === 'string' ? compileText(script, sandbox) : compileScript(script, sandbox);

/**
 * Runs an order.
 * @throws RulesError for an invalid sandbox, and rejects for defects
 */
export async function runOrder(
  { script, sandbox: data, time_ms, report_bytes }: ScriptOrder,
  host: Host,
): Promise<ScriptReport> {
  const sandbox = sandboxFrom(data);
  const { program, problems } = compileAny(script, sandbox);
  if (program === null) return { status: 'refused', problems };
  return reportOf(await runProgram(inTime(program, time_ms), sandbox, host), report_bytes);
}

/** The program with a shorter time limit; cleanup may take as long again. */
function inTime(program: Program, timeMs: number): Program {
  const { options, cleanup } = program;
  const share = cleanup.length > 0 ? timeMs / 2 : timeMs;
  return { ...program, options: { ...options, scriptTimeoutMs: Math.min(options.scriptTimeoutMs, Math.floor(share)) } };
}
