// SPDX-License-Identifier: Apache-2.0
import type { ShellGrammar } from '../shell/grammar.ts';
import { DOWNLOADED, field, isExact, shown, UNKNOWN, withoutMarkers, type Source } from '../shell/field.ts';
import type { Shell } from '../shell/shell.ts';
import type { Meter } from '../shell/budget.ts';
import { descendants, fieldOf, namedChildren, type SyntaxNode } from '../shell/syntax.ts';
import { Bound, type Argument } from './arguments.ts';
import { startCommand } from './commands.ts';
import { evaluateExpression, variableName } from './expressions.ts';
import { argumentsOf, commandNames } from './elements.ts';
import { noteRedirection } from './redirections.ts';
import type { Session } from './session.ts';
import { DECLARES, IN_ORDER, PERHAPS, REPEATED } from './statement-kinds.ts';
import { NO_VALUE, sourceOf, tainted, union, UNKNOWN_VALUE, valueOf, type Value } from './values.ts';

const FORM = 'powershell';

/**
 * Interprets a script of PowerShell abstractly, without running anything. Parts that can't be parsed are noted as such.
 */
export function readPowerShell(
  text: string,
  stdin: Source,
  parser: { readonly grammar: ShellGrammar; readonly meter: Meter },
  shell: Shell,
): Source {
  const reader = new ScriptReader(parser, shell);
  const output = reader.runTexts({ fields: [field(text)] }, valueOf(stdin));
  reader.runUncalled();
  return sourceOf(output);
}

class ScriptReader implements Session {
  readonly shell: Shell;
  readonly variables = new Map<string, Value>();
  readonly functions = new Map<string, SyntaxNode>();
  readonly aliases = new Map<string, string>();
  uncertain = 0;
  readonly #parser: { readonly grammar: ShellGrammar; readonly meter: Meter };
  readonly #called = new Set<SyntaxNode>();
  readonly #active = new Set<SyntaxNode>();
  #depth = 0;

  constructor(parser: { readonly grammar: ShellGrammar; readonly meter: Meter }, shell: Shell) {
    this.#parser = parser;
    this.shell = shell;
  }

  unread(what: string): void {
    this.shell.act('run_unknown', FORM, what);
  }

