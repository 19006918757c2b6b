// SPDX-License-Identifier: Apache-2.0
//
// Converts the arguments that rules read into values of Cedar. Arguments are attacker-controlled. INVARIANT (the cost
// is bounded): the time depends on the type, the rules and the limits below, and never on how large the arguments are.
import { pointerOf } from '@writ/contract';
import type { CedarValueJson } from '@cedar-policy/cedar-wasm/nodejs';
import type { ArgumentReads } from './argument-reads.ts';
import type { ArgumentType, Member, RecordType } from './argument-type.ts';

/**
 * Limits on the arguments of a call that rules read: the characters of one text (a pattern is compared with a path of
 * that length, too), and all texts and all values together. Each time it is asked, Cedar takes 2 µs for a text or an
 * integer and 10 µs for a decimal or a record: 1.5 ms for the most that these limits allow. That is half of what it
 * takes to parse a piece of rules. `many-arguments.timing.spec.ts` measures it.
 */
export const ARGUMENT_LIMITS = { textChars: 4_096, allChars: 8_192, values: 256 } as const;
/** How many values a decimal and a record count as, since they take Cedar longer. */
const LARGE = 2;

/** An argument that a rule reads and that has no value in Cedar. It never holds the argument's value. */
export interface UntypedArgument {
  /** JSON pointer, by names of the schema or of the rule */
  readonly pointer: string;
  /** why, to follow "it" */
  readonly why: string;
}

/** The arguments as the rules see them, or those of which they can see nothing. */
export interface TypedArguments {
  readonly record: Record<string, CedarValueJson>;
  readonly untyped: readonly UntypedArgument[];
}

const WHY = {
  noType: 'is of a kind that rules cannot read',
  otherKind: 'is not of the type that its schema says',
  missing: 'is missing, and its schema requires it',
  tooLong: `is longer than ${ARGUMENT_LIMITS.textChars} characters`,
  other: 'has a member that rules cannot read',
  secret: 'names a secret, whose value rules cannot see',
  tooMuch: `has, with the others that rules read, more than ${ARGUMENT_LIMITS.values} values or ${ARGUMENT_LIMITS.allChars} characters`,
  badText: 'holds half of a surrogate pair',
  tooLarge: 'is beyond 2^53',
  tooFine: 'has more than four fraction digits, or is too large for a decimal',
} as const;
type Why = keyof typeof WHY;

/** The budget of one call, spent in the order of names: no spelling of the arguments changes what it covers. */
interface Budget {
  chars: number;
  values: number;
}

type Converted = { readonly ok: true; readonly value: CedarValueJson } | { readonly ok: false; readonly why: Why };

class Conversion {
  readonly #budget: Budget = { chars: ARGUMENT_LIMITS.allChars, values: ARGUMENT_LIMITS.values };
  readonly #secrets: readonly string[];
  readonly untyped: UntypedArgument[] = [];
  /** whether references to secrets in the argument at hand are replaced by values */
  #takesSecrets = false;

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
  }

  /**
   * The members that are read. Members that have no type are left out where no rule names them, nor reads the record as
   * a whole.
   */
  record(type: RecordType, value: object, reads: ArgumentReads, pointer: string): Record<string, CedarValueJson> {
    const record: Record<string, CedarValueJson> = {};
    const { members } = shapeOf(type);
    if (reads.whole && Object.keys(value).some((name) => !members.has(name))) this.#tell(pointer, 'other');
    for (const name of namesRead(type, reads)) {
      const member = members.get(name);
      if (pointer === '') this.#takesSecrets = this.#secrets.includes(name);
      const at = `${pointer}${pointerOf(name)}`;
      const isPresent = Object.hasOwn(value, name);
      if (!isPresent && member?.required !== true) continue;
      const converted: Converted =
        member === undefined
          ? failed('noType')
          : isPresent
            ? this.#member(member.type, (value as Record<string, unknown>)[name], readsOfMember(reads, name), at)
            : failed('missing');
      if (converted.ok) record[name] = converted.value;
      else this.#tell(at, converted.why);
    }
    return record;
  }

  #tell(pointer: string, why: Why): void {
    this.untyped.push({ pointer: pointer.slice(0, POINTER_CHARS_MAX).toWellFormed(), why: WHY[why] });
  }

  #member(type: ArgumentType, value: unknown, reads: ArgumentReads, pointer: string): Converted {
    if (type.kind !== 'Record') return this.#whole(type, value);
    if (!isRecord(value)) return failed('otherKind');
    if (!this.#spend(LARGE)) return failed('tooMuch');
    return { ok: true, value: this.record(type, value, reads, pointer) };
  }

  /** A value with everything in it. */
  #whole(type: ArgumentType, value: unknown): Converted {
    const values = type.kind === 'decimal' || type.kind === 'Record' ? LARGE : 1;
    if (!this.#spend(values, typeof value === 'string' ? value.length : 0)) return failed('tooMuch');
    switch (type.kind) {
      case 'String':
        return this.#text(value);
      case 'Bool':
        return typeof value === 'boolean' ? { ok: true, value } : failed('otherKind');
      case 'Long':
        return longOf(value);
      case 'decimal':
        return decimalOf(value);
      case 'Set':
        return this.#set(type.item, value);
      case 'Record':
        return this.#item(type, value);
    }
  }

  #set(item: ArgumentType, value: unknown): Converted {
    if (!Array.isArray(value)) return failed('otherKind');
    if (value.length > this.#budget.values) return failed('tooMuch');
    const items: CedarValueJson[] = [];
    for (const each of value) {
      const converted = this.#whole(item, each);
      if (!converted.ok) return converted;
      items.push(converted.value);
    }
    return { ok: true, value: items };
  }

  /**
   * An object within a list: nothing of it can be named, so all of it has a type, or none. It takes the time of the
   * members that are there, and not of those that the type has.
   */
  #item(type: RecordType, value: unknown): Converted {
    if (!isRecord(value)) return failed('otherKind');
    const { members, required } = shapeOf(type);
    const names = Object.keys(value);
    if (names.length > members.size) return failed('other');
    const record: Record<string, CedarValueJson> = {};
    let isNeeded = 0;
    for (const name of names.sort()) {
      const member = members.get(name);
      if (member === undefined) return failed('other');
      const converted = this.#whole(member.type, value[name]);
      if (!converted.ok) return converted;
      record[name] = converted.value;
      if (member.required) isNeeded += 1;
    }
    return isNeeded === required ? { ok: true, value: record } : failed('missing');
  }

  #text(value: unknown): Converted {
    if (typeof value !== 'string') return failed('otherKind');
    if (value.length > ARGUMENT_LIMITS.textChars) return failed('tooLong');
    if (!value.isWellFormed()) return failed('badText');
    // An escaped one, too: the tool gets another text than the one that is here.
    return this.#takesSecrets && value.includes(SECRET) ? failed('secret') : { ok: true, value };
  }

  #spend(values: number, chars = 0): boolean {
    // A longer text has a reason of its own, and no cost.
    if (chars <= ARGUMENT_LIMITS.textChars) this.#budget.chars -= chars;
    this.#budget.values -= values;
    return this.#budget.chars >= 0 && this.#budget.values >= 0;
  }
}

