// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Child } from '../process/launch.ts';
import { logTail } from '../process/log-tail.ts';
import { SetupError } from '../setup-error.ts';

/** The rules for restarts of a service that ended. */
export interface RestartRules {
  /** Pause before the first restart; it doubles with each further one within the window. */
  readonly delayMs: number;
  readonly delayMaxMs: number;
  /** Maximum of restarts of one service within the window. After one more end, the run ends. */
  readonly restartsMax: number;
  readonly windowMs: number;
}

/** A service that fails at each start gets half a minute; one that fails rarely is restarted for ever. */
export const RESTART_RULES: RestartRules = {
  delayMs: 1_000,
  delayMaxMs: 16_000,
  restartsMax: 5,
  windowMs: 10 * 60_000,
};

/** Lines of the log that show why a process ended; the whole log is in its file. */
const LINES_SHOWN = 8;

/** A running service, and its restart. */
export interface RunningService {
  readonly child: Child;
  /** Resolves when it is ready. Rejects, with nothing left running, where it doesn't become ready. */
  readonly start: () => Promise<Child>;
}

/** The run of a keeper, as far as it needs it. */
export interface KeepOptions {
  /** Aborted when the run ends: later ends of a service are intended. */
  readonly stop: AbortSignal;
  /** Prints a line for the person who started the run. */
  readonly report: (line: string) => void;
  readonly rules?: RestartRules;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

/** How a service ended, in words, and the end of its log. */
interface Ending {
  readonly how: string;
  readonly lines: readonly string[];
}

const MINUTE = 60_000;
const inWords = (ms: number): string =>
  ms >= 2 * MINUTE ? `${Math.round(ms / MINUTE)} min` : `${Math.round(ms / 100) / 10} s`;

/** Counts the restarts of one service, and decides on the next one. */
class Restarts {
  readonly #name: string;
  readonly #rules: RestartRules;
  #times: number[] = [];

  constructor(name: string, rules: RestartRules) {
    this.#name = name;
    this.#rules = rules;
  }

  /**
   * The pause before the next restart, and its number within the window.
   * @throws SetupError beyond the limit
   */
  next(now: number, { how, lines }: Ending): { readonly waitMs: number; readonly count: number } {
    const { delayMs, delayMaxMs, restartsMax, windowMs } = this.#rules;
    this.#times = this.#times.filter((time) => now - time < windowMs);
    if (this.#times.length === restartsMax) {
      const bound = `It was restarted ${restartsMax} times within ${inWords(windowMs)} and is not restarted again`;
      throw new SetupError(`${this.#name} ${how}. ${bound}. Its last lines:`, lines);
    }
    this.#times.push(now);
    const count = this.#times.length;
    return { waitMs: Math.min(delayMs * 2 ** (count - 1), delayMaxMs), count };
  }
}

const endingOf = async ({ ended, logFile }: Child): Promise<Ending> => ({
  how: await ended,
  lines: logTail(logFile, LINES_SHOWN),
});

const startAgain = async (start: RunningService['start']): Promise<Child | Ending> => {
  try {
    return await start();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    return { how: 'could not be restarted', lines: [error.message, ...error.details.slice(-LINES_SHOWN)] };
  }
};

/**
 * Restarts a service each time it ends, after a growing pause, and prints why. Nothing else is restarted: the other
 * services wait for it by themselves. Resolves when the run ends.
 *
 * @throws SetupError where the service ends more often than the rules allow
 */
export const keepRunning = async ({ child, start }: RunningService, options: KeepOptions): Promise<void> => {
  const { stop, report, rules = RESTART_RULES, now = () => performance.now() } = options;
  const restarts = new Restarts(child.name, rules);
  const stopped = stop.aborted ? undefined : once(stop, 'abort').then(() => undefined);
  let current: Child | Ending = child;
  for (;;) {
    const ending: Ending | undefined = 'ended' in current ? await Promise.race([endingOf(current), stopped]) : current;
    if (ending === undefined || stop.aborted) return;
    const { waitMs, count } = restarts.next(now(), ending);
    report(`✖ ${child.name} ${ending.how}. Its last lines (${child.logFile}):`);
    for (const line of ending.lines) report(`    ${line}`);
    const which = `${count} of ${rules.restartsMax} within ${inWords(rules.windowMs)}`;
    report(`  restarting ${child.name} in ${inWords(waitMs)} (${which}); the other services go on`);
    await delay(waitMs, undefined, { signal: stop }).catch(() => undefined);
    if (stop.aborted) return;
    current = await startAgain(start);
  }
};
