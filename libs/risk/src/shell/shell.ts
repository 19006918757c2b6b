// SPDX-License-Identifier: Apache-2.0
import type { Act, ActKind } from '../act.ts';
import type { SqlParser } from '../sql/parser.ts';
import type { Zone } from '../zones.ts';
import type { Meter } from './budget.ts';
import type { Field, Source } from './field.ts';
import type { Scope } from './scope.ts';

/** One program as it would be started: its name without directories, its arguments, and what it finds on its input. */
export interface Invocation {
  readonly name: string;
  readonly args: readonly Field[];
  readonly stdin: Source;
}

/** What the reading of a program may ask of the shell that starts it. */
export interface Shell {
  readonly scope: Scope;
  /**
   * What the reading has cost. A program whose reading takes more than a look at each of its arguments MUST count it
   * here.
   */
  readonly meter: Meter;
  /** Notes that the command would do this. `subject` may be raw: it is made safe to show. */
  act(kind: ActKind, form: string, subject: string, details?: Pick<Act, 'zone' | 'recursive' | 'many'>): void;
  /** Follows the words as a command, the first being its name; returns what it writes to its output. */
  invoke(words: readonly Field[], stdin: Source): Source;
  /** Follows the text as a script of its own; returns what it writes to its output. */
  script(text: string, stdin: Source, positional?: readonly Field[], zero?: string): Source;
  /**
   * Follows the text as if it stood where the shell is: what it assigns stays. `positional` are the text's own, where
   * it has some.
   */
  evaluate(text: string, stdin: Source, positional?: readonly Field[]): Source;
  /**
   * Takes so many steps of what the reading may cost; answers false where they are used up, and what is left counts as
   * unread.
   */
  afford(steps?: number): boolean;
  /** StatementShell of a database, by the grammars that commands carry. */
  readonly sql: SqlParser | undefined;
  /** Follows the text as a script of PowerShell; returns what it writes to its output. */
  powershell(text: string, stdin: Source): Source;
  /** Where the path may lead from where the shell may be. */
  zones(path: Field): readonly Zone[];
  /** The absolute path, if there is only one that it can be. */
  path(path: Field): string | undefined;
}

/** Reads what a program would do. Returns what it writes to its output; undefined when that can't be told. */
export type Reading = (call: Invocation, shell: Shell) => Source | undefined;
