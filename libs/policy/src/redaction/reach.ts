// SPDX-License-Identifier: Apache-2.0
//
// Where a pointer leads by a JSON Schema, which a tenant wrote. Only what the schema says for sure counts as `never`.
import { nameOfToken, type PointerStep } from '@writ/contract';

/**
 * Whether something can be at a pointer: `declared` by the schema; `open` where it doesn't restrict what is there;
 * `undeclared` where it names other members, and doesn't exclude this one; `never` where it does.
 */
export type Reach = (typeof ORDER)[number];
const ORDER = ['never', 'undeclared', 'open', 'declared'] as const;

type Schema = Readonly<Record<string, unknown>>;

/** Limit on the schemas that are looked at for one pointer; beyond it nothing is known. */
const STEPS_MAX = 2_000;

/** What the schema says of a place. Total: of a schema that it can't follow it says `open`. */
export function reachOf(schema: unknown, steps: readonly PointerStep[]): Reach {
  return new Walk(schema).at(schema, steps);
}

const rank = (reach: Reach): number => ORDER.indexOf(reach);
const most = (all: readonly Reach[]): Reach => all.reduce((a, b) => (rank(a) >= rank(b) ? a : b), 'never');
/** Of several schemas that all hold: what one excludes is excluded, else what one declares is declared. */
const together = (all: readonly Reach[]): Reach =>
  (['never', 'declared', 'undeclared'] as const).find((reach) => all.includes(reach)) ?? 'open';

class Walk {
  readonly #root: unknown;
  #left = STEPS_MAX;

  constructor(root: unknown) {
    this.#root = root;
  }

  at(schema: unknown, steps: readonly PointerStep[]): Reach {
    this.#left -= 1;
    if (schema === false) return 'never';
    if (this.#left < 0 || !isSchema(schema)) return 'open';
    const parts: Reach[] = [this.#own(schema, steps)];
    if (typeof schema['$ref'] === 'string') parts.push(this.at(this.#target(schema['$ref']), steps));
    if (Array.isArray(schema['allOf'])) parts.push(...schema['allOf'].map((each) => this.at(each, steps)));
    for (const choice of [schema['anyOf'], schema['oneOf']])
      if (Array.isArray(choice)) parts.push(most(choice.map((each) => this.at(each, steps))));
    return together(parts);
  }

  /** By the keywords of the schema itself. */
  #own(schema: Schema, steps: readonly PointerStep[]): Reach {
    const [step] = steps;
    if (step === undefined) return 'declared';
    const rest = steps.slice(1);
    const values = 'const' in schema ? [schema['const']] : schema['enum'];
    if (Array.isArray(values) && !values.some((value) => typeof value === 'object' && value !== null)) return 'never';
    const ways = [
      ...(mayBe(schema, 'object') ? [this.#inObject(schema, step, rest)] : []),
      ...(mayBe(schema, 'array') ? [this.#inList(schema, step, rest)] : []),
    ];
    return most(ways);
  }

  #inObject(schema: Schema, step: PointerStep, rest: readonly PointerStep[]): Reach {
    const properties = isSchema(schema['properties']) ? schema['properties'] : {};
    const patterns = isSchema(schema['patternProperties']) ? Object.values(schema['patternProperties']) : [];
    const names = Object.keys(properties);
    const name = names.find((each) => each.normalize('NFC') === step);
    if (name !== undefined) return this.at(properties[name], rest);
    const others = [
      ...patterns.map((each) => this.at(each, rest)),
      this.#others(schema['additionalProperties'], names.length + patterns.length > 0, rest),
    ];
    return step === null ? most([...others, ...names.map((each) => this.at(properties[each], rest))]) : most(others);
  }

  #inList(schema: Schema, step: PointerStep, rest: readonly PointerStep[]): Reach {
    if (step !== null && !/^\d+$/.test(step)) return 'never';
    const first = Array.isArray(schema['prefixItems']) ? (schema['prefixItems'] as unknown[]) : [];
    const items = this.#others(schema['items'], false, rest);
    if (step === null) return most([items, ...first.map((each) => this.at(each, rest))]);
    return Number(step) < first.length ? this.at(first[Number(step)], rest) : items;
  }

  /** @param closes whether members are declared beside, so that one that isn't is probably misspelt */
  #others(schema: unknown, closes: boolean, rest: readonly PointerStep[]): Reach {
    if (schema === undefined) return closes ? 'undeclared' : 'open';
    return schema === true ? 'open' : this.at(schema, rest);
  }

  /** The schema that a reference within the document leads to. */
  #target(reference: string): unknown {
    if (!reference.startsWith('#/')) return reference === '#' ? this.#root : undefined;
    let at: unknown = this.#root;
    for (const part of reference.slice(2).split('/')) {
      const name = nameOfToken(part);
      if (!isSchema(at) && !Array.isArray(at)) return undefined;
      at = Object.hasOwn(at, name) ? (at as Schema)[name] : undefined;
    }
    return at;
  }
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function mayBe({ type }: Schema, name: 'object' | 'array'): boolean {
  if (typeof type === 'string') return type === name;
  return !Array.isArray(type) || type.includes(name);
}
