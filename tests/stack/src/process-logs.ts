// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from 'node:fs';

/** One process in the report of a failed test. */
export interface LoggedProcess {
  readonly name: string;
  readonly isRunning: boolean;
  readonly log: () => string;
}

const LINES = 60;
const LAST_LINES = 12;
const LINE_CHARACTERS_MAX = 400;

/** The last 60 lines of a log file. */
export function endOfLog(file: string): string {
  if (!existsSync(file)) return '(never started)';
  return readFileSync(file, 'utf8').split('\n').slice(-LINES).join('\n');
}

/** The end of every process's log. */
export const logsOf = (processes: readonly LoggedProcess[]): string =>
  processes.map((process) => `── ${process.name}\n${process.log()}`).join('\n');

/** The last lines of every process, shortened for a person, and whether the process runs. */
export const logTailOf = (processes: readonly LoggedProcess[]): string =>
  processes
    .map(
      (process) => `── ${process.name}, ${process.isRunning ? 'running' : 'not running'}\n${shortened(process.log())}`,
    )
    .join('\n');

const shortened = (log: string): string =>
  log
    .trimEnd()
    .split('\n')
    .slice(-LAST_LINES)
    .map((line) => line.slice(0, LINE_CHARACTERS_MAX))
    .join('\n');

interface WithLogTails {
  readonly logTails: () => string;
}

/** The stacks of this worker; tools/src/vitest/process-log-tails.ts finds them here when a test fails. */
export function runningStacks(): Set<WithLogTails> {
  const global = globalThis as { [STACKS]?: Set<WithLogTails> };
  return (global[STACKS] ??= new Set());
}
const STACKS = Symbol.for('writ.stacks');
