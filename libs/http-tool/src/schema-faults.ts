// SPDX-License-Identifier: Apache-2.0
//
// Checks arguments against the schema of a tool (JSON Schema 2020-12) by interpreting it. Both are untrusted.
// INVARIANT (bounded): each schema that is applied, and each part of a value that is looked at, counts before the work
// is done, whether it fits or not. A check ends after the steps that the caller allows.
// INVARIANT (linear time): RE2 matches the expressions of a tenant. V8's engine never gets one.
// INVARIANT (no value): a message repeats no part of the value, which may be a secret.
import type { JsonSchemaText } from '@writ/contract';
import { canonicalJson, type JsonValue } from '@writ/digest';
import { RE2JS } from 're2js';
import { pointerOf } from './request-error.ts';
import { isObject, referredSchema } from './schema-keywords.ts';

/** A problem of the arguments. */
export interface ArgumentFault {
  /** JSON pointer (RFC 6901) into the arguments; empty for the whole */
  readonly pointer: string;
  readonly message: string;
}

/** More is of no use to a caller. */
const FAULTS_MAX = 32;
/** A schema that refers to itself without going deeper into the value ends here. */
const DEPTH_MAX = 256;
/** Characters of a text that are counted, compared or written in one step. */
const CHARS_PER_STEP = 32;
/** Instructions times characters of a match that count as one step. */
const MATCH_PER_STEP = 16;
/** The steps of compiling the largest expression. */
const COMPILE_STEPS = 500;

class StepsUsed extends Error {}

type Node = Readonly<Record<string, unknown>>;

/**
 * The problems of a value by a schema that `verifySchema` accepted; null where the check took more steps than allowed:
 * then nothing is known.
 * @param stepsMax a step takes about a microsecond
 */
export function schemaFaults(schema: JsonSchemaText, value: unknown, stepsMax: number): readonly ArgumentFault[] | null {
  const faults: ArgumentFault[] = [];
  try {
    new Check(schema, stepsMax).visit(schema, value, { pointer: '', depth: 0, faults });
    return faults;
  } catch (error) {
    if (error instanceof StepsUsed) return null;
    throw error;
  }
}

/** Where a schema is applied. `faults` null: only the answer counts, and the first problem ends it. */
interface At {
  readonly pointer: string;
  readonly depth: number;
  readonly faults: ArgumentFault[] | null;
}

class Check {
  readonly #root: JsonSchemaText;
  #left: number;

  constructor(root: JsonSchemaText, stepsMax: number) {
    this.#root = root;
    this.#left = stepsMax;
  }

  /** Whether the value fits. */
  visit(schema: unknown, value: unknown, at: At): boolean {
    this.#count(1);
    if (at.depth > DEPTH_MAX) throw new StepsUsed();
    if (typeof schema === 'boolean') return schema || fail(at, 'is not known here');
    const node = schema as Node;
    const parts = [
      () => this.#type(node, value, at),
      () => this.#values(node, value, at),
      () => typeof value !== 'number' || numberFits(node, value, at),
      () => typeof value !== 'string' || this.#text(node, value, at),
      () => !Array.isArray(value) || this.#list(node, value, at),
      () => !isObject(value) || this.#object(node, value, at),
      () => this.#combined(node, value, at),
    ];
    return every(parts, (part) => part(), at);
  }

