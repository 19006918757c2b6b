// SPDX-License-Identifier: Apache-2.0
import type { Shell } from '../shell/shell.ts';
import type { SyntaxNode } from '../shell/syntax.ts';
import type { Argument } from './arguments.ts';
import type { Value } from './values.ts';

/** What the reading of a script of PowerShell knows, and what its parts may ask of the whole. */
export interface Session {
  readonly shell: Shell;
  readonly variables: Map<string, Value>;
  /** bodies by name, in small letters */
  readonly functions: Map<string, SyntaxNode>;
  readonly aliases: Map<string, string>;
  /** how many bodies around the present place may run more than once, or not at all */
  uncertain: number;
  /** What the node's value may be; whatever runs below it is followed. */
  evaluate(node: SyntaxNode): Value;
  /** Follows the statements of a node; returns what they write to the pipeline. */
  run(node: SyntaxNode): Value;
  /** Follows a block of code with what the pipeline gives it. */
  runBlock(block: SyntaxNode, input: Value, args?: readonly Argument[]): Value;
  /** Follows each of the texts as a script. */
  runTexts(texts: Value, input: Value): Value;
  /** Follows a command by its name. */
  start(name: string, args: readonly Argument[], input: Value): Value;
  /** Notes that a part can't be told, so that somebody looks at it. */
  unread(what: string): void;
}

/** What a command of PowerShell's own does. */
export type Cmdlet = (args: readonly Argument[], input: Value, session: Session, name: string) => Value;
