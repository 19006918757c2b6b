// SPDX-License-Identifier: Apache-2.0
//
// Checks a value against the schema of a tenant (JSON Schema 2020-12) by interpreting it. Both are untrusted.
// INVARIANT (no code of a tenant): a schema is never compiled to code.
// INVARIANT (bounded): each schema that is applied, and each part of a value that is looked at, counts as steps,
// whether it fits or not. A check ends after the steps that the caller allows.
// INVARIANT (linear time): RE2 matches the expressions of a tenant. V8's engine never gets one.
// INVARIANT (no value): a message repeats no part of the value, which may be a secret.
import { didYouMean, pointerOf, type JsonSchemaText } from '@writ/contract';
import { canonicalJson, type JsonValue } from '@writ/digest';
import { isMultipleOf } from './decimal.ts';
import { formText, shortList, shown } from './fault-words.ts';
import { isObject, referredSchema } from './keywords.ts';
import { expressionOf, type Expression } from './pattern.ts';
import { Steps, StepsUsed } from './steps.ts';

/** A problem of a value. */
export interface SchemaFault {
  /** JSON pointer (RFC 6901) into the value; empty for the whole */
  readonly pointer: string;
  /** without its subject: `must be one of …` */
  readonly message: string;
}

/** Suggestions for members of a value, and names that are compared for each: each comparison takes time. */
const [SUGGESTIONS_MAX, NAMES_COMPARED_MAX] = [8, 64];
/** More is of no use to a caller. */
const FAULTS_MAX = 32;
/** A schema that refers to itself without going deeper into the value ends here. */
const DEPTH_MAX = 256;
/** Instructions times characters of a match that count as one step. */
const MATCH_PER_STEP = 16;
/** The steps of compiling the largest expression. */
const COMPILE_STEPS = 500;
/** The steps of a remainder of decimals. */
const REMAINDER_STEPS = 8;

type Node = Readonly<Record<string, unknown>>;

/**
 * The problems of a value by a schema that `verifySchema` accepted; null where the check took more steps than allowed:
 * then nothing is known, and the value MUST NOT pass.
 * @param stepsMax a step takes about a microsecond
 */
export function schemaFaults(schema: JsonSchemaText, value: unknown, stepsMax: number): readonly SchemaFault[] | null {
  const faults: SchemaFault[] = [];
  try {
    new Check(schema, new Steps(stepsMax)).visit(schema, value, { pointer: '', depth: 0, faults });
    return faults;
  } catch (error) {
    // The stack ends where a value or a schema nests deeper than any that is read from bytes.
    if (error instanceof StepsUsed || error instanceof RangeError) return null;
    throw error;
  }
}

/** Where a schema is applied. `faults` null: only the answer counts, and the first problem ends it. */
interface At {
  readonly pointer: string;
  readonly depth: number;
  readonly faults: SchemaFault[] | null;
}

class Check {
  readonly #root: JsonSchemaText;
  readonly #steps: Steps;
  #suggestionsLeft = SUGGESTIONS_MAX;

  constructor(root: JsonSchemaText, steps: Steps) {
    this.#root = root;
    this.#steps = steps;
  }

  /** Answers whether the value fits. */
  visit(schema: unknown, value: unknown, at: At): boolean {
    this.#steps.count(1);
    if (at.depth > DEPTH_MAX) throw new StepsUsed();
    if (typeof schema === 'boolean') return schema || fail(at, () => 'is not known here');
    const node = schema as Node;
    const parts = [
      () => this.#type(node, value, at),
      () => this.#values(node, value, at),
      () => typeof value !== 'number' || this.#number(node, value, at),
      () => typeof value !== 'string' || this.#text(node, value, at),
      () => !Array.isArray(value) || this.#list(node, value, at),
      () => !isObject(value) || this.#object(node, value, at),
      () => this.#combined(node, value, at),
    ];
    return every(parts, (part) => part(), at);
  }

