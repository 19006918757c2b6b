// SPDX-License-Identifier: Apache-2.0
//
// Converts the arguments that rules read into values of Cedar. Arguments are attacker-controlled. INVARIANT (the cost
// is bounded): the time depends on the type, the rules and the limits below, and never on how large the arguments are.
import type { CedarValueJson } from '@cedar-policy/cedar-wasm/nodejs';
import type { ArgumentReads } from './argument-reads.ts';
import type { ArgumentType, RecordType } from './argument-type.ts';

/**
 * Limits on the arguments of a call that rules read: the characters of one text (a pattern is compared with a path of
 * that length, too), and all texts and all values together. Cedar takes 1.5 ms for as many, each time it is asked.
 */
export const ARGUMENT_LIMITS = { textChars: 4_096, allChars: 8_192, values: 256 } as const;

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
  readonly untyped: UntypedArgument[] = [];

  /** The members that are read. Properties that the schema doesn't declare are left out where no rule names them. */
  record(type: RecordType, value: object, reads: ArgumentReads, pointer: string): Record<string, CedarValueJson> {
    const record: Record<string, CedarValueJson> = {};
    const members = new Map(type.members.map((member) => [member.name, member]));
    for (const name of namesRead(type, reads)) {
      const member = members.get(name);
      const at = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      const isPresent = Object.hasOwn(value, name);
      if (!isPresent && member?.required !== true) continue;
      const converted: Converted =
        member === undefined
          ? failed('noType')
          : isPresent
            ? this.#member(member.type, (value as Record<string, unknown>)[name], readsOfMember(reads, name), at)
            : failed('missing');
      if (converted.ok) record[name] = converted.value;
      else this.untyped.push({ pointer: at.slice(0, POINTER_CHARS_MAX).toWellFormed(), why: WHY[converted.why] });
    }
    return record;
  }

  #member(type: ArgumentType, value: unknown, reads: ArgumentReads, pointer: string): Converted {
    if (type.kind !== 'Record') return this.#whole(type, value);
    if (!isRecord(value)) return failed('otherKind');
    if (!this.#spend(0)) return failed('tooMuch');
    return { ok: true, value: this.record(type, value, reads, pointer) };
  }

  /** A value with everything in it. */
  #whole(type: ArgumentType, value: unknown): Converted {
    if (!this.#spend(typeof value === 'string' ? value.length : 0)) return failed('tooMuch');
    switch (type.kind) {
      case 'String':
        return textOf(value);
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

  /** An object within a list: nothing of it can be named, so all of it has a type, or none. */
  #item(type: RecordType, value: unknown): Converted {
    if (!isRecord(value)) return failed('otherKind');
    if (type.untyped.some((name) => Object.hasOwn(value, name))) return failed('noType');
    const record: Record<string, CedarValueJson> = {};
    for (const member of type.members) {
      if (!Object.hasOwn(value, member.name)) {
        if (member.required) return failed('missing');
        continue;
      }
      const converted = this.#whole(member.type, value[member.name]);
      if (!converted.ok) return converted;
      record[member.name] = converted.value;
    }
    return { ok: true, value: record };
  }

  #spend(chars: number): boolean {
    // A longer text has a reason of its own, and no cost.
    if (chars <= ARGUMENT_LIMITS.textChars) this.#budget.chars -= chars;
    this.#budget.values -= 1;
    return this.#budget.chars >= 0 && this.#budget.values >= 0;
  }
}

/** Names of schemas are shorter; a rule may name anything. */
const POINTER_CHARS_MAX = 256;
const WHOLE: ArgumentReads = { whole: true, members: new Map() };
const readsOfMember = (reads: ArgumentReads, name: string): ArgumentReads =>
  reads.whole ? WHOLE : (reads.members.get(name) ?? WHOLE);

/** The names to look for, in one order. */
function namesRead(type: RecordType, reads: ArgumentReads): string[] {
  const named = [...reads.members.keys()];
  if (!reads.whole) return named.sort();
  return [...new Set([...named, ...type.members.map(({ name }) => name), ...type.untyped])].sort();
}

const failed = (why: Why): Converted => ({ ok: false, why });
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function textOf(value: unknown): Converted {
  if (typeof value !== 'string') return failed('otherKind');
  if (value.length > ARGUMENT_LIMITS.textChars) return failed('tooLong');
  return value.isWellFormed() ? { ok: true, value } : failed('badText');
}

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

/** The arguments that the rules read. `value` MUST be an object of I-JSON. */
export function typeArguments(type: RecordType, value: object, reads: ArgumentReads): TypedArguments {
  const conversion = new Conversion();
  const record = conversion.record(type, value, reads, '');
  return { record, untyped: conversion.untyped };
}
