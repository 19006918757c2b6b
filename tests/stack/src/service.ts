// SPDX-License-Identifier: Apache-2.0
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { freshService, repositoryRoot, testAddress } from '@writ/testing';
import { endOfLog } from './process-logs.ts';

/** Long enough for several processes that start together on a busy machine. */
const READY_MS = 90_000;

/** One real process of Writ, as `npm start` would start it. */
export class Service {
  readonly name: string;
  readonly #program: readonly string[];
  readonly #env: Readonly<Record<string, string>>;
  readonly #logFile: string;
  #child: ChildProcess | undefined;

  constructor(name: string, env: Readonly<Record<string, string>>, logFile: string, program?: readonly string[]) {
    this.name = name;
    this.#env = env;
    this.#logFile = logFile;
    this.#program = program ?? [freshService(repositoryRoot(), name)];
  }

  get env(): Readonly<Record<string, string>> {
    return this.#env;
  }

  get logFile(): string {
    return this.#logFile;
  }

  get pid(): number {
    if (this.#child?.pid === undefined) throw new Error(`${this.name} doesn't run`);
    return this.#child.pid;
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Starts the process, and resolves when it reports that it is ready. */
  async start(): Promise<void> {
    const log = openSync(this.#logFile, 'a', 0o600);
    this.#child = spawn(process.execPath, [...this.#program], {
      env: { ...runMark(), ...this.#env },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    const until = Date.now() + READY_MS;
    while (!(await this.#isReady())) {
      if (!this.isRunning || Date.now() > until) throw new Error(`${this.name} didn't become ready:\n${this.log()}`);
      await sleep(25);
    }
  }

  log(): string {
    return endOfLog(this.#logFile);
  }

  /** Kills it (SIGKILL), as a power cut of this process alone; resolves when it is gone. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (!child || !this.isRunning) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  }

  /** Suspends it (SIGSTOP); `thaw` resumes it. */
  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  async #isReady(): Promise<boolean> {
    try {
      return (await fetch(`http://127.0.0.1:${this.#env['WRIT_OPS_PORT']}/readyz`)).ok;
    } catch {
      return false;
    }
  }
}

/**
 * Clean-up finds the processes of tests by this variable (tools/src/process/marked.ts). It names the run of `npm test`,
 * or the infrastructure where a spec runs by itself.
 */
export function runMark(): Readonly<Record<string, string>> {
  return { WRIT_STATE_ID: process.env['WRIT_STATE_ID'] ?? testAddress('WRIT_TEST_LABEL') };
}
