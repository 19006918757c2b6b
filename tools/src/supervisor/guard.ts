// SPDX-License-Identifier: Apache-2.0
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MARK } from '../process/marked.ts';
import type { Setup } from '../setup.ts';
import { FAREWELL } from './watchdog.ts';

const PROGRAM = fileURLToPath(new URL('./watchdog.ts', import.meta.url));

/** The supervisor's side of the watchdog. */
export interface Guard {
  /** Tells the watchdog that everything was ended in order. */
  readonly dismiss: () => Promise<void>;
}

const start = (setup: Setup): ChildProcess => {
  const logs = join(setup.stateDir, 'logs');
  mkdirSync(logs, { recursive: true });
  const log = openSync(join(logs, 'watchdog.log'), 'a', 0o600);
  // In another session, and without the mark that it looks for.
  const child = spawn(process.execPath, ['--conditions=@writ/source', PROGRAM, setup.stateDir, setup.stateId], {
    detached: true,
    stdio: ['pipe', log, log],
    env: { ...setup.env, [MARK]: undefined },
    cwd: '/',
  });
  closeSync(log);
  child.stdin?.on('error', () => undefined);
  child.unref();
  return child;
};

/** Starts the watchdog, and another one whenever it ends before it was dismissed. */
export const startGuard = (setup: Setup): Guard => {
  let dismissed = false;
  let child: ChildProcess;
  const run = (): void => {
    child = start(setup);
    child.once('exit', () => {
      if (!dismissed) run();
    });
  };
  run();
  return {
    dismiss: () =>
      new Promise((resolve) => {
        dismissed = true;
        child.once('exit', () => resolve());
        if (child.exitCode !== null || child.signalCode !== null) resolve();
        child.ref();
        child.stdin?.end(FAREWELL);
      }),
  };
};
