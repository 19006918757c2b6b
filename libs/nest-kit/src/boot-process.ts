// SPDX-License-Identifier: Apache-2.0
import type { Logger } from '@writ/telemetry';
import { startProcess, type ProcessPlan, type RunningProcess } from './start-process.ts';
import type { CommonEnvironment } from './common-environment.ts';

/**
 * What is under way may take this long after a SIGTERM, in milliseconds. Supervisors kill after ten seconds; a lease
 * outlives both, so that what is cut off is done by another.
 */
const stopMs = 9_000;
/** What is left for closing after work was let go on for longer, in milliseconds. */
const closeMs = 4_000;

/**
 * Runs a process until SIGTERM or SIGINT: exit code 0 when all that was under way has ended, 1 when it hadn't in time,
 * when starting failed, or after an error that nobody caught. A second signal ends it at once.
 * @param plan Makes the plan; what it throws, an EnvironmentError for one, ends the process with its message.
 */
export async function bootProcess<C extends CommonEnvironment>(
  plan: () => ProcessPlan<C> | Promise<ProcessPlan<C>>,
): Promise<void> {
  let running: RunningProcess | undefined;
  let drainMs = 0;
  onFatal(() => running?.logger);
  let isStopping = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isStopping) process.exit(1);
    isStopping = true;
    // Nothing is under way before the start has ended.
    if (running === undefined) process.exit(0);
    const { logger, stop } = running;
    logger.info({ signal }, 'stopping');
    setTimeout(
      () => {
        logger.error('what was under way has not ended in time');
        process.exit(1);
      },
      Math.max(stopMs, drainMs + closeMs),
    ).unref();
    void stop().then(() => process.exit(0));
  };
  // Before the start: who is told that the process is ready may tell it to stop at once.
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  try {
    const planned = await plan();
    drainMs = planned.drainMs ?? 0;
    running = await startProcess(planned);
  } catch (error) {
    // There may be no logger yet, and a person may be looking: plain text, with the chain of causes.
    process.stderr.write(`${explainStart(error)}\n`);
    process.exit(1);
  }
}

/**
 * After an error that nobody caught the state is unknown: what was under way is recovered by leases, not by going on.
 */
function onFatal(logger: () => Logger | undefined): void {
  const die = (error: unknown): void => {
    const log = logger();
    if (log === undefined) process.stderr.write(`${explain(error)}\n`);
    else log.fatal({ err: error }, 'uncaught error');
    process.exit(1);
  };
  process.on('uncaughtException', die).on('unhandledRejection', die);
}

/**
 * What the language throws where a program is wrong: only its author can do something about it, and needs the stack.
 */
const BUGS = [TypeError, ReferenceError, RangeError] as const;

/** Why a start failed, for whoever configures the process: a line a cause, and a stack for a bug alone. */
export function explainStart(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isBug = (error as NodeJS.ErrnoException).code === undefined && BUGS.some((kind) => error instanceof kind);
  const line = isBug ? (error.stack ?? error.message) : error.message === '' ? textOf(error) : error.message;
  const { cause } = error;
  // A cause that is quoted already says nothing more.
  if (cause === undefined || (cause instanceof Error && line.includes(cause.message) && cause.cause === undefined))
    return line;
  return `${line}\n  because: ${explainStart(cause)}`;
}

/** An AggregateError of several addresses that were tried says nothing itself. */
const textOf = (error: Error): string =>
  error instanceof AggregateError ? error.errors.map((each) => explainStart(each)).join(', ') : error.name;

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const line =
    error.name === 'EnvironmentError' || error.name === 'Fault' ? error.message : (error.stack ?? error.message);
  return error.cause === undefined ? line : `${line}\n  because: ${explain(error.cause)}`;
}
