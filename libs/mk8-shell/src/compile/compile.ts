// SPDX-License-Identifier: Apache-2.0
//
// Compiles a script to steps that can run.
// INVARIANT (everything first): all of a script is checked before any of it runs, and an error anywhere means that
// nothing runs.
// INVARIANT (judged twice): an argument with `$PREV` or a capture is checked by its form here, and by its value when
// its step runs (libs/mk8-shell/src/run).
import { SCRIPT_LIMITS } from '../limits.ts';
import { problemAt, type LocatedProblem, type Problem } from '../problem.ts';
import type { Sandbox } from '../rules/sandbox.ts';
import { parseScript, shapeProblems } from '../script/parse.ts';
import { optionsOf, type Script, type ScriptOptions } from '../script/script.ts';
import { parseTimeSpan } from '../script/time-span.ts';
import { captureProblems, labelsOf } from './bindings.ts';
import { argumentProblems, checkProblems, commandOf, fieldProblems, predicateProblems } from './check-step.ts';
import { EffectsFound } from './effects.ts';
import { Expansion, type Flat, type WrittenCondition } from './expand.ts';
import type { Condition, Program, Step } from './program.ts';
import { readText, type Text } from './text.ts';

export type Compiled<Found extends Problem = Problem> =
  | { readonly program: Program; readonly problems: readonly [] }
  | { readonly program: null; readonly problems: readonly Found[] };

/** Longer ones would only keep a container busy. */
const STEP_TIMEOUT_MS_MAX = 60 * 60 * 1000;

/** Compiles a script's text: its problems have line and column. */
export function compileText(text: string, sandbox: Sandbox): Compiled<LocatedProblem> {
  const { read, locate } = parseScript(text);
  if (read.script === null) return { program: null, problems: read.problems.slice(0, SCRIPT_LIMITS.problems) };
  const compiled = compileShaped(read.script, sandbox);
  return compiled.program === null
    ? { program: null, problems: compiled.problems.map(locate).sort((a, b) => a.line - b.line || a.column - b.column) }
    : compiled;
}

/** Compiles a value as a script, such as a call's argument. Attacker-controlled. */
export function compileScript(value: unknown, sandbox: Sandbox): Compiled {
  const wrong = shapeProblems(value);
  return wrong.length > 0
    ? { program: null, problems: wrong.slice(0, SCRIPT_LIMITS.problems) }
    : compileShaped(value as Script, sandbox);
}

function compileShaped(script: Script, sandbox: Sandbox): Compiled {
  const options = optionsOf(script);
  const expansion = new Expansion(sandbox);
  const operations = expansion.expand(script.operations, '/operations');
  const cleanup = expansion.expand(script.cleanup ?? [], '/cleanup');
  const bindings = [
    captureProblems([...operations, ...cleanup], sandbox),
    ...[operations, cleanup].map((flat) => labelsOf(flat).problems),
  ].flat();
  const steps = new StepCompiler(sandbox, options);
  const program = {
    steps: steps.compile(operations),
    cleanup: steps.compile(cleanup),
    options,
    effects: steps.effects.all(),
  };
  const problems = distinct([
    ...expansion.problems,
    ...optionProblems(script, options),
    ...bindings,
    ...steps.problems,
  ]);
  return problems.length > 0
    ? { program: null, problems: problems.slice(0, SCRIPT_LIMITS.problems) }
    : { program, problems: [] };
}

/** The items of a loop tend to have the same problem. */
function distinct(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((problem) => [`${problem.pointer} ${problem.message}`, problem])).values()];
}

function optionProblems(
  { cleanup }: Script,
  { failureMode, stepTimeoutMs, scriptTimeoutMs, retryDelayMs }: ScriptOptions,
): Problem[] {
  const long = (name: string, ms: number): Problem[] =>
    ms > STEP_TIMEOUT_MS_MAX ? [problemAt(`/options/${name}`, 'is more than an hour')] : [];
  const none = (name: string, ms: number): Problem[] =>
    ms === 0 ? [problemAt(`/options/${name}`, 'leaves no time')] : [];
  return [
    ...(cleanup !== undefined && cleanup.length > 0 && failureMode !== 'StopAndCleanup'
      ? [problemAt('/cleanup', 'never runs: it needs the failure mode `StopAndCleanup`')]
      : []),
    ...long('stepTimeout', stepTimeoutMs),
    ...long('scriptTimeout', scriptTimeoutMs),
    ...long('retryDelay', retryDelayMs),
    ...none('stepTimeout', stepTimeoutMs),
    ...none('scriptTimeout', scriptTimeoutMs),
  ];
}

