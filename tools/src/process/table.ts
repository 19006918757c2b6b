// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Identity } from './identity.ts';

/** The order in which kinds are stopped: dependents first. */
export const STOP_ORDER = ['job', 'service', 'part', 'engine'] as const;
export type Kind = (typeof STOP_ORDER)[number];

/** A process of a state directory, and how to end it. */
export interface Entry {
  readonly name: string;
  readonly kind: Kind;
  readonly who: Identity;
  readonly signal: NodeJS.Signals;
  readonly graceMs: number;
}

/** The engine of the sandboxes: a clean-up finds their containers with it, without any other process of the set-up. */
export interface Engine {
  /** As in DOCKER_HOST. */
  readonly host: string;
  /** Value of the label `writ` on every container and volume of this state directory. */
  readonly label: string;
  /** For our own engine only: its run-time files are here, and every container in it is ours. */
  readonly execRoot: string | null;
}

/** The started processes of one state directory, saved before anything else happens to a new process. */
export interface Started {
  readonly engine: Engine | null;
  readonly entries: readonly Entry[];
}

const NOTHING: Started = { engine: null, entries: [] };

export const startedFile = (stateDir: string): string => join(stateDir, 'run', 'started.json');

/** The table of an earlier run; nothing when there was none or its file is incomplete. */
export const readStarted = (stateDir: string): Started => {
  try {
    return JSON.parse(readFileSync(startedFile(stateDir), 'utf8')) as Started;
  } catch {
    return NOTHING;
  }
};

/** By rename, so that a reader never sees an incomplete file. */
export const writeStarted = (stateDir: string, started: Started): void => {
  const path = startedFile(stateDir);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, `${JSON.stringify(started, null, 1)}\n`);
  renameSync(`${path}.new`, path);
};

/** The table of a run, saved at every change. */
export class ProcessTable {
  readonly #stateDir: string;
  #started: Started = NOTHING;
  #closed = false;

  constructor(stateDir: string) {
    this.#stateDir = stateDir;
  }

  get started(): Started {
    return this.#started;
  }

  /** From now on nothing may be started: the clean-up is about to end everything. */
  close(): void {
    this.#closed = true;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  add(entry: Entry): void {
    this.#write({ ...this.#started, entries: [...this.#started.entries, entry] });
  }

  remove(who: Identity): void {
    this.#write({ ...this.#started, entries: this.#started.entries.filter((entry) => entry.who.pid !== who.pid) });
  }

  setEngine(engine: Engine): void {
    this.#write({ ...this.#started, engine });
  }

  #write(started: Started): void {
    this.#started = started;
    // Once closed, only the clean-up writes the table.
    if (this.#closed) return;
    writeStarted(this.#stateDir, started);
  }
}
