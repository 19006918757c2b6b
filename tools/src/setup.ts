// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Child } from './process/launch.ts';
import { ProcessTable } from './process/table.ts';

/** What every step of a set-up is given. */
export interface Setup {
  /** The repository's root. */
  readonly checkout: string;
  /** Absolute path below which all of this run's state lies. */
  readonly stateDir: string;
  /** Names the state directory in labels, user-visible paths outside of it, and marks of processes: 12 hex digits. */
  readonly stateId: string;
  /** Shared by all state directories of a checkout: what is expensive to make and never changes. */
  readonly cacheDir: string;
  /** The environment as it was when the command started. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly processes: ProcessTable;
  /** Shows a line below the step that is going on. */
  readonly report: (line: string) => void;
}

/** A part that is up. */
export interface Running {
  /** Our own process, which the process table ends; null when it is the operator's. */
  readonly child: Child | null;
}

/** A real component that the services need: started here, or named by an environment variable. */
export interface Part<R extends Running> {
  readonly name: string;
  /** The variable that puts a real server in the place of the embedded one. */
  readonly replacedBy: string;
  /** Up and answering when it resolves. Throws `SetupError` when a person has to act. */
  readonly ensure: (setup: Setup) => Promise<R>;
}

export const checkout = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Short enough for a socket's path, long enough that two checkouts of one machine never share one. */
const STATE_ID_HEX = 12;

/** The name of a state directory outside of it. */
export const stateIdOf = (stateDir: string): string =>
  createHash('sha256').update(realpathSync(stateDir)).digest('hex').slice(0, STATE_ID_HEX);

/** Prepares a state directory, whose path may be relative to the checkout. */
export const makeSetup = (dir: string, cacheDir: string, env: Setup['env'], report: Setup['report']): Setup => {
  for (const path of [dir, cacheDir]) mkdirSync(path, { recursive: true, mode: 0o755 });
  const stateDir = realpathSync(dir);
  return {
    checkout,
    stateDir,
    stateId: stateIdOf(stateDir),
    cacheDir,
    env,
    processes: new ProcessTable(stateDir),
    report,
  };
};

/** Where state lies unless WRIT_STATE_DIR says otherwise. */
export const defaultStateDir = (env: Setup['env']): string => env['WRIT_STATE_DIR'] || join(checkout, '.writ');
