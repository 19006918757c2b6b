// SPDX-License-Identifier: Apache-2.0
//
// Scripts mutated from other scripts: by structure, so that most pass the parser, and by text, so that some don't.
import { VERBS, type Verb } from '@writ/mk8-shell';
import type { SeededRandom } from './seeded-random.ts';
import { OTHERS, PIECES, WORDS } from './hostile-texts.ts';

/** Longer inputs only slow the others down; a benchmark has the longest. */
export const INPUT_CHARS_MAX = 200_000;
const VERB_LIST: readonly Verb[] = [...VERBS.values()];
const PREDICATES = [
  'PrevContains',
  'PrevEmpty',
  'PrevMatch',
  'PrevLineCount',
  'CaptureEmpty',
  'CaptureContains',
  'EnvEquals',
  'FileExists',
  'DirExists',
  'Nothing',
] as const;

type Container = unknown[] | Record<string, unknown>;
interface Place {
  readonly of: Container;
  readonly key: string | number;
}

/** A new input from a kept one, with parts of another. */
export function mutated(text: string, other: string, chance: SeededRandom): string {
  const value = chance.oneIn(5) ? undefined : parsed(text);
  const changed = value === undefined ? textually(text, other, chance) : structurally(value, other, chance);
  return changed.slice(0, INPUT_CHARS_MAX);
}

function parsed(text: string): Container | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Container) : undefined;
  } catch {
    return undefined;
  }
}

function structurally(value: Container, other: string, chance: SeededRandom): string {
  const root: Container = { root: value };
  for (let left = 1 + chance.below(4); left > 0; left--) changeOne(root, other, chance);
  return JSON.stringify(root['root']) ?? 'null';
}

function changeOne(root: Record<string, unknown>, other: string, chance: SeededRandom): void {
  const places = placesIn(root);
  if (places.length === 0) return;
  const place = chance.pick(places);
  const change = chance.pick(CHANGES);
  change(place, places, chance, other);
}

type Change = (place: Place, places: readonly Place[], chance: SeededRandom, other: string) => void;

const CHANGES: readonly Change[] = [
  (place, _, chance) => {
    set(place, chance.pick(WORDS));
  },
  (place, _, chance) => {
    set(place, changedText(get(place), chance));
  },
  (place, _, chance) => {
    set(place, changedText(get(place), chance));
  },
  (place, _, chance) => {
    set(place, anOperation(chance));
  },
  (place, _, chance) => {
    insert(place, anOperation(chance));
  },
  (place, _, chance) => {
    insert(place, anOperation(chance));
  },
  (place, _, chance) => {
    insert(place, chance.pick(WORDS));
  },
  (place) => {
    remove(place);
  },
  (place, places, chance) => {
    set(place, structuredClone(get(chance.pick(places))));
  },
  (place, _, chance, other) => {
    const from = parsed(other);
    if (from !== undefined) set(place, structuredClone(get(chance.pick(placesIn({ root: from })))));
  },
  (place, places, chance) => {
    if (chance.oneIn(6)) multiply(places, chance);
    else remove(place);
  },
  (place, _, chance) => {
    for (let left = 2 ** chance.below(chance.oneIn(8) ? 12 : 4); left > 0; left--) insert(place, get(place));
  },
  (place, _, chance) => {
    set(place, wrapped(get(place), chance));
  },
  (place, _, chance) => {
    addField(get(place), chance);
  },
  (place, _, chance) => {
    addField(get(place), chance);
  },
  (place, _, chance) => {
    set(place, structuredClone(chance.pick(OTHERS)));
  },
];

function placesIn(root: Container): Place[] {
  const places: Place[] = [];
  const waiting: Container[] = [root];
  for (let of = waiting.pop(); of !== undefined && places.length < 20_000; of = waiting.pop()) {
    for (const key of Array.isArray(of) ? of.keys() : Object.keys(of)) {
      places.push({ of, key });
      const inner = get({ of, key });
      if (typeof inner === 'object' && inner !== null) waiting.push(inner as Container);
    }
  }
  return places;
}

const get = ({ of, key }: Place): unknown => (of as Record<string | number, unknown>)[key];

/** Sets an own member with any name, `__proto__` too. */
function set({ of, key }: Place, value: unknown): void {
  Object.defineProperty(of, key, { value, enumerable: true, configurable: true, writable: true });
}

function insert({ of, key }: Place, value: unknown): void {
  if (Array.isArray(of) && of.length < 4_096) of.splice(Number(key), 0, value);
}

function remove({ of, key }: Place): void {
  if (Array.isArray(of)) of.splice(Number(key), 1);
  else Reflect.deleteProperty(of, key);
}

/** More of one operation than a script may have, or than problems are reported. */
function multiply(places: readonly Place[], chance: SeededRandom): void {
  const operations = places.filter(
    (place) =>
      Array.isArray(place.of) &&
      typeof get(place) === 'object' &&
      get(place) !== null &&
      'verb' in (get(place) as object),
  );
  if (operations.length === 0) return;
  const place = chance.pick(operations);
  for (let left = 200 + chance.below(1_000); left > 0; left--) insert(place, get(place));
}

