// SPDX-License-Identifier: Apache-2.0
import type { Shell } from '../shell/shell.ts';
import type { SyntaxNode } from '../shell/syntax.ts';
import type { Argument } from './arguments.ts';
import type { Value } from './values.ts';

/** The state of the interpretation of a script, and the services for its parts. */
export interface Session {
  readonly shell: Shell;
  readonly variables: Map<string, Value>;
  /** bodies by name, in lower case */
  readonly functions: Map<string, SyntaxNode>;
  readonly aliases: Map<string, string>;
  /** how many enclosing bodies may run repeatedly, or not at all */
  uncertain: number;
  /** The possible values of a node; commands below it are interpreted. */
  evaluate(node: SyntaxNode): Value;
  /** Interprets the statements of a node; returns their output to the pipeline. */
  run(node: SyntaxNode): Value;
  /** Interprets a block of code with input from the pipeline. */
  runBlock(block: SyntaxNode, input: Value, args?: readonly Argument[]): Value;
  /** Interprets each of the texts as a script. */
  runTexts(texts: Value, input: Value): Value;
  /** Interprets a command by its name. */
  start(name: string, args: readonly Argument[], input: Value): Value;
  /** Notes a part that can't be determined, so that a person reviews it. */
  unread(what: string): void;
}

/** The effects of a command of PowerShell itself. */
export type Cmdlet = (args: readonly Argument[], input: Value, session: Session, name: string) => Value;