  #type({ type }: Node, value: unknown, at: At): boolean {
    if (type === undefined) return true;
    const types = Array.isArray(type) ? (type as readonly unknown[]) : [type];
    this.#steps.countListed(types.length);
    return types.some((one) => isOfType(one, value)) || fail(at, () => `must be ${shortList(types, ' or ')}`);
  }

  #values(node: Node, value: unknown, at: At): boolean {
    if (Object.hasOwn(node, 'const') && !this.#equal(node['const'], value))
      return fail(at, () => `must be ${shown(node['const'])}`);
    const choices = node['enum'] as readonly unknown[] | undefined;
    if (choices === undefined || choices.some((one) => this.#equal(one, value))) return true;
    return fail(at, () => `must be ${choices.length === 1 ? '' : 'one of '}${shortList(choices.map(shown), ', ')}`);
  }

  /** Equality as JSON Schema has it: of values, whatever the order of members. */
  #equal(one: unknown, other: unknown): boolean {
    this.#steps.count(1);
    if (typeof one === 'string' && typeof other === 'string') this.#steps.countText(one);
    if (one === other) return true;
    if (Array.isArray(one) && Array.isArray(other))
      return one.length === other.length && one.every((each, n) => this.#equal(each, other[n]));
    if (!isObject(one) || !isObject(other)) return false;
    const names = Object.keys(one);
    this.#steps.count(names.length);
    return (
      names.length === Object.keys(other).length &&
      names.every((name) => Object.hasOwn(other, name) && this.#equal(one[name], other[name]))
    );
  }

  #number(node: Node, value: number, at: At): boolean {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = node as Record<
      string,
      number | undefined
    >;
    if (minimum !== undefined && value < minimum) return fail(at, () => `must be at least ${minimum}`);
    if (maximum !== undefined && value > maximum) return fail(at, () => `must be at most ${maximum}`);
    if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
      return fail(at, () => `must be above ${exclusiveMinimum}`);
    if (exclusiveMaximum !== undefined && value >= exclusiveMaximum)
      return fail(at, () => `must be below ${exclusiveMaximum}`);
    if (multipleOf === undefined) return true;
    this.#steps.count(REMAINDER_STEPS);
    return isMultipleOf(value, multipleOf) || fail(at, () => `must be a multiple of ${multipleOf}`);
  }

  #text(node: Node, value: string, at: At): boolean {
    const { minLength, maxLength, pattern } = node as { minLength?: number; maxLength?: number; pattern?: string };
    if (minLength !== undefined || maxLength !== undefined) {
      this.#steps.countText(value);
      let length = 0;
      // JSON Schema counts characters of Unicode.
      for (const _character of value) length += 1;
      if (!boundsFit([minLength, maxLength, 'characters'], length, at)) return false;
    }
    if (pattern === undefined) return true;
    return this.#matches(node, pattern, value) || fail(at, () => formText(node));
  }

  #matches(node: Node, pattern: string, value: string): boolean {
    const { test, size } = this.#expression(node, pattern);
    this.#steps.count(1 + Math.floor((value.length * size) / MATCH_PER_STEP));
    return test(value);
  }

  #expression(node: Node, pattern: string): Expression {
    const ofNode = expressions.get(node) ?? new Map<string, Expression>();
    const known = ofNode.get(pattern);
    if (known !== undefined) return known;
    this.#steps.count(COMPILE_STEPS);
    const made = expressionOf(pattern);
    expressions.set(node, ofNode.set(pattern, made));
    return made;
  }

  #list(node: Node, value: readonly unknown[], at: At): boolean {
    const {
      minItems,
      maxItems,
      prefixItems = [],
      items,
    } = node as { minItems?: number; maxItems?: number; prefixItems?: readonly unknown[]; items?: unknown };
    if (!boundsFit([minItems, maxItems, 'items'], value.length, at)) return false;
    if (!this.#isUnique(node, value, at) || !this.#contains(node, value, at)) return false;
    const applied = items === undefined ? value.slice(0, prefixItems.length) : value;
    return every(
      applied.keys(),
      (n) => this.visit(n < prefixItems.length ? prefixItems[n] : items, value[n], below(at, String(n))),
      at,
    );
  }

  #isUnique({ uniqueItems }: Node, value: readonly unknown[], at: At): boolean {
    if (uniqueItems !== true) return true;
    const seen = new Set<string>();
    for (const item of value) {
      this.#steps.countValue(item);
      seen.add(canonicalJson(item as JsonValue));
    }
    return seen.size === value.length || fail(at, () => 'must not have an item twice');
  }

  #contains(node: Node, value: readonly unknown[], at: At): boolean {
    const {
      contains,
      minContains = 1,
      maxContains,
    } = node as { contains?: unknown; minContains?: number; maxContains?: number };
    if (contains === undefined) return true;
    const found = value.filter((item) => this.visit(contains, item, silent(at))).length;
    return boundsFit([minContains, maxContains, 'items of a certain form'], found, at);
  }

  #object(node: Node, value: Node, at: At): boolean {
    const names = Object.keys(value);
    this.#steps.count(names.length);
    const { minProperties, maxProperties, propertyNames } = node as {
      minProperties?: number;
      maxProperties?: number;
      propertyNames?: unknown;
    };
    if (!boundsFit([minProperties, maxProperties, 'members'], names.length, at)) return false;
    const memberFits = (name: string): boolean => {
      const isNamed = propertyNames === undefined || this.visit(propertyNames, name, below(at, name));
      const schemas = this.#schemasOf(node, name);
      if (schemas.includes(false)) return this.#unknown(node, name, below(at, name));
      return every(schemas, (schema) => this.visit(schema, value[name], below(at, name)), at) && isNamed;
    };
    return every([() => this.#names(node, value, at), () => every(names, memberFits, at)], (part) => part(), at);
  }

  /** Says which member may be meant. The caller decides how many members a value has, so few get a suggestion. */
  #unknown({ properties = {} }: { readonly properties?: Node }, name: string, at: At): false {
    this.#steps.count(1);
    return fail(at, () => {
      if (this.#suggestionsLeft === 0) return 'is not known here';
      this.#suggestionsLeft -= 1;
      const names = Object.keys(properties).filter((each) => properties[each] !== false);
      return `is not known here${didYouMean(name, names.slice(0, NAMES_COMPARED_MAX))}`;
    });
  }

  /** The schemas of a member: by its name, by expressions that its name matches, or else those of all others. */
  #schemasOf(node: Node, name: string): readonly unknown[] {
    const {
      properties = {},
      patternProperties = {},
      additionalProperties,
    } = node as { properties?: Node; patternProperties?: Node; additionalProperties?: unknown };
    const own = Object.hasOwn(properties, name) ? [properties[name]] : [];
    const matched = Object.entries(patternProperties).filter(([pattern]) => this.#matches(node, pattern, name));
    const schemas = [...own, ...matched.map(([, schema]) => schema)];
    return schemas.length > 0 || additionalProperties === undefined ? schemas : [additionalProperties];
  }

  /** Members that must be there, and what depends on members that are there. */
  #names(node: Node, value: Node, at: At): boolean {
    const {
      required = [],
      dependentRequired = {},
      dependentSchemas = {},
    } = node as {
      required?: readonly string[];
      dependentRequired?: Readonly<Record<string, readonly string[]>>;
      dependentSchemas?: Node;
    };
    const conditions = Object.entries(dependentRequired);
    const dependents = Object.entries(dependentSchemas);
    this.#steps.countListed(conditions.length + dependents.length);
    const wanted = [
      ...required,
      ...conditions.filter(([name]) => Object.hasOwn(value, name)).flatMap(([, names]) => names),
    ];
    this.#steps.countListed(wanted.length);
    const missing = [...new Set(wanted.filter((name) => !Object.hasOwn(value, name)))];
    if (missing.length > 0) return fail(at, () => `lacks ${shortList(missing.map(shown), ', ')}`);
    return every(
      dependents.filter(([name]) => Object.hasOwn(value, name)),
      ([, schema]) => this.visit(schema, value, same(at)),
      at,
    );
  }

  #combined(node: Node, value: unknown, at: At): boolean {
    const {
      $ref,
      allOf = [],
      anyOf,
      oneOf,
      not,
    } = node as {
      $ref?: string;
      allOf?: readonly unknown[];
      anyOf?: readonly unknown[];
      oneOf?: readonly unknown[];
      not?: unknown;
    };
    this.#steps.countListed(allOf.length);
    const fits = (schema: unknown): boolean => this.visit(schema, value, silent(at));
    const all = [...($ref === undefined ? [] : [this.#referred($ref)]), ...allOf, ...this.#conditional(node, fits)];
    if (!every(all, (schema) => this.visit(schema, value, same(at)), at)) return false;
    if (anyOf !== undefined && !anyOf.some(fits)) return fail(at, () => 'fits none of the forms that are allowed here');
    if (oneOf !== undefined && oneOf.filter(fits).length !== 1)
      return fail(at, () => 'must fit exactly one of the forms that are allowed here');
    return not === undefined || !fits(not) || fail(at, () => 'has a form that is excluded here');
  }

  #conditional(node: Node, fits: (schema: unknown) => boolean): unknown[] {
    if (node['if'] === undefined) return [];
    const chosen = fits(node['if']) ? node['then'] : node['else'];
    return chosen === undefined ? [] : [chosen];
  }

  #referred(reference: string): unknown {
    this.#steps.count(1);
    this.#steps.countText(reference);
    return referredSchema(this.#root, reference) ?? false;
  }
}

