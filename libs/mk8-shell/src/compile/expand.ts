// SPDX-License-Identifier: Apache-2.0
//
// Expands ForEach, If, Include and batches to operations.
// INVARIANT (bounded): expansion stops at the limit of operations, however fragments and loops multiply each other.
import { SCRIPT_LIMITS } from '../limits.ts';
import { problemAt, type Problem } from '../problem.ts';
import { VERBS } from '../registry/registry.ts';
import { arityOf, type Verb } from '../registry/verb.ts';
import type { Sandbox } from '../rules/sandbox.ts';
import type { Operation, PredicateSource } from '../script/script.ts';
import { substituted } from './text.ts';

/** A condition in its source form; all steps of one If share the object. */
export interface WrittenCondition {
  readonly predicate: PredicateSource;
  readonly pointer: string;
}

/** One operation of a script after control flow has been expanded. */
export interface Flat {
  readonly verb: Verb;
  readonly operation: Operation;
  readonly args: readonly string[];
  readonly pointer: string;
  /** Pointer of each argument. */
  readonly argPointer: (place: number) => string;
  readonly conditions: readonly WrittenCondition[];
}

interface SourcePosition {
  readonly pointer: string;
  readonly depth: number;
  readonly conditions: readonly WrittenCondition[];
  /** The verb whose body contains it; captures and labels would be set many times there. */
  readonly inLoop: boolean;
  readonly item: ((name: string) => string | undefined) | null;
  /** Fields of the operation around it, as defaults for its own. */
  readonly around: Pick<Operation, 'maxRetries' | 'stepTimeout' | 'onFailure'>;
  /** Set where operations come from outside of the script: all of their pointers are the Include's. */
  readonly fragment: string | null;
}

/** The single verb and group size of each batch verb. */
const BATCHES: Readonly<Record<string, readonly [single: string, size: number]>> = {
  FileWriteMany: ['FileWrite', 2],
  FileCopyMany: ['FileCopy', 2],
  FileDeleteMany: ['FileDelete', 1],
};

export class Expansion {
  readonly problems: Problem[] = [];
  readonly #sandbox: Sandbox;
  #count = 0;

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  /** The operations of one list, expanded. */
  expand(operations: readonly Operation[], pointer: string): Flat[] {
    return operations.flatMap((operation, n) =>
      this.#one(operation, {
        pointer: `${pointer}/${n}`,
        depth: 0,
        conditions: [],
        inLoop: false,
        item: null,
        around: {},
        fragment: null,
      }),
    );
  }

  #report(place: SourcePosition, where: string, message: string): never[] {
    this.problems.push(
      place.fragment === null
        ? problemAt(`${place.pointer}${where}`, message)
        : problemAt(place.pointer, `in the fragment \`${place.fragment}\`: ${message}`),
    );
    return [];
  }

  #one(written: Operation, place: SourcePosition): Flat[] {
    const verb = VERBS.get(written.verb);
    if (verb === undefined)
      return this.#report(place, '/verb', `there is no verb \`${written.verb.slice(0, 64)}\`${nearest(written.verb)}`);
    const item = place.item;
    const operation =
      item === null ? written : { ...written, args: written.args?.map((arg) => substituted(arg, item)) };
    const fault = [
      ...arityFaults(verb, operation),
      ...fieldFaults(verb, operation),
      ...(place.inLoop ? loopFaults(operation) : []),
    ];
    for (const [where, message] of fault) this.#report(place, where, message);
    if (fault.length > 0) return [];
    const inherited = { ...defined(place.around), ...operation };
    const isControl = verb.name === 'ForEach' || verb.name === 'If' || verb.name === 'Include';
    if (isControl && place.depth >= SCRIPT_LIMITS.nesting)
      return this.#report(
        place,
        '/verb',
        `ForEach, If and Include may stand ${SCRIPT_LIMITS.nesting} deep within each other`,
      );
    if (verb.name === 'ForEach') return this.#forEach(inherited, place);
    if (verb.name === 'If') return this.#if(inherited, place);
    if (verb.name === 'Include') return this.#include(inherited, place);
    return this.#plain(verb, inherited, place);
  }

  #forEach(operation: Operation, place: SourcePosition): Flat[] {
    const { items = [], body } = operation.forEach ?? {};
    if (place.inLoop || body === undefined) return this.#report(place, '/verb', "a ForEach can't stand in a ForEach");
    const flat = items.flatMap((value, index) =>
      this.#one(body, {
        ...place,
        pointer: this.#inner(place, '/forEach/body'),
        depth: place.depth + 1,
        inLoop: true,
        around: aroundOf(operation),
        item: (name) => (name === 'ITEM' ? value : name === 'INDEX' ? String(index) : undefined),
      }),
    );
    return labelled(flat, operation);
  }

  #if(operation: Operation, place: SourcePosition): Flat[] {
    if (operation.if === undefined) return [];
    const { predicate, then } = operation.if;
    const { item } = place;
    const condition = {
      predicate:
        item === null ? predicate : { ...predicate, args: predicate.args?.map((arg) => substituted(arg, item)) },
      pointer: this.#inner(place, '/if/predicate'),
    };
    const inner = {
      ...place,
      pointer: this.#inner(place, '/if/then'),
      depth: place.depth + 1,
      conditions: [...place.conditions, condition],
      around: aroundOf(operation),
    };
    if (operation.captureAs !== undefined && then.captureAs !== undefined)
      return this.#report(place, '/captureAs', 'If and the operation in it both have one');
    const flat = this.#one(
      operation.captureAs === undefined ? then : { ...then, captureAs: operation.captureAs },
      inner,
    );
    return labelled(flat, operation);
  }

  #include(operation: Operation, place: SourcePosition): Flat[] {
    const [id = ''] = operation.args ?? [];
    const fragment = this.#sandbox.fragments.get(id);
    if (fragment === undefined) return this.#report(place, '/args/0', `there is no fragment \`${id.slice(0, 64)}\``);
    const flat = fragment.flatMap((inner) =>
      this.#one(inner, {
        ...place,
        depth: place.depth + 1,
        around: aroundOf(operation),
        fragment: place.fragment ?? id,
      }),
    );
    return labelled(flat, operation);
  }

  #plain(verb: Verb, operation: Operation, place: SourcePosition): Flat[] {
    const args = operation.args ?? [];
    const [name, size] = BATCHES[verb.name] ?? [verb.name, Math.max(1, args.length)];
    const single = VERBS.get(name) ?? verb;
    const parts =
      size >= args.length
        ? [args]
        : Array.from({ length: args.length / size }, (_, n) => args.slice(n * size, (n + 1) * size));
    this.#count += parts.length;
    if (this.#count > SCRIPT_LIMITS.operations) {
      const isTold = this.#count - parts.length > SCRIPT_LIMITS.operations;
      return isTold
        ? []
        : this.#report(
            place,
            '',
            `from here on it is more than ${SCRIPT_LIMITS.operations} operations, once everything is expanded`,
          );
    }
    const flat = parts.map((own, n): Flat => ({
      verb: single,
      args: own,
      pointer: place.pointer,
      conditions: place.conditions,
      argPointer: (at) => (place.fragment === null ? `${place.pointer}/args/${n * size + at}` : place.pointer),
      // The output of a batch is that of its last part.
      operation: {
        ...operation,
        label: undefined,
        captureAs: n === parts.length - 1 ? operation.captureAs : undefined,
      },
    }));
    return labelled(flat, operation);
  }

  #inner = ({ fragment, pointer }: SourcePosition, below: string): string =>
    fragment === null ? `${pointer}${below}` : pointer;
}

