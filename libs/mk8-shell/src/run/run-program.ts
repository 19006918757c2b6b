// SPDX-License-Identifier: Apache-2.0
//
// Runs a compiled script.
// INVARIANT (forward): a step is reached at most once.
// INVARIANT (tainted): the output of a process, a value derived from it, or one that may come from files which a
// process could write, never becomes a part of a command.
import type { Condition, Program, Step } from '../compile/program.ts';
import type { Host } from '../host/host.ts';
import { VERB_LIMITS } from '../limits.ts';
import type { Sandbox } from '../rules/sandbox.ts';
import type { Text } from '../compile/text.ts';
import { attempt, type Bounds, type Ended, type Surroundings } from './attempt.ts';
import { GuardedFiles } from './guarded-files.ts';
import { holds } from './predicates.ts';
import { headOf, truncated, type ScriptResult, type StepResult } from './result.ts';
import { RunNotes } from './run-notes.ts';
import { StepError } from './step-error.ts';

/** Runs a program in a sandbox. Rejects only for defects; all problems of the script are in the result. */
export async function runProgram(program: Program, sandbox: Sandbox, host: Host): Promise<ScriptResult> {
  const { options, steps, cleanup } = program;
  const run = new ScriptRun(program, sandbox, host);
  const began = host.clock.monotonic();
  const main = await run.all(steps, options.failureMode);
  const isStopped = main.ending !== 'completed';
  const after =
    isStopped && options.failureMode === 'StopAndCleanup' ? await run.cleanUp(cleanup) : cleanup.map(notRun);
  return {
    status: main.ending,
    all_succeeded: main.results.every(({ status }) => status === 'ok' || status === 'skipped'),
    steps: main.results,
    cleanup: after,
    clipboard: run.clipboard,
    durationMs: Math.round(host.clock.monotonic() - began),
  };
}

const resultOf = (
  { verb: { name }, pointer }: Step,
  result: Partial<StepResult> & Pick<StepResult, 'status'>,
): StepResult => ({ verb: name, pointer, attempts: 0, durationMs: 0, output: '', error: null, ...result });
const notRun = (step: Step): StepResult => resultOf(step, { status: 'not_run' });
const skipped = (step: Step): StepResult => resultOf(step, { status: 'skipped' });

interface Ran {
  readonly results: readonly StepResult[];
  readonly ending: ScriptResult['status'];
}

class ScriptRun {
  readonly #program: Program;
  readonly #sandbox: Sandbox;
  readonly #host: Host;
  readonly #captures = new Map<string, string>();
  readonly #tainted = new Set<string>();
  readonly #answers = new Map<Condition, boolean>();
  readonly #notes = new RunNotes();
  #prev = '';
  #isPrevTainted = false;
  /** A process ran, or a tainted value was written: any file may contain it now. */
  #areFilesTainted = false;
  #until: number;

