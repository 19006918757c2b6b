// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Child } from '../process/launch.ts';
import { logTail } from '../process/log-tail.ts';
import { SetupError } from '../setup-error.ts';

/** How soon, and how often, a service that ended is started again. */
export interface RestartRules {
  /** Before the first restart; each further one within the window waits twice as long. */
  readonly delayMs: number;
  readonly delayMaxMs: number;
  /** Restarts of one service within the window. Where it ends once more, the run ends. */
  readonly restartsMax: number;
  readonly windowMs: number;
}

/** A service that breaks at each start is given half a minute; one that breaks now and then is restarted for ever. */
export const RESTART_RULES: RestartRules = {
  delayMs: 1_000,
  delayMaxMs: 16_000,
  restartsMax: 5,
  windowMs: 10 * 60_000,
};

/** Enough of a log to see why a process ended; the whole log is in its file. */
const LINES_SHOWN = 8;

/** A service that runs, and how to start it again. */
export interface KeptService {
  readonly child: Child;
  /** Resolves when it is ready. Rejects, with nothing left running, where it does not become ready. */
  readonly start: () => Promise<Child>;
}

/** What a keeper needs of the run that it belongs to. */
export interface KeepOptions {
  /** Aborted when the run ends: a service that ends afterwards was ended. */
  readonly stop: AbortSignal;
  /** Shows a line to whoever started the run. */
  readonly report: (line: string) => void;
  readonly rules?: RestartRules;
  /** Milliseconds of a clock that only goes forward. */
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

/** Restarts of one service, and the rules for the next one. */
class Restarts {
  readonly #name: string;
  readonly #rules: RestartRules;
  #times: number[] = [];

  constructor(name: string, rules: RestartRules) {
    this.#name = name;
    this.#rules = rules;
  }

  /**
   * How long to wait before the next restart, and which one of the window that is. @throws SetupError beyond the bound
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

const startAgain = async (start: KeptService['start']): Promise<Child | Ending> => {
  try {
    return await start();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    return { how: 'could not be restarted', lines: [error.message, ...error.details.slice(-LINES_SHOWN)] };
  }
};

/**
 * Starts a service again each time it ends, after a pause that grows, and shows why. Nothing else is restarted for it:
 * the other services wait for it by themselves. Resolves when the run ends.
 *
 * @throws SetupError where the service ends more often than the rules allow
 */
export const keepRunning = async ({ child, start }: KeptService, options: KeepOptions): Promise<void> => {
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
