// SPDX-License-Identifier: Apache-2.0
import type { Act, ActKind } from '../act.ts';
import { isSecretFile, noteRead } from '../programs/secrets.ts';
import { absolute, zonesOf, type Zone } from '../zones.ts';
import { expandBody, expandText, expandWord, runWithin, type Expander } from './expand.ts';
import { noteSelfStart } from './fork-bomb.ts';
import { DOWNLOADED, isExact, shown, withoutMarkers, type Field } from './field.ts';
import type { ShellGrammar } from './grammar.ts';
import { isMadeForEval } from './made-for-eval.ts';
import { start } from './start.ts';
import { Scope } from './scope.ts';
import type { Shell } from './shell.ts';
import { ANYTHING, KEPT_SECRET, NOTHING, textSource, type Source } from './source.ts';
import { runStatement, type Statements } from './statements.ts';
import { namedChildren, type ShellBudget, type SyntaxNode } from './syntax.ts';
import { together } from './together.ts';

/** Scripts within scripts and functions within functions; people need two or three. */
const DEPTH_MAX = 12;

/**
 * Follows a command as a shell would, without running anything, and gathers what it would do. Every branch is taken, and what
 * isn't known stays marked as such, so that doubt reaches the rules as doubt.
 */
export class ShellReader implements Shell, Expander, Statements {
  readonly acts = new Map<string, Act>();
  readonly #grammar: ShellGrammar;
  readonly #budget: ShellBudget;
  #depth = 0;
  scope: Scope;

  constructor(grammar: ShellGrammar, budget: ShellBudget, cwd: string | undefined) {
    this.#grammar = grammar;
    this.#budget = budget;
    this.scope = new Scope(cwd);
  }

  act(kind: ActKind, form: string, subject: string, details: Pick<Act, 'zone' | 'recursive' | 'many'> = {}): void {
    const act: Act = { kind, form: shown(form), subject: shown(subject.trim() === '' ? form : subject), ...details };
    this.acts.set([kind, act.form, details.zone, details.recursive, details.many].join(' '), act);
  }

  zones(path: Field): readonly Zone[] {
    return zonesOf(path, this.scope.cwds);
  }

  path({ text, glob }: Field): string | undefined {
    return !glob && isExact(text) && this.scope.cwds.length === 1 ? absolute(text, this.scope.cwds[0]) : undefined;
  }

  script(text: string, stdin: Source, positional: readonly Field[] | undefined = [], zero = 'bash'): Source {
    if (text.includes(DOWNLOADED)) this.act('run_downloaded', 'a shell', text);
    if (withoutMarkers(text).trim() === '') {
      if (!isExact(text) && !text.includes(DOWNLOADED)) this.act('run_unknown', 'a shell', text);
      return ANYTHING;
    }
    return this.deeper(text, () => {
      const tree = this.#grammar.parse(text, this.#budget);
      if (!tree) return this.#unparsed(text);
      return this.inScope(this.scope.clone(), () => {
        this.scope.positional = positional;
        this.scope.zero = zero;
        noteSelfStart(tree, this);
        const output = this.run(tree, stdin);
        this.#runUncalled();
        return output;
      });
    });
  }

  invoke(words: readonly Field[], stdin: Source): Source {
    return this.#afford() ? start(words, stdin, this) : this.#unparsed(words[0]?.text ?? '');
  }

  run(node: SyntaxNode, stdin: Source): Source {
    return this.#afford() ? runStatement(node, stdin, this) : this.#unparsed(node.text);
  }

  words(node: SyntaxNode): Field[] {
    return expandWord(node, this);
  }

  text(node: SyntaxNode): string {
    return expandText(node, this);
  }

  body(node: SyntaxNode): string {
    return expandBody(node, this);
  }

  substitutionsIn(node: SyntaxNode): void {
    runWithin(node, this, '');
  }

  substitute(node: SyntaxNode): Source {
    const redirect = node.children.find(({ field }) => field === 'redirect');
    if (redirect) {
      const files = namedChildren(redirect).flatMap((word) => this.words(word));
      noteRead('<', files, this);
      return files.some(({ text }) => isSecretFile(text)) ? KEPT_SECRET : ANYTHING;
    }
    return this.deeper(node.text, () => this.inScope(this.scope.clone(), () => {
      // What is written into `>(…)` is on its input.
      const input = node.children[0]?.type === '>(' ? ANYTHING : NOTHING;
      const outputs = namedChildren(node).map((child) => this.run(child, input));
      // Set-up code of a well-known tool: evaluating it is what it is for.
      return isMadeForEval(node.text) ? textSource(':') : together(outputs);
    }));
  }

  /** Runs in a scope of its own, as a subshell does; of what it learns only the files it wrote are seen outside. */
  inScope<T>(inner: Scope, body: () => T): T {
    const outer = this.scope;
    this.scope = inner;
    try {
      const output = body();
      for (const trap of inner.traps.splice(0)) this.script(trap, NOTHING, inner.positional ?? []);
      return output;
    } finally {
      this.scope = outer;
      for (const [path, source] of inner.files) outer.files.set(path, source);
      for (const path of inner.made) outer.made.add(path);
      for (const [path, name] of inner.programs) outer.programs.set(path, name);
      outer.unpacked ||= inner.unpacked;
    }
  }

  /** Runs a level deeper, or doesn't when that is deeper than anybody writes. */
  deeper(text: string, body: () => Source): Source {
    if (this.#depth >= DEPTH_MAX || this.#budget.steps < 0) return this.#unparsed(text);
    this.#depth += 1;
    try {
      return body();
    } finally {
      this.#depth -= 1;
    }
  }

  /** A function that nothing calls by its name may be called by a trap or a child shell: it is followed with unknown parameters. */
  #runUncalled(): void {
    for (const body of this.scope.functions.values()) {
      if (this.scope.called.has(body)) continue;
      this.scope.called.add(body);
      this.inScope(this.scope.clone(), () => {
        this.scope.positional = undefined;
        return this.run(body, ANYTHING);
      });
    }
  }

  #afford(): boolean {
    this.#budget.steps -= 1;
    return this.#budget.steps >= 0;
  }

  #unparsed(text: string): Source {
    this.act('unparsed', 'the command', text);
    return ANYTHING;
  }
}
