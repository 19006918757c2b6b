// SPDX-License-Identifier: Apache-2.0
import type { Command } from 'commander';
import type { Terminal } from './chat/terminal-port.ts';
import type { Environment } from './config.env.ts';
import { renderItem, renderOutput, type OutputOptions } from './output/formats.ts';

/** The environment of a command; specs supply their own. */
export interface Context {
  readonly cwd: string;
  readonly env: Environment;
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
  /** All of standard input. Implementations MUST refuse input that is not UTF-8 (`textOf`). */
  readonly readStdin: () => Promise<string>;
  /** A line that is typed without echo; all of standard input where that is no terminal. */
  readonly readHidden: (prompt: string) => Promise<string>;
  /** Asks a person to confirm. Null where standard input is a pipe or a file. */
  readonly confirm: ((question: string) => Promise<boolean>) | null;
  /** standard input as a stream, for commands that answer before it ends */
  readonly streamStdin: () => AsyncIterable<Uint8Array>;
  /** Replaces the progress line on stderr; an empty text removes it. Null where stderr is a pipe or a file. */
  readonly showProgress: ((line: string) => void) | null;
  /** A person at a terminal. Null where standard input or output is a pipe or a file. */
  readonly terminal: Terminal | null;
  /** Handles ctrl-c from now on, instead of ending the program; the returned function removes the handler. */
  readonly onInterrupt: (handler: () => void) => () => void;
  /** Sets another exit status than 0 without an error: the requested output is complete, and it is a refusal. */
  readonly setExit: (status: number) => void;
  /** Opens a page in the person's browser; resolves with false where there is none. */
  readonly openPage: (url: string) => Promise<boolean>;
  /** The noun of the command, which `-o name` prints before a name. */
  readonly noun?: string;
  /** The command tree, with the commands that the words name. The program sets it, for completion. */
  readonly programFor?: (words: readonly string[]) => Promise<Command>;
}

/** Options that every command accepts. */
export interface CommonOptions extends OutputOptions {
  readonly context?: string;
  readonly url?: string;
  readonly apiKey?: string;
  readonly as?: string;
}

/** Prints one of several values as it comes. */
export function showItem(context: Context, options: OutputOptions, value: unknown, toText: () => string): void {
  context.write(renderItem(options, { noun: context.noun ?? '', value, toText }));
}

/**
 * Prints an answer in the format that `-o` requests, by default as text for people. With `-o json` or `-o yaml`,
 * standard output holds exactly one value.
 */
export function show(context: Context, options: OutputOptions, value: unknown, toText: () => string): void {
  const text = renderOutput(options, { noun: context.noun ?? '', value, toText });
  if (text === null) context.writeError('note: this answer has no name; `-o json` prints all of it\n');
  else context.write(text);
}
