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

/** A Ctrl-C reaches us from the terminal, from npm and from the launcher: signals within this time are one request. */
const SAME_REQUEST_MS = 1_000;

/** The watchdog's own limit, and a little more. */
const WATCHDOG_MS = 12_000;
const POLL_MS = 100;

/** For a body that only waits for the stop request, to return its status. */
const SETTLE_MS = 100;

/** 128 plus SIGINT's number, as a shell reports it. */
const INTERRUPTED = 130;

/** The inputs of a supervised run besides its setup. */
export interface RunContext {
  /** Aborted when the run should end. */
  readonly stop: AbortSignal;
}

const print = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

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
  if (started.entries.length > 0 || findMarked(setup.stateId).length > 0)
    print('an earlier run ended without cleaning up: ending what it left behind');
  await cleanUp(setup, started, PROMPT);
};

/** Turns signals, and the end of the launching process, into one stop request. A second one ends the run at once. */
const listenForStop = (setup: Setup): AbortController => {
  const request = new AbortController();
  let first = 0;
  const onRequest = (why: string) => (): void => {
    if (!request.signal.aborted) {
      first = performance.now();
      request.abort(why);
    } else if (performance.now() - first > SAME_REQUEST_MS) {
      print('ending at once');
      void cleanUp(setup, setup.processes.started, AT_ONCE).finally(() => process.exit(INTERRUPTED));
    }
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onRequest(name));
  process.on('disconnect', onRequest('the launcher is gone'));
  // The reader of the output is gone (`npm start | head`): the run ends in order, without output. Each further line
  // fails too, and is no second request.
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', () => {
      if (!request.signal.aborted) onRequest('output is closed')();
    });
  return request;
};

/** A body that waits for the request ends soon after it. One that is busy is abandoned. */
const runBody = async (
  body: (context: RunContext) => Promise<number>,
  { signal }: AbortController,
): Promise<number> => {
  const interrupted = once(signal, 'abort')
    .then(() => delay(SETTLE_MS))
    .then(() => INTERRUPTED);
  try {
    return await Promise.race([body({ stop: signal }), interrupted]);
  } catch (error) {
    if (signal.aborted) return INTERRUPTED;
    explain(error);
    return 1;
  }
};

/**
 * Runs a function on a state directory so that nothing it starts outlives it. It takes the lock, ends what an earlier
 * run left behind, runs under a watchdog, and ends everything in order afterwards. Exits with the body's status.
 */
export const supervise = async (
  setup: Setup,
  role: string,
  body: (context: RunContext) => Promise<number>,
): Promise<never> => {
  let status = 1;
  try {
    const lock = await holdStateDir(setup, role);
    await endLeftovers(setup);
    const guard = startGuard(setup);
    const request = listenForStop(setup);
    status = await runBody(body, request);
    setup.processes.close();
    await cleanUp(setup, setup.processes.started, ORDERLY);
    await guard.dismiss();
    lock.release();
  } catch (error) {
    explain(error);
  }
  process.exit(status);
};
