// SPDX-License-Identifier: Apache-2.0
import { blacklistFault } from '../compile/check-step.ts';
import { pathOf } from '../compile/path-text.ts';
import type { Step } from '../compile/program.ts';
import { fillIn, isKnown, type Text, type Values } from '../compile/text.ts';
import type { Host } from '../host/host.ts';
import { SCRIPT_LIMITS, VERB_LIMITS } from '../limits.ts';
import { argumentFault } from '../registry/arguments.ts';
import { argumentAt } from '../registry/verb.ts';
import type { Sandbox } from '../rules/sandbox.ts';
import { GuardedFiles } from './guarded-files.ts';
import { GuardedNet } from './guarded-net.ts';
import type { RunNotes } from './run-notes.ts';
import type { StepContext } from './step-context.ts';
import { StepError, refused } from './step-error.ts';

interface VerbOutput {
  readonly output: string;
  /** bytes of its output that were cut before it was complete */ readonly cutBytes: number;
}
export type Ended =
  | (VerbOutput & { readonly status: 'ok' })
  | (VerbOutput & { readonly status: 'failed' | 'timeout'; readonly error: string; readonly isFinal: boolean });

export interface Bounds {
  readonly timeoutMs: number;
  readonly stdoutBytesMax: number;
  readonly stderrBytesMax: number;
}

/** Everything that the steps of a run share. */
export interface Surroundings {
  readonly sandbox: Sandbox;
  readonly host: Host;
  readonly notes: RunNotes;
}

/**
 * The value of each argument for its verb: paths within the workspace, and all other arguments filled in.
 * @throws StepError for a value that a rule forbids
 */
export function argumentsOf(step: Step, sandbox: Sandbox, values: Values): string[] {
  const args = step.args.map((text, n) => {
    const argument = argumentAt(step.verb, n);
    const name = argument?.name ?? 'an argument';
    const filled = fillIn(text, sandbox, values);
    if (!isKnown(text)) checkFilled(step, n, filled, sandbox);
    if (argument?.kind !== 'path') return filled;
    return requirePath(text, sandbox, values, name);
  });
  const fault = step.verb.check?.(args, sandbox) ?? null;
  if (fault !== null) throw refused(fault.message);
  return args;
}

function requirePath(text: Text, sandbox: Sandbox, values: Values, name: string): string {
  const { path, fault } = pathOf(text, sandbox, values);
  const wrong = path === null ? fault : blacklistFault(sandbox, path, 'everywhere');
  if (path === null || wrong !== null) throw refused(`\`${name}\` ${wrong ?? ''}`);
  return path;
}

function checkFilled({ verb }: Step, place: number, filled: string, sandbox: Sandbox): void {
  const argument = argumentAt(verb, place);
  const long =
    filled.length > SCRIPT_LIMITS.argumentBytes ? `is longer than ${SCRIPT_LIMITS.argumentBytes} characters` : null;
  const fault =
    long ??
    blacklistFault(sandbox, filled, verb.effect === 'process' ? 'process' : 'everywhere') ??
    (argument === undefined || argument.kind === 'path' ? null : argumentFault(argument, filled));
  if (fault !== null) throw refused(`\`${argument?.name ?? 'the argument'}\`, filled in, ${fault}`);
}

/**
 * Runs a step once. Rejects only for defects.
 * INVARIANT (ends): the attempt ends when its time is over, whether or not the host has noticed.
 */
export async function attempt(
  step: Step,
  { sandbox, host, notes }: Surroundings,
  values: Values,
  bounds: Bounds,
): Promise<Ended> {
  const over = new AbortController();
  const began = host.clock.monotonic();
  const remainingMs = (): number => Math.max(1, bounds.timeoutMs - (host.clock.monotonic() - began));
  const ended = carryOut(step, { sandbox, host, notes }, values, { ...bounds, signal: over.signal, remainingMs });
  // Most verbs return at once, and need no timer.
  if (!(ended instanceof Promise)) return ended;
  const done = new AbortController();
  const timeout = host.clock.sleep(remainingMs(), done.signal).then((): Ended => {
    over.abort('over');
    return {
      status: 'timeout',
      output: '',
      cutBytes: 0,
      error: `it took longer than ${bounds.timeoutMs / 1000} s`,
      isFinal: false,
    };
  });
  try {
    return await Promise.race([ended, timeout]);
  } finally {
    // An explicit reason: without one, each abort creates an error with its stack.
    done.abort('done');
  }
}

interface Running extends Bounds {
  readonly signal: AbortSignal;
  readonly remainingMs: () => number;
}

function carryOut(step: Step, surroundings: Surroundings, values: Values, running: Running): Ended | Promise<Ended> {
  const { sandbox } = surroundings;
  let cutBytes = 0;
  const noteCut = (bytes: number): void => {
    cutBytes += bytes;
  };
  const outcome = (output: string): Ended => ({ status: 'ok', output, cutBytes });
  const failed = (error: unknown): Ended =>
    error instanceof StepError
      ? { status: 'failed', output: error.output, cutBytes, error: error.message, isFinal: error.isFinal }
      : // A host's rejection fails the step with its message; a retry may succeed.
        {
          status: 'failed',
          output: '',
          cutBytes,
          error: error instanceof Error ? error.message : String(error),
          isFinal: false,
        };
  try {
    const args = argumentsOf(step, sandbox, values);
    const source = step.template === null ? null : requirePath(step.template.source, sandbox, values, 'source');
    const template = step.template === null || source === null ? null : { source, values: step.template.values };
    if (step.verb.run === null) throw new Error(`${step.verb.name} is expanded before anything runs`);
    const output = step.verb.run(args, { ...contextOf(step, surroundings, running, template), noteCut });
    return typeof output === 'string' ? outcome(output) : output.then(outcome, failed);
  } catch (error) {
    return failed(error);
  }
}

function contextOf(
  { patches }: Step,
  { sandbox, host, notes }: Surroundings,
  { signal, remainingMs, stdoutBytesMax, stderrBytesMax }: Running,
  template: StepContext['template'],
): Omit<StepContext, 'noteCut'> {
  const { process, clock, random, env, system } = host;
  const regexUntil = clock.monotonic() + VERB_LIMITS.regexMs;
  return {
    files: new GuardedFiles(host.files, sandbox),
    net: new GuardedNet(host.net, signal, remainingMs),
    process: notes.noting(process, clock),
    notes,
    clock,
    random,
    env,
    system,
    sandbox,
    template,
    patches,
    signal,
    remainingMs,
    stdoutBytesMax,
    stderrBytesMax,
    checkRegexTime: () => {
      if (clock.monotonic() > regexUntil)
        throw new StepError(`the expression took longer than ${VERB_LIMITS.regexMs / 1000} s`, { isFinal: true });
    },
  };
}
