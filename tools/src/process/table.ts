// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Identity } from './identity.ts';

/** In which order the kinds are stopped: what depends on others first. */
export const STOP_ORDER = ['job', 'service', 'part', 'engine'] as const;
export type Kind = (typeof STOP_ORDER)[number];

/** A process that was started for a state directory, and how to end it. */
export interface Entry {
  readonly name: string;
  readonly kind: Kind;
  readonly who: Identity;
  readonly signal: NodeJS.Signals;
  readonly graceMs: number;
}

/** Where sandboxes run; what a clean-up needs to find their containers without any part of the set-up being alive. */
export interface Engine {
  /** As in DOCKER_HOST. */
  readonly host: string;
  /** Value of the label `writ` on every container and volume of this state directory. */
  readonly label: string;
  /** Set when the engine is our own: everything in it then is ours, and its run-time files lie here. */
  readonly execRoot: string | null;
}

/** What has been started for one state directory. Written on disk before anything else happens to a new process. */
export interface Started {
  readonly engine: Engine | null;
  readonly entries: readonly Entry[];
}

const NOTHING: Started = { engine: null, entries: [] };

export const startedFile = (stateDir: string): string => join(stateDir, 'run', 'started.json');

/** What an earlier run wrote; nothing when there was none or its file was cut short. */
export const readStarted = (stateDir: string): Started => {
  try {
    return JSON.parse(readFileSync(startedFile(stateDir), 'utf8')) as Started;
  } catch {
    return NOTHING;
  }
};

/** By rename, so that a reader never sees half a file. */
export const writeStarted = (stateDir: string, started: Started): void => {
  const path = startedFile(stateDir);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, `${JSON.stringify(started, null, 1)}\n`);
  renameSync(`${path}.new`, path);
};

/** The list of a run, kept on disk at every change. */
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

  /** From now on nothing may be started: what was is about to be ended. */
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
    // Once closed, the clean-up is the list's only writer.
    if (this.#closed) return;
    writeStarted(this.#stateDir, started);
  }
}