/** Compiled expressions, by their schemas: those of a tool stay as long as its definition is cached. */
const expressions = new WeakMap<object, Map<string, Expression>>();

const below = ({ pointer, depth, faults }: At, name: string): At => ({
  pointer: faults === null ? '' : `${pointer}${pointerOf(name)}`,
  depth: depth + 1,
  faults,
});
const same = ({ pointer, depth, faults }: At): At => ({ pointer, depth: depth + 1, faults });
/** Of a choice only the whole is reported: branches that weren't meant would mislead. */
const silent = ({ depth }: At): At => ({ pointer: '', depth: depth + 1, faults: null });

/** The message is made only where it is reported. */
function fail({ pointer, faults }: At, message: () => string): false {
  if (faults === null || faults.length >= FAULTS_MAX) return false;
  const fault = { pointer, message: message() };
  // Two schemas may say the same of a place.
  const isKnown = faults.some((one) => one.pointer === pointer && one.message === fault.message);
  if (!isKnown) faults.push(fault);
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

type Bounds = readonly [min: number | undefined, max: number | undefined, what: string];

function boundsFit([min, max, what]: Bounds, count: number, at: At): boolean {
  if (min !== undefined && count < min) return fail(at, () => `must have at least ${min} ${what}`);
  return max === undefined || count <= max || fail(at, () => `must have at most ${max} ${what}`);
}
