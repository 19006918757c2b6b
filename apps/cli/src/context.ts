// SPDX-License-Identifier: Apache-2.0
import type { Terminal } from './chat/terminal-port.ts';
import type { Environment } from './config.env.ts';

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
}

/** Options that every command accepts. */
export interface CommonOptions {
  readonly json?: boolean;
  readonly url?: string;
  readonly apiKey?: string;
  readonly as?: string;
}

/** Prints a value: as JSON for programs, else as text. With `--json`, stdout holds exactly one JSON value. */
export function show(context: Context, { json }: CommonOptions, value: unknown, toText: () => string): void {
  context.write(`${json === true ? JSON.stringify(value, null, 2) : toText()}\n`);
}