  #count(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new StepsUsed();
  }

  #type({ type }: Node, value: unknown, at: At): boolean {
    if (type === undefined) return true;
    const types = [type].flat() as unknown[];
    return types.some((one) => isOfType(one, value)) || fail(at, `is to be of the type ${types.join(' or ')}`);
  }

  #values(node: Node, value: unknown, at: At): boolean {
    if (Object.hasOwn(node, 'const') && !this.#equal(node['const'], value))
      return fail(at, `is to be ${shown(node['const'])}`);
    const choices = node['enum'] as readonly unknown[] | undefined;
    if (choices === undefined || choices.some((one) => this.#equal(one, value))) return true;
    return fail(at, `is to be one of ${choices.slice(0, 16).map(shown).join(', ')}${choices.length > 16 ? ', …' : ''}`);
  }

  /** Equality as JSON Schema has it: of values, whatever the order of members. */
  #equal(one: unknown, other: unknown): boolean {
    this.#count(1 + (typeof one === 'string' ? Math.floor(one.length / CHARS_PER_STEP) : 0));
    if (one === other) return true;
    if (Array.isArray(one) && Array.isArray(other))
      return one.length === other.length && one.every((each, n) => this.#equal(each, other[n]));
    if (!isObject(one) || !isObject(other)) return false;
    const names = Object.keys(one);
    this.#count(names.length);
    return (
      names.length === Object.keys(other).length &&
      names.every((name) => Object.hasOwn(other, name) && this.#equal(one[name], other[name]))
    );
  }

  #text(node: Node, value: string, at: At): boolean {
    const { minLength, maxLength, pattern } = node as { minLength?: number; maxLength?: number; pattern?: string };
    if (minLength !== undefined || maxLength !== undefined) {
      this.#count(Math.floor(value.length / CHARS_PER_STEP));
      let length = 0;
      // JSON Schema counts characters of Unicode.
      for (const _character of value) length += 1;
      if (minLength !== undefined && length < minLength) return fail(at, `is to have at least ${minLength} characters`);
      if (maxLength !== undefined && length > maxLength) return fail(at, `is to have at most ${maxLength} characters`);
    }
    if (pattern === undefined) return true;
    const { expression, size } = this.#expression(node, pattern);
    this.#count(Math.floor((value.length * size) / MATCH_PER_STEP));
    return expression.test(value) || fail(at, `is to match \`${pattern}\``);
  }

  #expression(node: Node, pattern: string): Expression {
    const known = expressions.get(node);
    if (known !== undefined) return known;
    this.#count(COMPILE_STEPS);
    const expression = RE2JS.compile(pattern);
    const made = { expression, size: expression.programSize() };
    expressions.set(node, made);
    return made;
  }

  #list(node: Node, value: readonly unknown[], at: At): boolean {
    const first = (node['prefixItems'] ?? []) as readonly unknown[];
    const rest = node['items'];
    return (
      boundsFit(node, ['minItems', 'maxItems', 'items'], value.length, at) &&
      this.#isUnique(node, value, at) &&
      this.#contains(node, value, at) &&
      every(
        value.keys(),
        (n) => {
          const schema = n < first.length ? first[n] : rest;
          return schema === undefined || this.visit(schema, value[n], below(at, String(n)));
        },
        at,
      )
    );
  }

  #isUnique({ uniqueItems }: Node, value: readonly unknown[], at: At): boolean {
    if (uniqueItems !== true) return true;
    const seen = new Set<string>();
    for (const item of value) {
      const text = canonicalJson(item as JsonValue);
      this.#count(1 + Math.floor(text.length / CHARS_PER_STEP));
      seen.add(text);
    }
    return seen.size === value.length || fail(at, 'is to have no item twice');
  }

  #contains(node: Node, value: readonly unknown[], at: At): boolean {
    const { contains, minContains = 1, maxContains } = node as {
      contains?: unknown;
      minContains?: number;
      maxContains?: number;
    };
    if (contains === undefined) return true;
    const found = value.filter((item) => this.visit(contains, item, silent(at))).length;
    if (found < minContains) return fail(at, `is to have at least ${minContains} items of a certain form`);
    return maxContains === undefined || found <= maxContains
      ? true
      : fail(at, `is to have at most ${maxContains} items of a certain form`);
  }

  #object(node: Node, value: Node, at: At): boolean {
    const names = Object.keys(value);
    this.#count(names.length);
    const { properties = {}, additionalProperties, propertyNames } = node as {
      properties?: Node;
      additionalProperties?: unknown;
      propertyNames?: unknown;
    };
    return (
      boundsFit(node, ['minProperties', 'maxProperties', 'members'], names.length, at) &&
      this.#names(node, value, at) &&
      every(
        names,
        (name) => {
          const schema = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
          const isNamed = propertyNames === undefined || this.visit(propertyNames, name, below(at, name));
          return (schema === undefined || this.visit(schema, value[name], below(at, name))) && isNamed;
        },
        at,
      )
    );
  }

  /** Members that are to be there, and what depends on members that are there. */
  #names(node: Node, value: Node, at: At): boolean {
    const { required = [], dependentRequired = {}, dependentSchemas = {} } = node as {
      required?: readonly string[];
      dependentRequired?: Readonly<Record<string, readonly string[]>>;
      dependentSchemas?: Node;
    };
    const dependent = Object.entries(dependentRequired).filter(([name]) => Object.hasOwn(value, name));
    const wanted = [...required, ...dependent.flatMap(([, names]) => names)];
    this.#count(wanted.length);
    const missing = wanted.filter((name) => !Object.hasOwn(value, name));
    if (missing.length > 0) return fail(at, `lacks ${missing.slice(0, 16).map(shown).join(', ')}`);
    return every(
      Object.entries(dependentSchemas).filter(([name]) => Object.hasOwn(value, name)),
      ([, schema]) => this.visit(schema, value, same(at)),
      at,
    );
  }

  #combined(node: Node, value: unknown, at: At): boolean {
    const { $ref, allOf = [], anyOf, oneOf, not } = node as {
      $ref?: string;
      allOf?: readonly unknown[];
      anyOf?: readonly unknown[];
      oneOf?: readonly unknown[];
      not?: unknown;
    };
    const fits = (schema: unknown): boolean => this.visit(schema, value, silent(at));
    const all = [...($ref === undefined ? [] : [this.#referred($ref)]), ...allOf, ...this.#conditional(node, fits)];
    if (!every(all, (schema) => this.visit(schema, value, same(at)), at)) return false;
    if (anyOf !== undefined && !anyOf.some(fits)) return fail(at, 'fits none of the forms that it may have');
    if (oneOf !== undefined && oneOf.filter(fits).length !== 1)
      return fail(at, 'is to fit exactly one of the forms that it may have');
    return not === undefined || !fits(not) || fail(at, 'has a form that it must not have');
  }

  #conditional(node: Node, fits: (schema: unknown) => boolean): unknown[] {
    if (node['if'] === undefined) return [];
    const chosen = fits(node['if']) ? node['then'] : node['else'];
    return chosen === undefined ? [] : [chosen];
  }

  #referred(reference: string): unknown {
    this.#count(Math.floor(reference.length / CHARS_PER_STEP));
    return referredSchema(this.#root, reference) ?? false;
  }
}

