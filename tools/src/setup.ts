// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Child } from './process/launch.ts';
import { ProcessTable } from './process/table.ts';

/** The input of every step of a set-up. */
export interface Setup {
  /** The repository's root. */
  readonly checkout: string;
  /** Absolute path of the directory with all state of this run. */
  readonly stateDir: string;
  /**
   * An id of the state directory for labels, user-visible paths outside of it, and marks of processes: 12 hex digits.
   */
  readonly stateId: string;
  /** Shared by all state directories of a checkout: expensive, immutable files. */
  readonly cacheDir: string;
  /** The environment at the command's start. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly processes: ProcessTable;
  /** Shows a line below the current step. */
  readonly report: (line: string) => void;
}

/** A running part. */
export interface Running {
  /** Our own process, which the process table ends; null for an operator's own. */
  readonly child: Child | null;
}

/** A real dependency of the services: started here, or named by an environment variable. */
export interface Part<R extends Running> {
  readonly name: string;
  /** The variable that replaces the embedded server by a real one. */
  readonly replacedBy: string;
  /** Resolves when it is running and answers. Throws `SetupError` when a person has to act. */
  readonly ensure: (setup: Setup) => Promise<R>;
}

export const checkout = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Short enough for a socket's path, long enough to be unique on a machine. */
const STATE_ID_HEX = 12;

/** The id of a state directory. */
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

/** The state directory unless WRIT_STATE_DIR sets it. */
export const defaultStateDir = (env: Setup['env']): string => env['WRIT_STATE_DIR'] || join(checkout, '.writ');