/** Names of schemas are shorter; a rule may name anything. */
const POINTER_CHARS_MAX = 256;
/** How every reference to a secret begins: `${secret:NAME}`. */
const SECRET = '${secret:';
const WHOLE: ArgumentReads = { whole: true, members: new Map() };
const readsOfMember = (reads: ArgumentReads, name: string): ArgumentReads =>
  reads.whole ? WHOLE : (reads.members.get(name) ?? WHOLE);

/** The names to look for, in one order. */
function namesRead(type: RecordType, reads: ArgumentReads): string[] {
  const named = [...reads.members.keys()];
  if (!reads.whole) return named.sort();
  return [...new Set([...named, ...type.members.map(({ name }) => name)])].sort();
}

interface Shape {
  readonly members: ReadonlyMap<string, Member>;
  /** how many members are required */
  readonly required: number;
}
const shapes = new WeakMap<RecordType, Shape>();

function shapeOf(type: RecordType): Shape {
  const known = shapes.get(type);
  if (known !== undefined) return known;
  const required = type.members.filter((member) => member.required).length;
  const shape = { members: new Map(type.members.map((member) => [member.name, member])), required };
  shapes.set(type, shape);
  return shape;
}

const failed = (why: Why): Converted => ({ ok: false, why });
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function longOf(value: unknown): Converted {
  if (typeof value !== 'number' || !Number.isInteger(value)) return failed('otherKind');
  if (!Number.isSafeInteger(value)) return failed('tooLarge');
  // -0 is a fraction for Cedar's reader.
  return { ok: true, value: value === 0 ? 0 : value };
}

/** A number as JavaScript writes it, if that is no more than a decimal of Cedar holds. */
const DECIMAL = /^(-?\d{1,15})(?:\.(\d{1,4}))?$/;
const [DECIMAL_MIN, DECIMAL_MAX] = [-(2n ** 63n), 2n ** 63n - 1n];

function decimalOf(value: unknown): Converted {
  if (typeof value !== 'number') return failed('otherKind');
  const [, whole, fraction = '0'] = DECIMAL.exec(String(value === 0 ? 0 : value)) ?? [];
  if (whole === undefined) return failed('tooFine');
  const scaled = BigInt(`${whole}${fraction.padEnd(4, '0')}`);
  if (scaled < DECIMAL_MIN || scaled > DECIMAL_MAX) return failed('tooFine');
  return { ok: true, value: { __extn: { fn: 'decimal', arg: `${whole}.${fraction}` } } };
}

/**
 * The arguments that the rules read. `value` MUST be an object of I-JSON.
 * @param secrets names of the arguments in which the kernel replaces references to secrets
 */
export function typeArguments(
  type: RecordType,
  value: object,
  reads: ArgumentReads,
  secrets: readonly string[] = [],
): TypedArguments {
  const conversion = new Conversion(secrets);
  const record = conversion.record(type, value, reads, '');
  return { record, untyped: conversion.untyped };
}
