// SPDX-License-Identifier: Apache-2.0
import type { Logger } from '@writ/telemetry';
import { startProcess, type ProcessPlan, type RunningProcess } from './start-process.ts';
import type { CommonEnvironment } from './common-environment.ts';

/**
 * Running work may take this long after a SIGTERM, in milliseconds. Supervisors kill after ten seconds. A lease
 * outlives both, so another replica redoes interrupted work.
 */
const stopMs = 9_000;
/** Time that remains for closing connections after a longer drain, in milliseconds. */
const closeMs = 4_000;

/**
 * Runs a process until SIGTERM or SIGINT. Exit code 0: all running work has ended. Exit code 1: it did not end in time,
 * the start failed, or an error was uncaught. A second signal ends the process at once.
 * @param plan makes the plan; an error that it throws, such as an EnvironmentError, ends the process with its message
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
    // No work runs before the start has ended.
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
  // Registered before the start: a supervisor may stop the process as soon as it reports that it is ready.
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

/** After an uncaught error the state is unknown. The process ends, and leases let others recover its work. */
function onFatal(logger: () => Logger | undefined): void {
  const die = (error: unknown): void => {
    const log = logger();
    if (log === undefined) process.stderr.write(`${explain(error)}\n`);
    else log.fatal({ err: error }, 'uncaught error');
    process.exit(1);
  };
  process.on('uncaughtException', die).on('unhandledRejection', die);
}

/** Errors that the language throws for a defect in a program. Only its author can fix it, and needs the stack. */
const BUGS = [TypeError, ReferenceError, RangeError] as const;

/** Explains to the operator why a start failed: one line for each cause, and a stack for a defect only. */
export function explainStart(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isBug = (error as NodeJS.ErrnoException).code === undefined && BUGS.some((kind) => error instanceof kind);
  const line = isBug ? (error.stack ?? error.message) : error.message === '' ? textOf(error) : error.message;
  const { cause } = error;
  // A cause that the message already quotes adds nothing.
  if (cause === undefined || (cause instanceof Error && line.includes(cause.message) && cause.cause === undefined))
    return line;
  return `${line}\n  because: ${explainStart(cause)}`;
}

/** An AggregateError of several attempted addresses has an empty message. */
const textOf = (error: Error): string =>
  error instanceof AggregateError ? error.errors.map((each) => explainStart(each)).join(', ') : error.name;

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const line =
    error.name === 'EnvironmentError' || error.name === 'Fault' ? error.message : (error.stack ?? error.message);
  return error.cause === undefined ? line : `${line}\n  because: ${explain(error.cause)}`;
}
