// SPDX-License-Identifier: Apache-2.0
//
// Scripts of mk8.shell. The interpreter is a program of the sandbox's image, so that a script has a command's limits,
// workspace and way out. INVARIANT (all or nothing): only a script whose report says that it came to its end is
// reported as one that went well; without a report that can be read, it didn't.
import { MK8_RUN } from '@writ/contract';
import { parseJson } from '@writ/digest';
import { DEFAULT_SANDBOX, type RanReport, type ScriptOrder } from '@writ/mk8-shell';
import { Value } from 'typebox/value';
import { Runner, type Call, type RunContext, type Staged } from '../calls/runner.ts';

/**
 * Where images have it, with a node of its own version: as a snapshot, in half the time that its source would need to
 * start.
 */
const INTERPRETER = ['/opt/writ/node', '--snapshot-blob', '/opt/writ/mk8.blob', '/opt/writ/mk8.js'] as const;
/** Of a call's time: its container has to be had, and filled before and emptied after the script. */
const AROUND_MS = 30_000;
/**
 * Of a call's output: what a program of the script's leaves on the interpreter's own streams has to have room as well.
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
    const { args, limits, sandbox = DEFAULT_SANDBOX } = call;
    const order: ScriptOrder = {
      script: args['script'],
      sandbox,
      time_ms: Math.max(1, limits.wall_ms - Math.min(AROUND_MS, limits.wall_ms / 2)),
      report_bytes: Math.floor(limits.output_bytes * REPORT_SHARE),
    };
    const staged = await this.#commands.run(
      { ...call, args: { command: '', stdin: JSON.stringify(order) }, program: INTERPRETER },
      context,
    );
    const report = readReport(staged.result);
    if (staged.ended !== 'exited') return { ...staged, result: report ?? NOTHING_SAID };
    if (report === null)
      return { ...staged, exitCode: staged.exitCode === 0 ? FAILED : staged.exitCode, result: NOTHING_SAID };
    return { ...staged, exitCode: report.status === 'completed' ? staged.exitCode : FAILED, result: report };
  }
}

const NOTHING_SAID: RanReport = {
  status: 'failed',
  all_succeeded: false,
  steps: [],
  cleanup: [],
  duration_ms: 0,
  omitted_steps: 0,
};

/**
 * The job's word, and attacker-controlled: a report that has the form of one, or null. What doesn't compile in there
 * did outside, or it wouldn't have come here.
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
