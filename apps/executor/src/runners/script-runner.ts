// SPDX-License-Identifier: Apache-2.0
//
// Scripts of mk8.shell. The interpreter is a program of the sandbox image, so that a script has a command's limits,
// workspace and egress gate. INVARIANT (all or nothing): a script succeeds only if its report says that it completed;
// without a readable report it failed.
import { MK8_RUN } from '@writ/contract';
import { parseJson } from '@writ/digest';
import { DEFAULT_SANDBOX, type RanReport, type ScriptOrder } from '@writ/mk8-shell';
import { Value } from 'typebox/value';
import { Runner, type Call, type RunContext, type Staged } from '../calls/runner.ts';

/**
 * The path of the interpreter in images, with its own version of Node: as a startup snapshot, which starts in half the
 * time of its source.
 */
const INTERPRETER = ['/opt/writ/node', '--snapshot-blob', '/opt/writ/mk8.blob', '/opt/writ/mk8.js'] as const;
/** The part of a call's time for its container: to acquire it, to send the files, and to read the changes. */
const CONTAINER_OVERHEAD_MS = 30_000;
/**
 * The report's share of a call's output: the rest is for programs of the script that write to the interpreter's own
 * streams.
 */
const REPORT_SHARE = 0.95;
const FAILED = 1;

/** Runs `mk8.run`: a script, in a container as commands are run in. */
export class ScriptRunner extends Runner {
  override readonly toolClass = 'sandboxed';
  override readonly toolId = MK8_RUN.tool_id;
  readonly #commands: Pick<Runner, 'run'>;

  constructor(commands: Pick<Runner, 'run'>) {
    super();
    this.#commands = commands;
  }

  override async run(call: Call, context: RunContext): Promise<Staged> {
    const { args, limits, sandbox = DEFAULT_SANDBOX, skills = [] } = call;
    const wallMs = Math.min(limits.wall_ms, typeof args['timeout_ms'] === 'number' ? args['timeout_ms'] : Infinity);
    const order: ScriptOrder = {
      script: args['script'],
      sandbox: {
        ...sandbox,
        skills: skills.map(({ name, description }) => ({ name, summary: inOneLine(description) })),
      },
      time_ms: Math.floor(Math.max(1, wallMs - Math.min(CONTAINER_OVERHEAD_MS, wallMs / 2))),
      report_bytes: Math.floor(limits.output_bytes * REPORT_SHARE),
    };
    const staged = await this.#commands.run(
      { ...call, args: { command: '', stdin: JSON.stringify(order), timeout_ms: wallMs }, program: INTERPRETER },
      context,
    );
    const report = readReport(staged.result);
    if (staged.ended !== 'exited') return { ...staged, result: report ?? NO_REPORT };
    if (report === null)
      return { ...staged, exitCode: staged.exitCode === 0 ? FAILED : staged.exitCode, result: NO_REPORT };
    return { ...staged, exitCode: report.status === 'completed' ? staged.exitCode : FAILED, result: report };
  }
}

/** Mk8Skills shows a line for each skill. */
const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

const NO_REPORT: RanReport = {
  status: 'failed',
  all_succeeded: false,
  steps: [],
  cleanup: [],
  duration_ms: 0,
  omitted_steps: 0,
};

/**
 * Parses the report, which is attacker-controlled output of the job; null where it is malformed. The kernel compiled
 * the script before, so a compile error is not expected here.
 */
function readReport(result: unknown): RanReport | null {
  const { output } = result as { readonly output: string };
  try {
    const report: unknown = parseJson(output);
    return Value.Check(MK8_RUN.result, report) ? (report as unknown as RanReport) : null;
  } catch {
    return null;
  }
}
