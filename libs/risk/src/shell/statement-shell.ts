// SPDX-License-Identifier: Apache-2.0
import type { Expander } from './expand.ts';
import type { Field, Source } from './field.ts';
import type { Scope } from './scope.ts';
import type { Shell } from './shell.ts';
import type { SyntaxNode } from './syntax.ts';

/** The services for interpreting statements, in addition to those for programs. */
export interface StatementShell extends Shell, Expander {
  scope: Scope;
  run(node: SyntaxNode, stdin: Source): Source;
  words(node: SyntaxNode): Field[];
  text(node: SyntaxNode): string;
  body(node: SyntaxNode): string;
  substitutionsIn(node: SyntaxNode): void;
  inScope<T>(inner: Scope, body: () => T): T;
}
