// SPDX-License-Identifier: Apache-2.0
//
// What a run notes about itself: the logs that SysLogRead reads, and the text that ClipboardSet sets. A container has
// no other log and no other clipboard.
import { HostProcess, type Command, type CommandEnded, type HostClock } from '../host/host.ts';
import type { StepResult } from './result.ts';

/** script: a line for each step that ended. processes: a line for each program that ended. */
export const LOG_SOURCES = ['script', 'processes'] as const;
export type LogSource = (typeof LOG_SOURCES)[number];

/** The longest part of a line that a step or a program determines. */
const WORDS_CHARS_MAX = 200;
const inLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().slice(0, WORDS_CHARS_MAX);

export class RunNotes {
  readonly #lines: Readonly<Record<LogSource, string[]>> = { script: [], processes: [] };
  /** the text that the last ClipboardSet set; null without one */
  clipboard: string | null = null;

  /** The newest lines of a log that hold a text, ignoring case; oldest first. */
  linesOf(source: LogSource, count: number, filter: string): readonly string[] {
    const part = filter.toLowerCase();
    return this.#lines[source].filter((line) => line.toLowerCase().includes(part)).slice(-count);
  }

  /** @param now milliseconds since the epoch */
  addStep({ verb, pointer, status, attempts, durationMs, error }: StepResult, now: number): void {
    const retried = attempts > 1 ? `, ${attempts} attempts` : '';
    const why = error === null ? '' : `: ${error}`;
    this.#add('script', now, `${verb} (${pointer}) ${status} in ${durationMs} ms${retried}${why}`);
  }

  /** The same programs, each of which leaves a line when it has ended. */
  noting(process: HostProcess, clock: HostClock): HostProcess {
    return new NotedProcess(process, (argv, ending) =>
      this.#add('processes', clock.now(), `${ending}: ${argv.join(' ')}`),
    );
  }

  #add(source: LogSource, now: number, words: string): void {
    this.#lines[source].push(`${new Date(now).toISOString()} ${inLine(words)}`);
  }
}

class NotedProcess extends HostProcess {
  readonly #process: HostProcess;
  readonly #note: (argv: readonly string[], ending: string) => void;

  constructor(process: HostProcess, note: (argv: readonly string[], ending: string) => void) {
    super();
    [this.#process, this.#note] = [process, note];
  }

  async run(command: Command, signal: AbortSignal): Promise<CommandEnded> {
    try {
      const ended = await this.#process.run(command, signal);
      this.#note(command.argv, `exit ${ended.exit}`);
      return ended;
    } catch (error) {
      this.#note(command.argv, 'did not end by itself');
      throw error;
    }
  }
}
