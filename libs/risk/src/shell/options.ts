// SPDX-License-Identifier: Apache-2.0
import type { Field } from './field.ts';

/** Arguments parsed by the usual conventions (POSIX XBD 12.2, GNU long options). */
export interface Options {
  readonly flags: ReadonlySet<string>;
  /** the value of each option that takes one, the last given */
  readonly values: ReadonlyMap<string, Field>;
  /** every value of each option that takes one, in order */
  readonly allValues: ReadonlyMap<string, readonly Field[]>;
  readonly operands: readonly Field[];
  /** the operands after `--` */
  readonly afterDashes: readonly Field[];
}

/** `stopAtOperand`: the arguments after the first operand aren't this program's, as with `env` or `docker run`. */
export function parseOptions(
  args: readonly Field[],
  takesValue: readonly string[] = [],
  stopAtOperand = false,
): Options {
  const reader = new OptionReader(new Set(takesValue));
  for (let index = 0; index < args.length;) {
    const arg = args[index];
    if (arg === undefined) break;
    if (arg.text === '--') {
      reader.end(args.slice(index + 1));
      break;
    }
    if (!arg.text.startsWith('-') || arg.text === '-') {
      if (stopAtOperand) {
        for (const operand of args.slice(index)) reader.operands.push(operand);
        break;
      }
      reader.operands.push(arg);
      index += 1;
    } else {
      index += reader.option(arg, args[index + 1]);
    }
  }
  return reader;
}

class OptionReader implements Options {
  readonly flags = new Set<string>();
  readonly values = new Map<string, Field>();
  readonly allValues = new Map<string, Field[]>();
  readonly operands: Field[] = [];
  readonly #takesValue: ReadonlySet<string>;
  afterDashes: readonly Field[] = [];

  constructor(takesValue: ReadonlySet<string>) {
    this.#takesValue = takesValue;
  }

  end(rest: readonly Field[]): void {
    this.afterDashes = rest;
    for (const operand of rest) this.operands.push(operand);
  }

  /** Returns how many arguments the option uses. */
  option(arg: Field, next: Field | undefined): 1 | 2 {
    if (arg.text.startsWith('--')) return this.#long(arg, next);
    // Some programs write a long option with one dash.
    if (this.#takesValue.has(arg.text)) return this.#value(arg.text, next);
    for (let at = 1; at < arg.text.length; at += 1) {
      const flag = `-${arg.text.charAt(at)}`;
      this.flags.add(flag);
      if (!this.#takesValue.has(flag)) continue;
      const rest = arg.text.slice(at + 1);
      return rest === '' ? this.#value(flag, next) : this.#value(flag, { ...arg, text: rest }, 1);
    }
    this.flags.add(arg.text);
    return 1;
  }

  #long(arg: Field, next: Field | undefined): 1 | 2 {
    const equals = arg.text.indexOf('=');
    const flag = equals < 0 ? arg.text : arg.text.slice(0, equals);
    if (equals >= 0) return this.#value(flag, { ...arg, text: arg.text.slice(equals + 1) }, 1);
    if (this.#takesValue.has(flag)) return this.#value(flag, next);
    this.flags.add(flag);
    return 1;
  }

  #value(flag: string, value: Field | undefined, took: 1 | 2 = 2): 1 | 2 {
    this.flags.add(flag);
    if (value) {
      this.values.set(flag, value);
      const before = this.allValues.get(flag);
      if (before) before.push(value);
      else this.allValues.set(flag, [value]);
    }
    return took;
  }
}

/**
 * Answers whether any of the flags was given; a long one also by an abbreviation of four characters or more, as GNU
 * programs accept it.
 */
export function has(options: Options, ...names: readonly string[]): boolean {
  return names.some(
    (name) =>
      options.flags.has(name) ||
      (name.startsWith('--') && [...options.flags].some((flag) => flag.length >= 5 && name.startsWith(flag))),
  );
}
