// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Setup } from '../setup.ts';
import { SetupError } from '../setup-error.ts';
import { identify, type Identity } from './identity.ts';
import { logTail } from './log-tail.ts';
import { MARK } from './marked.ts';
import { stopProcess } from './stop.ts';
import type { Kind } from './table.ts';

export interface Launch {
  readonly name: string;
  readonly kind: Kind;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Its user; our own by default. */
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined;
  readonly cwd?: string;
  /** The signal that stops it, and its grace period. */
  readonly signal: NodeJS.Signals;
  readonly graceMs: number;
}

/** A child process with an entry in the process table. */
export interface Child {
  readonly name: string;
  readonly who: Identity;
  readonly logFile: string;
  /** Resolves with a sentence when it ends, in any way; never rejects. */
  readonly ended: Promise<string>;
  readonly isRunning: () => boolean;
  readonly stop: (graceMs?: number) => Promise<void>;
}

/**
 * Starts a process in a new process group, with its output in `logs/NAME.log`, and saves its entry before it returns.
 * In its own group it gets no Ctrl-C from the terminal: the supervisor stops all processes in order.
 */
export const launch = async (setup: Setup, what: Launch): Promise<Child> => {
  if (setup.processes.isClosed) throw new SetupError(`${what.name} is not started any more: the run is ending`);
  const logs = join(setup.stateDir, 'logs');
  mkdirSync(logs, { recursive: true });
  const logFile = join(logs, `${what.name}.log`);
  const log = openSync(logFile, 'a', 0o600);
  const child = spawn(what.command, what.args, {
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...what.env, [MARK]: setup.stateId },
    ...(what.owner ?? {}),
    cwd: what.cwd ?? setup.checkout,
  });
  closeSync(log);
  let running = true;
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`could not be started: ${error.message}`));
    child.once('exit', (code, by) => resolve(by === null ? `ended with status ${code}` : `was ended by ${by}`));
  }).finally(() => {
    running = false;
  });
  const who = child.pid === undefined ? undefined : identify(child.pid);
  if (who === undefined) throw new SetupError(`${what.name} ${await ended}`, logTail(logFile));
  setup.processes.add({ name: what.name, kind: what.kind, who, signal: what.signal, graceMs: what.graceMs });
  void ended.then(() => setup.processes.remove(who));
  return {
    name: what.name,
    who,
    logFile,
    ended,
    isRunning: () => running,
    stop: async (graceMs = what.graceMs) => {
      await stopProcess(who, what.signal, graceMs);
      await ended;
    },
  };
};