/** A verb with its number of arguments, most of them hostile; sometimes another number. */
function anOperation(chance: SeededRandom): Record<string, unknown> {
  const verb = chance.pick(VERB_LIST);
  if (chance.oneIn(3)) return structuredClone(verb.example.operation) as unknown as Record<string, unknown>;
  const count = Math.max(
    0,
    verb.min + chance.below(Math.min(3, verb.max - verb.min + 1)) + (chance.oneIn(12) ? chance.below(3) - 1 : 0),
  );
  const example = verb.example.operation.args ?? [];
  const operation: Record<string, unknown> = {
    verb: chance.oneIn(20) ? verb.name.toLowerCase() : verb.name,
    args: Array.from({ length: count }, (_, n) =>
      chance.oneIn(2) && example[n] !== undefined ? example[n] : chance.pick(WORDS),
    ),
  };
  if (verb.name === 'ForEach' || verb.name === 'If') return wrapped(anOperation(chance), chance);
  return operation;
}

function wrapped(inner: unknown, chance: SeededRandom): Record<string, unknown> {
  return chance.oneIn(2)
    ? {
        verb: 'ForEach',
        forEach: {
          items: Array.from({ length: 1 + chance.below(chance.oneIn(10) ? 300 : 4) }, () => chance.pick(WORDS)),
          body: inner,
        },
      }
    : {
        verb: 'If',
        if: {
          predicate: {
            kind: chance.pick(PREDICATES),
            args: Array.from({ length: chance.below(3) }, () => chance.pick(WORDS)),
          },
          then: inner,
        },
      };
}

function addField(to: unknown, chance: SeededRandom): void {
  if (typeof to !== 'object' || to === null || Array.isArray(to)) return;
  const [name, value] = chance.pick(FIELDS)(chance);
  set({ of: to as Container, key: name }, value);
}

const FIELDS: readonly ((chance: SeededRandom) => readonly [string, unknown])[] = [
  (chance) => ['captureAs', chance.oneIn(3) ? chance.pick(WORDS) : `C${chance.below(20)}`],
  (chance) => ['label', chance.oneIn(3) ? chance.pick(WORDS) : `l${chance.below(4)}`],
  (chance) => ['onFailure', chance.oneIn(3) ? chance.pick(WORDS) : `goto:l${chance.below(4)}`],
  (chance) => ['maxRetries', chance.pick([0, 1, 10, 11, -1, 0.5, '1'])],
  (chance) => ['stepTimeout', chance.pick(['00:00:01', '00:00:00', '01:00:01', '1', 5])],
  (chance) => [
    'template',
    { source: chance.pick(WORDS), values: { KEY: chance.pick(WORDS), [chance.pick(WORDS)]: chance.pick(WORDS) } },
  ],
  (chance) => ['patches', [{ find: chance.pick(WORDS), replace: chance.pick(WORDS) }]],
  (chance) => ['cleanup', [anOperation(chance)]],
  (chance) => [
    'options',
    {
      pipeStepOutput: chance.oneIn(2),
      failureMode: chance.pick(['StopAndCleanup', 'ContinueOnError', 'StopOnFirstError', 'x']),
      scriptTimeout: chance.pick(['00:01:00', '00:00:00', '02:00:00']),
      maxOutputBytes: chance.pick([1, 0, 16_777_216, 16_777_217]),
    },
  ],
  (chance) => [chance.pick(WORDS), chance.pick(WORDS)],
];

function changedText(value: unknown, chance: SeededRandom): unknown {
  if (typeof value !== 'string') return chance.pick(WORDS);
  const at = chance.below(value.length + 1);
  switch (chance.below(7)) {
    case 0:
      return value.slice(0, at) + chance.pick(WORDS) + value.slice(at);
    case 1:
      return chance.pick(WORDS) + value;
    case 2:
      return value + chance.pick(WORDS);
    case 3:
      return value.slice(0, at) + value.slice(at + 1 + chance.below(4));
    case 4:
      return (
        value.slice(0, at) +
        String.fromCharCode(chance.below(chance.oneIn(2) ? 128 : 65_536)) +
        value.slice(at + chance.below(2))
      );
    case 5:
      return value.repeat(2 ** chance.below(chance.oneIn(8) ? 10 : 4)).slice(0, 20_000);
    default:
      return chance.oneIn(2) ? value.toUpperCase() : value.normalize('NFD');
  }
}

function textually(text: string, other: string, chance: SeededRandom): string {
  let changed = text;
  for (let left = 1 + chance.below(3); left > 0; left--) {
    const [from, to] = [chance.below(changed.length + 1), chance.below(changed.length + 1)].sort((a, b) => a - b) as [
      number,
      number,
    ];
    const near = Math.min(to, from + 16);
    switch (chance.below(6)) {
      case 0:
        changed = changed.slice(0, from) + changed.slice(near);
        break;
      case 1:
        changed = changed.slice(0, from) + chance.pick(PIECES) + changed.slice(from);
        break;
      case 2:
        changed =
          changed.slice(0, from) +
          String.fromCharCode(chance.below(chance.oneIn(2) ? 128 : 65_536)) +
          changed.slice(from + 1);
        break;
      case 3:
        changed = changed.slice(0, to) + changed.slice(from, to).repeat(1 + chance.below(3)) + changed.slice(to);
        break;
      case 4:
        changed = changed.slice(0, from) + other.slice(chance.below(other.length + 1));
        break;
      default:
        changed = changed.slice(0, from) + chance.pick(PIECES).repeat(1 + chance.below(64)) + changed.slice(from);
    }
  }
  return changed;
}