const aroundOf = ({ maxRetries, stepTimeout, onFailure }: Operation): SourcePosition['around'] => ({
  maxRetries,
  stepTimeout,
  onFailure,
});
const defined = (fields: SourcePosition['around']): SourcePosition['around'] =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** The label of an expanded operation is the label of its first step. */
function labelled(flat: Flat[], { label }: Operation): Flat[] {
  const [first, ...rest] = flat;
  return first === undefined || label === undefined
    ? flat
    : [{ ...first, operation: { ...first.operation, label } }, ...rest];
}

type Fault = readonly [where: string, message: string];

function arityFaults(verb: Verb, { args }: Operation): Fault[] {
  const count = args?.length ?? 0;
  if (args === undefined && verb.min > 0) return [['', `${verb.name} needs \`args\`: ${arityOf(verb)}`]];
  if (count < verb.min || count > verb.max)
    return [['/args', `${verb.name} takes ${arityOf(verb)} arguments, and has ${count}`]];
  return verb.pairs && count % 2 === 1
    ? [['/args', `${verb.name} takes its arguments in pairs, and has ${count}`]]
    : [];
}

const FIELDS = [
  ['template', 'FileTemplate'],
  ['patches', 'FilePatch'],
  ['forEach', 'ForEach'],
  ['if', 'If'],
] as const;

function fieldFaults(verb: Verb, operation: Operation): Fault[] {
  return FIELDS.flatMap(([field, owner]): Fault[] => {
    if (verb.name === owner) return operation[field] === undefined ? [['', `${owner} needs \`${field}\``]] : [];
    return operation[field] === undefined ? [] : [[`/${field}`, `\`${field}\` belongs to ${owner}`]];
  }).concat(
    (verb.name === 'ForEach' || verb.name === 'Include') && operation.captureAs !== undefined
      ? [['/captureAs', `${verb.name} has no output of its own; capture that of an operation`]]
      : [],
  );
}

const loopFaults = ({ label, captureAs }: Operation): Fault[] => [
  ...(label === undefined
    ? []
    : [['/label', 'there can be no label in a ForEach: it would be set many times'] as const]),
  ...(captureAs === undefined
    ? []
    : [['/captureAs', 'there can be no capture in a ForEach: it would be set many times'] as const]),
];

/** A verb that differs from the written one only by case or an ending. */
function nearest(name: string): string {
  const lower = name.toLowerCase();
  const found =
    [...VERBS.keys()].find((known) => known.toLowerCase() === lower) ??
    [...VERBS.keys()].find((known) => lower.length > 3 && known.toLowerCase().startsWith(lower));
  return found === undefined ? '' : `; did you mean \`${found}\`?`;
}