class StepCompiler {
  readonly problems: Problem[] = [];
  readonly effects: EffectsFound;
  readonly #sandbox: Sandbox;
  readonly #options: ScriptOptions;
  /** Names in upper case that the steps so far set. */
  readonly #captures = new Set<string>();
  /** Captures whose value is the output of a process, or derived from it. */
  readonly #tainted = new Set<string>();
  readonly #conditions = new Map<WrittenCondition, Condition>();

  constructor(sandbox: Sandbox, options: ScriptOptions) {
    this.#sandbox = sandbox;
    this.#options = options;
    this.effects = new EffectsFound(sandbox);
  }

  compile(flat: readonly Flat[]): Step[] {
    const { targets } = labelsOf(flat);
    return flat.map((one, n) => this.#step(one, targets[n] ?? null));
  }

  #step(flat: Flat, goto: number | null): Step {
    const { operation, verb, pointer } = flat;
    const conditions = flat.conditions.map((condition) => this.#condition(condition));
    const args = flat.args.map((arg, n) => this.#text(arg, flat.argPointer(n)));
    const source =
      operation.template === undefined ? null : this.#text(operation.template.source, `${pointer}/template/source`);
    const { match, problems } =
      verb.effect === 'process' ? commandOf(flat, args, this.#sandbox) : { match: null, problems: [] };
    const wrong = argumentProblems(flat, args, this.#sandbox);
    this.problems.push(
      ...(wrong.length > 0 ? wrong : checkProblems(flat, args, this.#sandbox)),
      ...fieldProblems(flat, source, this.#sandbox),
      ...problems,
      ...this.#taintProblems(flat, args),
      ...timeoutProblems(flat),
    );
    this.effects.addStep(flat, args, source, match);
    this.#capture(flat, [...args, ...(source === null ? [] : [source])]);
    return {
      verb,
      pointer,
      args,
      conditions,
      goto,
      label: operation.label ?? null,
      captureAs: operation.captureAs?.toUpperCase() ?? null,
      attempts: (operation.maxRetries ?? this.#options.maxRetries) + 1,
      timeoutMs: parseTimeSpan(operation.stepTimeout ?? '') ?? this.#options.stepTimeoutMs,
      template: source === null ? null : { source, values: new Map(Object.entries(operation.template?.values ?? {})) },
      patches: operation.patches ?? [],
    };
  }

  #text(source: string, pointer: string): Text {
    const text = readText(source, this.#sandbox, this.#captures);
    if (!this.#options.pipeStepOutput && text.some((part) => 'prev' in part))
      this.problems.push(problemAt(pointer, '`$PREV` has a value only with the option `pipeStepOutput`'));
    return text;
  }

  #condition(written: WrittenCondition): Condition {
    const known = this.#conditions.get(written);
    if (known !== undefined) return known;
    const {
      predicate: { kind, args = [] },
      pointer,
    } = written;
    const texts = args.map((arg, n) => this.#text(arg, `${pointer}/args/${n}`));
    this.problems.push(...predicateProblems(written, texts, this.#sandbox, this.#captures));
    if (kind === 'FileExists' || kind === 'DirExists')
      this.effects.addPredicatePath(texts[0] ?? [], `${pointer}/args/0`);
    const condition = { kind, args: texts };
    this.#conditions.set(written, condition);
    return condition;
  }

  #taintProblems({ verb, argPointer }: Flat, args: readonly Text[]): Problem[] {
    if (verb.effect !== 'process') return [];
    return args.flatMap((text, n) =>
      text.flatMap((part): Problem[] => {
        if ('prev' in part) return [problemAt(argPointer(n), '`$PREV` can be no part of a command')];
        return 'capture' in part && this.#tainted.has(part.capture)
          ? [
              problemAt(
                argPointer(n),
                `\`$${part.capture}\` holds output of a process, which can be no part of a command`,
              ),
            ]
          : [];
      }),
    );
  }

  #capture({ operation, verb }: Flat, texts: readonly Text[]): void {
    const name = operation.captureAs?.toUpperCase();
    if (name === undefined) return;
    this.#captures.add(name);
    if (
      verb.effect === 'process' ||
      texts.some((text) => text.some((part) => 'capture' in part && this.#tainted.has(part.capture)))
    )
      this.#tainted.add(name);
  }
}

function timeoutProblems({ operation: { stepTimeout }, pointer }: Flat): Problem[] {
  const ms = stepTimeout === undefined ? 1 : (parseTimeSpan(stepTimeout) ?? 1);
  return ms === 0 || ms > STEP_TIMEOUT_MS_MAX
    ? [problemAt(`${pointer}/stepTimeout`, ms === 0 ? 'leaves no time' : 'is more than an hour')]
    : [];
}
