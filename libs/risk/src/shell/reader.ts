// SPDX-License-Identifier: Apache-2.0
import type { Act, ActKind } from '../act.ts';
import { readPowerShell } from '../powershell/read-script.ts';
import { noteRead } from '../programs/secrets.ts';
import { isSecretFile } from '../programs/secret-names.ts';
import type { SqlParser } from '../sql/parser.ts';
import { absolute, zonesOf, type Zone } from '../zones.ts';
import type { Meter } from './budget.ts';
import { expandBody, expandText, expandWord, runWithin, type Expander } from './expand.ts';
import { noteSelfStart } from './fork-bomb.ts';
import { DOWNLOADED, isExact, shown, withoutMarkers, type Field, type Source } from './field.ts';
import type { ShellGrammar } from './grammar.ts';
import { isMadeForEval } from './made-for-eval.ts';
import { start } from './start.ts';
import { Scope } from './scope.ts';
import type { Shell } from './shell.ts';
import { ANYTHING, KEPT_SECRET, NOTHING, textSource } from './source.ts';
import { runStatement } from './statements.ts';
import type { StatementShell } from './statement-shell.ts';
import { namedChildren, type SyntaxNode } from './syntax.ts';
import { joinOutputs } from './join-outputs.ts';

/** Levels of scripts within scripts and functions within functions; people need two or three. */
const DEPTH_MAX = 12;
/** The kinds of acts with which a text runs, or is evaluated. */
const RUNS: ReadonlySet<ActKind> = new Set([
  'run_unknown',
  'run_decoded',
  'run_downloaded',
  'unknown_command',
  'evaluation',
]);
/** The value of a given secret, and everything that may be derived from it. */
const MAY_HOLD_GIVEN = /[\uE000\uE002\uE006]/;
/** Levels of nested statements, in all nested scripts together. The stack holds ten times as many. */
const NESTING_MAX = 200;
/** The cost of a command besides its arguments, in steps: it is looked up in some twenty tables. */
const COMMAND_STEPS = 8;

/** The zone of a workspace path where a command runs elsewhere: a rollback of the workspace restores nothing there. */
const ELSEWHERE: Partial<Readonly<Record<Zone, Zone>>> = {
  workspace: 'outside',
  inside: 'outside',
  regenerable: 'outside',
  history: 'outside',
};

/**
 * Interprets a command as a shell would, without running anything, and collects its possible effects. Every branch is
 * followed, and unknown values stay marked, so that rules see the uncertainty.
 */
export class ShellReader implements Shell, Expander, StatementShell {
  readonly acts = new Map<string, Act>();
  readonly following = new Map<SyntaxNode, Set<string>>();
  /** the first construct that runs or evaluates a text which may contain a given secret */
  runsGiven: string | undefined;
  readonly #grammar: ShellGrammar;
  readonly meter: Meter;
  #depth = 0;
  #nesting = 0;
  scope: Scope;

  /** `isSession`: earlier commands may have set unknown variables. */
  constructor(grammar: ShellGrammar, meter: Meter, cwd: string | undefined, isSession = false) {
    this.#grammar = grammar;
    this.meter = meter;
    this.scope = new Scope(cwd, meter, isSession);
  }

  act(kind: ActKind, form: string, subject: string, details: Pick<Act, 'zone' | 'recursive' | 'many'> = {}): void {
    if (RUNS.has(kind)) this.#noteGiven(form, subject);
    const act: Act = { kind, form: shown(form), subject: shown(subject.trim() === '' ? form : subject), ...details };
    this.acts.set([kind, act.form, details.zone, details.recursive, details.many].join(' '), act);
  }

  zones(path: Field): readonly Zone[] {
    const zones = zonesOf(path, this.scope.cwds);
    return this.scope.isElsewhere ? [...new Set(zones.map((zone) => ELSEWHERE[zone] ?? zone))] : zones;
  }

  path({ text, glob }: Field): string | undefined {
    return !glob && isExact(text) && this.scope.cwds.length === 1 ? absolute(text, this.scope.cwds[0]) : undefined;
  }