  runTexts({ fields }: Value, input: Value): Value {
    return union(fields.map(({ text }) => this.#runText(text, input)));
  }

  #runText(text: string, input: Value): Value {
    if (text.includes(DOWNLOADED)) this.shell.act('run_downloaded', FORM, text);
    if (withoutMarkers(text).trim() === '') {
      if (!isExact(text) && !text.includes(DOWNLOADED)) this.unread(text);
      return NO_VALUE;
    }
    return this.#deeper(text, () => {
      // A variable stands in for an unknown part, for which the grammar has no token.
      const tree = this.#parser.grammar.parsePowerShell(text, this.#parser.meter);
      if (!tree) {
        this.unread(text);
        return UNKNOWN_VALUE;
      }
      this.variables.set('input', input);
      return this.run(tree);
    });
  }

  run(node: SyntaxNode): Value {
    if (!this.shell.afford()) {
      this.unread(node.text);
      return UNKNOWN_VALUE;
    }
    const { type } = node;
    if (IN_ORDER.has(type)) return this.#all(node);
    if (PERHAPS.has(type)) return this.#perhaps(() => this.#all(node));
    if (REPEATED.has(type)) return this.#repeated(() => this.#all(node));
    if (DECLARES.has(type)) return this.#defaults(node);
    switch (type) {
      case 'pipeline_chain':
        return this.#pipeline(namedChildren(node));
      case 'command':
        return this.#command(node, NO_VALUE);
      case 'assignment_expression':
        return this.#assign(node);
      case 'function_statement':
        return this.#define(node);
      case 'foreach_statement':
        return this.#foreach(node);
      case 'class_statement':
        return this.#class(node);
      case 'redirections':
      case 'redirection':
        noteRedirection(node, this);
        return NO_VALUE;
      default:
        return this.evaluate(node);
    }
  }

  /** Its methods run when they are called; each is interpreted once. */
  #class(node: SyntaxNode): Value {
    const bodies = descendants(node, ({ type }) => type === 'script_block' || type === 'statement_list');
    for (const body of bodies) this.#perhaps(() => this.run(body));
    return NO_VALUE;
  }

  evaluate(node: SyntaxNode): Value {
    return this.#deeper(node.text, () => evaluateExpression(node, this));
  }

  start(name: string, args: readonly Argument[], input: Value): Value {
    return startCommand(name, args, input, this);
  }

  runBlock(block: SyntaxNode, input: Value, args: readonly Argument[] = []): Value {
    this.#called.add(block);
    return this.#deeper(block.text, () => {
      const before = new Map(['_', 'psitem', 'input', 'args'].map((name) => [name, this.variables.get(name)] as const));
      for (const name of ['_', 'psitem', 'input']) this.variables.set(name, input);
      this.variables.set('args', union(args.map(({ value }) => value ?? NO_VALUE)));
      this.#bindParameters(block, args);
      // A block mostly runs for each item from the pipeline.
      const output = this.#repeated(() =>
        union(
          namedChildren(block)
            .filter(({ type }) => type !== 'param_block')
            .map((child) => this.run(child)),
        ),
      );
      for (const [name, value] of before) if (value) this.variables.set(name, value);
      return output;
    });
  }

  /** A function without a call by its name may be called in another way: it is interpreted with unknown parameters. */
  runUncalled(): void {
    for (const body of this.functions.values())
      if (!this.#called.has(body))
        this.runBlock(body, UNKNOWN_VALUE, [{ value: UNKNOWN_VALUE, word: field(UNKNOWN), isSplat: true }]);
  }

  #all(node: SyntaxNode): Value {
    return union(namedChildren(node).map((child) => this.run(child)));
  }

  #perhaps(body: () => Value): Value {
    this.uncertain += 1;
    try {
      return body();
    } finally {
      this.uncertain -= 1;
    }
  }

  /** Twice, since a round sees the results of the previous one. */
  #repeated(body: () => Value): Value {
    return this.#perhaps(() => union([body(), body()]));
  }

  /** Each stage gets the output of the previous one. */
  #pipeline(stages: readonly SyntaxNode[]): Value {
    let output = NO_VALUE;
    for (const stage of stages) {
      if (stage.type === 'command') output = this.#command(stage, output);
      else if (stage.type === 'redirections' || stage.type === 'redirection') noteRedirection(stage, this, output);
      else if (stage.type === 'verbatim_command_argument') this.unread(stage.text);
      else output = this.run(stage);
    }
    return output;
  }

  #command(node: SyntaxNode, input: Value): Value {
    const name = fieldOf(node, 'command_name');
    const elements = fieldOf(node, 'command_elements');
    const args = argumentsOf(elements, this);
    if (!name) return UNKNOWN_VALUE;
    const { names, block } = commandNames(name, this);
    if (block) return this.runBlock(block, input, args);
    return union(names.map((one) => this.#named(one, args, input)));
  }

  #named(name: string, args: readonly Argument[], input: Value): Value {
    const body = this.functions.get(name.toLowerCase());
    if (!body) return this.start(name, args, input);
    // A recursive function is interpreted once: its effects are the same at any depth.
    if (this.#active.has(body)) return UNKNOWN_VALUE;
    this.#active.add(body);
    const output = this.runBlock(body, input, args);
    this.#active.delete(body);
    return output;
  }

  #assign(node: SyntaxNode): Value {
    const [target, , right] = [node.children[0], node.children[1], fieldOf(node, 'value')];
    const operator = node.children.find(({ type }) => type === 'assignement_operator')?.text ?? '=';
    const block = right && blockOf(right);
    const assigned = right ? (block ? this.evaluate(block) : this.run(right)) : UNKNOWN_VALUE;
    const variable = target && [...descendants(target, ({ type }) => type === 'variable')][0];
    if (!variable || !target) return NO_VALUE;
    const isElement =
      [...descendants(target, ({ type }) => type === 'element_access' || type === 'member_access')].length > 0;
    const { drive, name } = variableName(variable.text);
    const before = this.variables.get(name) ?? NO_VALUE;
    const value =
      isElement || operator !== '='
        ? this.#changed(before, assigned, operator, isElement)
        : this.uncertain > 0 && right && readsVariables(right)
          ? union([tainted(assigned), assigned.block ? assigned : NO_VALUE])
          : assigned;
    this.#set(drive, name, this.uncertain > 0 ? union([before, value]) : value);
    return NO_VALUE;
  }

  #changed(before: Value, assigned: Value, operator: string, isElement: boolean): Value {
    if (this.uncertain > 0) return union([before, assigned, tainted(union([before, assigned]))]);
    return isElement || operator !== '+='
      ? union([before, assigned, UNKNOWN_VALUE])
      : {
          fields:
            before.fields.length === 1 && assigned.fields.length === 1
              ? [field((before.fields[0]?.text ?? '') + (assigned.fields[0]?.text ?? ''))]
              : union([before, assigned, UNKNOWN_VALUE]).fields,
        };
  }

  #set(drive: string, name: string, value: Value): void {
    if (drive === 'function' && value.block) this.functions.set(name, value.block);
    else if (drive === 'function') this.unread(name);
    else if (drive === 'alias') this.aliases.set(name, value.fields[0]?.text ?? UNKNOWN);
    else if (drive === 'env')
      this.shell.scope.become(
        name.toUpperCase(),
        value.fields.map(({ text }) => [text]),
      );
    else this.variables.set(name, value);
  }

  #define(node: SyntaxNode): Value {
    const parts = namedChildren(node);
    const name = node.text.replace(/^\w+\s+/, '').match(/^[^\s({]+/)?.[0] ?? '';
    const body: SyntaxNode = {
      ...node,
      type: 'script_block_expression',
      children: parts.filter(({ type }) => type !== 'function_name'),
    };
    this.functions.set(name.replace(/^(?:global|script|local|private):/i, '').toLowerCase(), body);
    return NO_VALUE;
  }

  #foreach(node: SyntaxNode): Value {
    const parts = namedChildren(node);
    const variable = parts.find(({ type }) => type === 'variable');
    const body = parts.find(({ type }) => type === 'statement_block');
    const over = union(
      parts
        .filter((part) => part !== variable && part !== body && part.type !== 'foreach_parameter')
        .map((part) => this.run(part)),
    );
    if (variable) this.variables.set(variableName(variable.text).name, over.fields.length === 0 ? UNKNOWN_VALUE : over);
    return this.#repeated(() => (body ? this.run(body) : NO_VALUE));
  }

  /** Defaults of parameters, and other parts of a declaration, may run code. */
  #defaults(node: SyntaxNode): Value {
    for (const inner of descendants(
      node,
      ({ type }) =>
        type === 'sub_expression' || type === 'parenthesized_expression' || type === 'script_block_expression',
    ))
      this.#perhaps(() => this.run(inner));
    return NO_VALUE;
  }

  #bindParameters(block: SyntaxNode, args: readonly Argument[]): void {
    const list = [...descendants(block, ({ type }) => type === 'script_parameter')];
    if (list.length === 0) return;
    const names = list.map(
      (one) => variableName([...descendants(one, ({ type }) => type === 'variable')][0]?.text ?? '').name,
    );
    const bound = new Bound(args, { values: names, switches: [] });
    let position = 0;
    names.forEach((name, index) => {
      const value = bound.value(name) ?? bound.positional[position++];
      const standard = list[index]?.children.find(({ type }) => type === 'script_parameter_default');
      this.variables.set(
        name,
        value ??
          (standard
            ? union([this.evaluate(standard), ...(bound.isPartlyUnknown ? [UNKNOWN_VALUE] : [])])
            : bound.isPartlyUnknown
              ? UNKNOWN_VALUE
              : NO_VALUE),
      );
    });
  }

  #deeper(text: string, body: () => Value): Value {
    if (this.#depth >= DEPTH_OF_TREE) {
      this.unread(shown(text));
      return UNKNOWN_VALUE;
    }
    this.#depth += 1;
    try {
      return body();
    } finally {
      this.#depth -= 1;
    }
  }
}

/** Levels of expressions and of bodies together: each takes a few calls on the stack. */
const DEPTH_OF_TREE = 150;

/** An assigned block isn't run. */
function blockOf(node: SyntaxNode): SyntaxNode | undefined {
  if (node.type === 'script_block_expression') return node;
  const [only, ...others] = namedChildren(node);
  return only && others.length === 0 && node.type.startsWith('pipeline') ? blockOf(only) : undefined;
}

/** Names of the current item of a loop. */
const OF_THE_ROUND = new Set(['_', 'psitem', 'null', 'true', 'false', 'home', 'pwd']);
const readsVariables = (node: SyntaxNode): boolean =>
  [...descendants(node, ({ type }) => type === 'variable')].some(({ text }) => {
    const { drive, name } = variableName(text);
    return drive !== 'env' && !OF_THE_ROUND.has(name);
  });
