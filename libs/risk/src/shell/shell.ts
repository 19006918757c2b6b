// SPDX-License-Identifier: Apache-2.0
import type { Act, ActKind } from '../act.ts';
import type { SqlParser } from '../sql/parser.ts';
import type { Zone } from '../zones.ts';
import type { Meter } from './budget.ts';
import type { Field, Source } from './field.ts';
import type { Scope } from './scope.ts';

/** A program call: its name without directories, its arguments, and its input. */
export interface Invocation {
  readonly name: string;
  readonly args: readonly Field[];
  readonly stdin: Source;
}

/** The services of the shell for the reading of a program. */
export interface Shell {
  readonly scope: Scope;
  /**
   * The cost of the reading. A program's reading that does more than inspect each of its arguments MUST count it here.
   */
  readonly meter: Meter;
  /** Notes an effect of the command. `subject` may be raw: it is made safe to show. */
  act(kind: ActKind, form: string, subject: string, details?: Pick<Act, 'zone' | 'recursive' | 'many'>): void;
  /** Interprets the words as a command, the first being its name; returns its output. */
  invoke(words: readonly Field[], stdin: Source): Source;
  /** Interprets the text as a separate script; returns its output. */
  script(text: string, stdin: Source, positional?: readonly Field[], zero?: string): Source;
  /**
   * Interprets the text in the current shell: its assignments stay. `positional` are the text's own, where it has some.
   */
  evaluate(text: string, stdin: Source, positional?: readonly Field[]): Source;
  /** Spends steps of the budget; returns false where they are used up, in which case the rest counts as unread. */
  afford(steps?: number): boolean;
  /** The parser of SQL statements, where it is loaded. */
  readonly sql: SqlParser | undefined;
  /** Interprets the text as a script of PowerShell; returns its output. */
  powershell(text: string, stdin: Source): Source;
  /** The possible zones of the path, from the possible working directories. */
  zones(path: Field): readonly Zone[];
  /** The absolute path, if there is only one possibility. */
  path(path: Field): string | undefined;
}

/** Determines the effects of a program call. Returns its output; undefined when that is unknown. */
export type Reading = (call: Invocation, shell: Shell) => Source | undefined;