interface Expression {
  readonly expression: RE2JS;
  readonly size: number;
}

/** Compiled expressions, by their schemas: those of a tool stay as long as its definition is cached. */
const expressions = new WeakMap<object, Expression>();

const below = ({ pointer, depth, faults }: At, name: string): At => ({
  pointer: faults === null ? '' : `${pointer}${pointerOf(name)}`,
  depth: depth + 1,
  faults,
});
const same = ({ pointer, depth, faults }: At): At => ({ pointer, depth: depth + 1, faults });
/** Of a choice only the whole is reported: branches that weren't meant would mislead. */
const silent = ({ depth }: At): At => ({ pointer: '', depth: depth + 1, faults: null });

function fail({ pointer, faults }: At, message: string): false {
  if (faults !== null && faults.length < FAULTS_MAX) faults.push({ pointer, message });
  return false;
}

/** Whether each fits. All problems are reported, up to their number; without a report the first one ends it. */
function every<T>(all: Iterable<T>, fits: (one: T) => boolean, { faults }: At): boolean {
  let isFitting = true;
  for (const one of all) {
    isFitting = fits(one) && isFitting;
    if (!isFitting && (faults === null || faults.length >= FAULTS_MAX)) return false;
  }
  return isFitting;
}

function isOfType(type: unknown, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  return type === 'null' ? value === null : typeof value === type;
}

function numberFits(node: Node, value: number, at: At): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = node as Record<string, number | undefined>;
  if (minimum !== undefined && value < minimum) return fail(at, `is to be at least ${minimum}`);
  if (maximum !== undefined && value > maximum) return fail(at, `is to be at most ${maximum}`);
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return fail(at, `is to be above ${exclusiveMinimum}`);
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) return fail(at, `is to be below ${exclusiveMaximum}`);
  if (multipleOf === undefined) return true;
  const times = value / multipleOf;
  // 19.99 is a multiple of 0.01, though their quotient in binary is none of 1.
  return Math.abs(times - Math.round(times)) <= Math.abs(times) * 2 ** -50
    ? true
    : fail(at, `is to be a multiple of ${multipleOf}`);
}

function boundsFit(node: Node, [min, max, what]: readonly [string, string, string], count: number, at: At): boolean {
  const [least, most] = [node[min] as number | undefined, node[max] as number | undefined];
  if (least !== undefined && count < least) return fail(at, `is to have at least ${least} ${what}`);
  return most === undefined || count <= most ? true : fail(at, `is to have at most ${most} ${what}`);
}

/** A value of the schema, which is no secret. */
function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return `\`${text.slice(0, 64)}${text.length > 64 ? '…' : ''}\``;
}