  constructor(program: Program, sandbox: Sandbox, host: Host) {
    [this.#program, this.#sandbox, this.#host] = [program, sandbox, host];
    this.#until = host.clock.monotonic() + program.options.scriptTimeoutMs;
  }

  /** Runs steps in order; the failure mode and gotos decide about failures. */
  async all(steps: readonly Step[], mode: Program['options']['failureMode']): Promise<Ran> {
    const results: StepResult[] = [];
    let [resumeAt, ending]: [number, Ran['ending']] = [0, 'completed'];
    for (const [n, step] of steps.entries()) {
      if (n < resumeAt) results.push(skipped(step));
      else if (ending !== 'completed') results.push(notRun(step));
      else {
        const result = this.#remainingMs() <= 0 ? null : await this.#step(step);
        if (result !== null && result.status !== 'skipped') this.#notes.addStep(result, this.#host.clock.now());
        results.push(result ?? notRun(step));
        const isOver =
          result === null || (this.#remainingMs() <= 0 && result.status !== 'ok' && result.status !== 'skipped');
        if (isOver) ending = 'timeout';
        else if (result.status !== 'ok' && result.status !== 'skipped') {
          if (step.goto !== null) resumeAt = step.goto;
          else if (mode !== 'ContinueOnError') ending = 'failed';
        }
      }
    }
    return { results, ending };
  }

  /** Cleanup has as much time as the script had, and continues after failures. */
  async cleanUp(steps: readonly Step[]): Promise<readonly StepResult[]> {
    this.#until = this.#host.clock.monotonic() + this.#program.options.scriptTimeoutMs;
    return (await this.all(steps, 'ContinueOnError')).results;
  }

  get clipboard(): string | null {
    return this.#notes.clipboard;
  }

  #surroundings(): Surroundings {
    return { sandbox: this.#sandbox, host: this.#host, notes: this.#notes };
  }

  #remainingMs(): number {
    return this.#until - this.#host.clock.monotonic();
  }

  async #step(step: Step): Promise<StepResult> {
    const began = this.#host.clock.monotonic();
    const spent = (): number => Math.round(this.#host.clock.monotonic() - began);
    const asked = await this.#areMet(step.conditions);
    if (asked === false) return skipped(step);
    if (asked !== true) return resultOf(step, { status: 'failed', error: asked, durationMs: spent() });
    const { ended, attempts } = await this.#attempts(step);
    const { maxOutputBytes, maxErrorBytes } = this.#program.options;
    this.#remember(step, headOf(ended.output, maxOutputBytes), ended.status === 'ok');
    return resultOf(step, {
      status: ended.status,
      attempts,
      durationMs: spent(),
      output: truncated(ended.output, maxOutputBytes, ended.cutBytes),
      error: ended.status === 'ok' ? null : truncated(ended.error, maxErrorBytes),
    });
  }

  /** Whether the step is to run; or the error of the condition. */
  async #areMet(conditions: readonly Condition[]): Promise<boolean | string> {
    try {
      for (const condition of conditions) if (!(await this.#answer(condition))) return false;
      return true;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async #answer(condition: Condition): Promise<boolean> {
    const known = this.#answers.get(condition);
    if (known !== undefined) return known;
    const { clock, files } = this.#host;
    const until = clock.monotonic() + VERB_LIMITS.regexMs;
    const checkRegexTime = (): void => {
      if (clock.monotonic() > until)
        throw new StepError(`what If asks took longer than ${VERB_LIMITS.regexMs / 1000} s`);
    };
    const answer = await holds(condition, {
      sandbox: this.#sandbox,
      files: new GuardedFiles(files, this.#sandbox),
      values: this.#values(),
      checkRegexTime,
    });
    this.#answers.set(condition, answer);
    return answer;
  }

  #values(): { prev: string; captures: ReadonlyMap<string, string> } {
    return { prev: this.#prev, captures: this.#captures };
  }

  async #attempts(step: Step): Promise<{ ended: Ended; attempts: number }> {
    const tainted = this.#taintFault(step);
    if (tainted !== null)
      return { ended: { status: 'failed', output: '', cutBytes: 0, error: tainted, isFinal: true }, attempts: 1 };
    for (let attempts = 1; ; attempts++) {
      const ended = await attempt(step, this.#surroundings(), this.#values(), this.#bounds(step));
      if (ended.status === 'ok' || ended.isFinal || attempts >= step.attempts || this.#remainingMs() <= 0)
        return { ended, attempts };
      const delay = this.#program.options.retryDelayMs * 2 ** (attempts - 1);
      // A delay that outlasts the script ends it.
      await this.#host.clock.sleep(Math.max(0, Math.min(delay, this.#remainingMs())), new AbortController().signal);
      if (this.#remainingMs() <= 0) return { ended: { ...ended, status: 'timeout' }, attempts };
    }
  }

  #bounds({ timeoutMs }: Step): Bounds {
    const { maxOutputBytes, maxErrorBytes } = this.#program.options;
    return {
      timeoutMs: Math.max(1, Math.min(timeoutMs, this.#remainingMs())),
      stdoutBytesMax: maxOutputBytes,
      stderrBytesMax: maxErrorBytes,
    };
  }

  #isTainted(text: Text): boolean {
    return text.some(
      (part) => ('prev' in part && this.#isPrevTainted) || ('capture' in part && this.#tainted.has(part.capture)),
    );
  }

  #taintFault({ verb, args }: Step): string | null {
    if (verb.effect !== 'process') return null;
    return args.some((text) => this.#isTainted(text))
      ? 'an argument holds output of a process, or what was made of it, and can be no part of a command'
      : null;
  }

  #remember(step: Step, output: string, isOk: boolean): void {
    const { verb, args, captureAs, template } = step;
    const takesTainted = [...args, ...(template === null ? [] : [template.source])].some((text) =>
      this.#isTainted(text),
    );
    if (verb.effect === 'process' || (verb.effect === 'writes' && takesTainted)) this.#areFilesTainted = true;
    const readsFiles = verb.effect === 'reads' || verb.effect === 'writes';
    const isTainted = verb.effect === 'process' || takesTainted || (readsFiles && this.#areFilesTainted);
    [this.#prev, this.#isPrevTainted] = [output, isTainted];
    if (captureAs === null || !isOk) return;
    this.#captures.set(captureAs, output.trim());
    if (isTainted) this.#tainted.add(captureAs);
  }
}
