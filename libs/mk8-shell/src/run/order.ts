// SPDX-License-Identifier: Apache-2.0
//
// What goes to an interpreter in a container and what it answers. INVARIANT (judged inside too): an order carries the
// script as it was written, and the interpreter compiles it anew: nothing runs there because somebody outside says that
// it was judged.
import { compileScript, compileText, type Compiled } from '../compile/compile.ts';
import type { Program } from '../compile/program.ts';
import type { Host } from '../host/host.ts';
import { sandboxFrom, type Sandbox, type SandboxData } from '../rules/sandbox.ts';
import { reportOf, type ScriptReport } from './report.ts';
import { runProgram } from './run-program.ts';

/** A script and where it is to run. */
export interface ScriptOrder {
  /** JSON, or the text of it */
  readonly script: unknown;
  readonly sandbox: SandboxData;
  /** in which everything must be over, cleanup too */
  readonly time_ms: number;
  /** of the answer, as JSON */
  readonly report_bytes: number;
}

/** Compiles a script as it came: a text's problems say line and column. */
export const compileAny = (script: unknown, sandbox: Sandbox): Compiled =>
  typeof script === 'string' ? compileText(script, sandbox) : compileScript(script, sandbox);

/** Carries an order out. @throws RulesError for a sandbox that can't be read, and rejects for bugs */
export async function carryOut(
  { script, sandbox: data, time_ms, report_bytes }: ScriptOrder,
  host: Host,
): Promise<ScriptReport> {
  const sandbox = sandboxFrom(data);
  const { program, problems } = compileAny(script, sandbox);
  if (program === null) return { status: 'refused', problems };
  return reportOf(await runProgram(inTime(program, time_ms), sandbox, host), report_bytes);
}

/** The same with no more time than there is; what cleans up needs as much again. */
function inTime(program: Program, timeMs: number): Program {
  const { options, cleanup } = program;
  const share = cleanup.length > 0 ? timeMs / 2 : timeMs;
  return { ...program, options: { ...options, scriptTimeoutMs: Math.min(options.scriptTimeoutMs, Math.floor(share)) } };
}