  script(text: string, stdin: Source, positional: readonly Field[] | undefined = [], zero = 'bash'): Source {
    return this.#read(text, (tree) =>
      this.inScope(this.scope.clone(), () => {
        this.scope.positional = positional;
        this.scope.zero = zero;
        noteSelfStart(tree, this);
        const output = this.run(tree, stdin);
        this.#runUncalled();
        return output;
      }),
    );
  }

  evaluate(text: string, stdin: Source, positional?: readonly Field[]): Source {
    return this.#read(text, (tree) => {
      const before = this.scope.positional;
      if (positional !== undefined) this.scope.positional = positional;
      noteSelfStart(tree, this);
      const output = this.run(tree, stdin);
      if (positional !== undefined) this.scope.positional = before;
      return output;
    });
  }

  /** Parses a text that runs as a script, and interprets it one level deeper. */
  #read(text: string, follow: (tree: SyntaxNode) => Source): Source {
    this.meter.text(text.length);
    this.#noteGiven('a shell', text);
    if (text.includes(DOWNLOADED)) this.act('run_downloaded', 'a shell', text);
    if (withoutMarkers(text).trim() === '') {
      if (!isExact(text) && !text.includes(DOWNLOADED)) this.act('run_unknown', 'a shell', text);
      return ANYTHING;
    }
    return this.deeper(text, () => {
      const tree = this.#grammar.parse(text, this.meter);
      return tree ? follow(tree) : this.#unparsed(text);
    });
  }

  get sql(): SqlParser | undefined {
    return this.#grammar.sql;
  }

  powershell(text: string, stdin: Source): Source {
    return this.deeper(text, () =>
      this.inScope(this.scope.clone(), () =>
        readPowerShell(text, stdin, { grammar: this.#grammar, meter: this.meter }, this),
      ),
    );
  }

  /**
   * Spends steps for the cost of another language.
   * @throws BudgetSpent at the budget's end
   */
  afford(steps = 1): boolean {
    this.meter.steps(steps);
    return true;
  }

  invoke(words: readonly Field[], stdin: Source): Source {
    this.meter.steps(COMMAND_STEPS + words.length);
    this.meter.text(words.reduce((length, { text }) => length + text.length, 0));
    return start(words, stdin, this);
  }

  run(node: SyntaxNode, stdin: Source): Source {
    this.meter.steps();
    if (this.#nesting >= NESTING_MAX) return this.#unparsed(node.text);
    this.#nesting += 1;
    try {
      return runStatement(node, stdin, this);
    } finally {
      this.#nesting -= 1;
    }
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
    return this.deeper(node.text, () =>
      this.inScope(this.scope.clone(), () => {
        // The input of `>(…)` is the text that is written into it.
        const input = node.children[0]?.type === '>(' ? ANYTHING : NOTHING;
        const outputs = namedChildren(node).map((child) => this.run(child, input));
        // Set-up code of a well-known tool is meant to be evaluated.
        return isMadeForEval(node.text) ? textSource(':') : joinOutputs(outputs);
      }),
    );
  }

  /** Runs in a separate scope, as a subshell does; only the files that it wrote are visible outside. */
  inScope<T>(inner: Scope, body: () => T): T {
    const outer = this.scope;
    this.scope = inner;
    try {
      const output = body();
      for (const trap of inner.traps.splice(0)) this.script(trap, NOTHING, inner.positional ?? []);
      outer.keepFiles(inner);
      return output;
    } finally {
      this.scope = outer;
    }
  }

  /** Runs one level deeper, or not at all beyond a plausible depth. */
  deeper(text: string, body: () => Source): Source {
    if (this.#depth >= DEPTH_MAX) return this.#unparsed(text);
    this.#depth += 1;
    try {
      return body();
    } finally {
      this.#depth -= 1;
    }
  }

  /**
   * A function without a call by its name may be called by a trap or a child shell: it is interpreted with unknown
   * parameters.
   */
  #runUncalled(): void {
    for (const body of this.scope.uncalled) {
      this.scope.uncalled.delete(body);
      this.inScope(this.scope.clone(), () => {
        this.scope.positional = undefined;
        return this.scope.asFunction(() => this.run(body, ANYTHING));
      });
    }
  }

  #noteGiven(form: string, text: string): void {
    if (MAY_HOLD_GIVEN.test(text)) this.runsGiven ??= form;
  }

  #unparsed(text: string): Source {
    this.act('unparsed', 'the command', text);
    return ANYTHING;
  }
}
