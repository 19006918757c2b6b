// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { explain } from '../explain.ts';
import { findMarked } from '../process/marked.ts';
import { readStarted } from '../process/table.ts';
import type { Setup } from '../setup.ts';
import { SetupError } from '../setup-error.ts';
import { AT_ONCE, cleanUp, ORDERLY, PROMPT } from './clean-up.ts';
import { startGuard } from './guard.ts';
import { takeLock, type Lock } from './lock.ts';

/** A Ctrl-C reaches us from the terminal, from npm and from the launcher: what comes together is one wish. */
const SAME_WISH_MS = 1_000;

/** The watchdog's own limit, and a little. */
const WATCHDOG_MS = 12_000;
const POLL_MS = 100;

/** For a body that only waits for the wish, to return what it has to. */
const SETTLE_MS = 100;

/** 128 plus SIGINT's number, as a shell reports it. */
const INTERRUPTED = 130;

/** What a supervised run is given beside its setup. */
export interface Wish {
  /** Aborted when somebody wants the run to end. */
  readonly stop: AbortSignal;
}

const say = (line: string): void => { process.stderr.write(`${line}\n`); };

const holdStateDir = async (setup: Setup, role: string): Promise<Lock> => {
  const until = performance.now() + WATCHDOG_MS;
  for (;;) {
    const lock = await takeLock(setup.stateId, role);
    if ('release' in lock) return lock;
    if (lock.role !== 'watchdog' || performance.now() > until) {
      throw new SetupError(`${setup.stateDir} is in use by process ${lock.pid} (${lock.role})`, [
        'stop it first, or set WRIT_STATE_DIR to another directory',
      ]);
    }
    await delay(POLL_MS);
  }
};

const endLeftovers = async (setup: Setup): Promise<void> => {
  const started = readStarted(setup.stateDir);
  if (started.entries.length > 0 || findMarked(setup.stateId).length > 0) say('an earlier run ended without cleaning up: ending what it left behind');
  await cleanUp(setup, started, PROMPT);
};

/** Turns signals, and the end of the process that launched us, into one wish; a second one does not wait any more. */
const listenForWishes = (setup: Setup): AbortController => {
  const wish = new AbortController();
  let first = 0;
  const onWish = (why: string) => (): void => {
    if (!wish.signal.aborted) {
      first = performance.now();
      wish.abort(why);
    } else if (performance.now() - first > SAME_WISH_MS) {
      say('ending at once');
      void cleanUp(setup, setup.processes.started, AT_ONCE).finally(() => process.exit(INTERRUPTED));
    }
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onWish(name));
  process.on('disconnect', onWish('the launcher is gone'));
  // Nobody reads any more (`npm start | head`): the run goes on to its orderly end without words. It's no second wish: each word that is said would be another.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => { if (!wish.signal.aborted) onWish('output is closed')(); });
  return wish;
};

/** The body ends by itself soon after the wish when it is waiting for one, and is left behind when it is in the middle of something. */
const runBody = async (body: (wish: Wish) => Promise<number>, { signal }: AbortController): Promise<number> => {
  const interrupted = once(signal, 'abort').then(() => delay(SETTLE_MS)).then(() => INTERRUPTED);
  try {
    return await Promise.race([body({ stop: signal }), interrupted]);
  } catch (error) {
    if (signal.aborted) return INTERRUPTED;
    explain(error);
    return 1;
  }
};

/**
 * Runs something on a state directory so that nothing it starts outlives it: alone on that directory, with what an earlier run left
 * behind ended first, under a watchdog, and with everything ended in order afterwards. Ends the process with the body's status.
 */
export const supervise = async (setup: Setup, role: string, body: (wish: Wish) => Promise<number>): Promise<never> => {
  let status = 1;
  try {
    const lock = await holdStateDir(setup, role);
    await endLeftovers(setup);
    const guard = startGuard(setup);
    const wish = listenForWishes(setup);
    status = await runBody(body, wish);
    setup.processes.close();
    await cleanUp(setup, setup.processes.started, ORDERLY);
    await guard.dismiss();
    lock.release();
  } catch (error) {
    explain(error);
  }
  process.exit(status);
};
