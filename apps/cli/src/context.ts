// SPDX-License-Identifier: Apache-2.0
import type { Terminal } from './chat/terminal-port.ts';
import type { Environment } from './config.env.ts';

/** The world as a command sees it; specs give one of their own. */
export interface Context {
  readonly cwd: string;
  readonly env: Environment;
  readonly write: (text: string) => void;
  readonly complain: (text: string) => void;
  /** All of standard input. Implementations MUST refuse what is not UTF-8 (`textOf`). */
  readonly readStdin: () => Promise<string>;
  /** What a person types where nobody sees it; all of standard input where that is no terminal. */
  readonly readHidden: (prompt: string) => Promise<string>;
  /** Asks a person, who answers yes or no. Null where nobody can be asked: standard input is a pipe or a file. */
  readonly confirm: ((question: string) => Promise<boolean>) | null;
  /** standard input as it comes, for commands that answer before it ends */
  readonly streamStdin: () => AsyncIterable<Uint8Array>;
  /**
   * Shows one line in the place of the last one, on stderr; an empty one takes it away. Null where nobody looks: in a
   * pipe or a file.
   */
  readonly showProgress: ((line: string) => void) | null;
  /** A person at a terminal. Null where standard input or output is a pipe or a file. */
  readonly terminal: Terminal | null;
  /** What ctrl-c does from now on, instead of ending the program; the answer takes it back. */
  readonly onInterrupt: (heard: () => void) => () => void;
  /**
   * Ends the program with another status than 0 although nothing was thrown: what was asked for is shown, and it is a
   * refusal.
   */
  readonly setExit: (status: number) => void;
}

/** Options that every command takes. */
export interface CommonOptions {
  readonly json?: boolean;
  readonly url?: string;
  readonly apiKey?: string;
  readonly as?: string;
}

/** Shows a value: as JSON for programs, else in words. One JSON value is all that `--json` ever puts on stdout. */
export function show(context: Context, { json }: CommonOptions, value: unknown, words: () => string): void {
  context.write(`${json === true ? JSON.stringify(value, null, 2) : words()}\n`);
}
