// SPDX-License-Identifier: Apache-2.0
import { field, UNKNOWN, type Field } from '../shell/field.ts';
import { NO_VALUE, union, UNKNOWN_VALUE, type Value } from './values.ts';

/** An argument of a command: a parameter, possibly with a value after a colon, or a value. */
export interface Argument {
  /** without its dash, in lower case */
  readonly parameter?: string;
  readonly value?: Value;
  /** the word in the form in which a program gets it */
  readonly word: Field;
  /** whether it is a table of parameters: `@options` */
  readonly isSplat?: boolean;
}

/** The parameters of a cmdlet. Names are in lower case. */
export interface Signature {
  /** those that take a value */
  readonly values: readonly string[];
  readonly switches: readonly string[];
  /** aliases of parameters */
  readonly aliases?: Readonly<Record<string, string>>;
}

/** The common parameters of every cmdlet. */
const COMMON: Signature = {
  values: [
    'erroraction',
    'warningaction',
    'informationaction',
    'progressaction',
    'errorvariable',
    'warningvariable',
    'informationvariable',
    'outvariable',
    'outbuffer',
    'pipelinevariable',
  ],
  switches: ['verbose', 'debug', 'whatif', 'confirm'],
  aliases: {
    ea: 'erroraction',
    wa: 'warningaction',
    infa: 'informationaction',
    proga: 'progressaction',
    ev: 'errorvariable',
    wv: 'warningvariable',
    iv: 'informationvariable',
    ov: 'outvariable',
    ob: 'outbuffer',
    pv: 'pipelinevariable',
    vb: 'verbose',
    db: 'debug',
    wi: 'whatif',
    cf: 'confirm',
  },
};

/** Arguments bound to the parameters of a signature. */
export class Bound {
  readonly #values = new Map<string, Value>();
  readonly #switches = new Map<string, boolean>();
  /** values without a parameter, in order */
  readonly positional: Value[] = [];
  /** whether there are parameters that can't be determined */
  isPartlyUnknown = false;

  constructor(args: readonly Argument[], signature: Signature) {
    for (let index = 0; index < args.length; index += 1) {
      const arg = args[index];
      if (arg?.isSplat) this.#splat(arg.value ?? UNKNOWN_VALUE, signature);
      else if (arg?.parameter === undefined) this.positional.push(arg?.value ?? NO_VALUE);
      else if (this.#parameter(arg.parameter, arg.value, args[index + 1], signature)) index += 1;
    }
  }

  /** The value of any of the parameters. */
  value(...names: readonly string[]): Value | undefined {
    const found = names.map((name) => this.#values.get(name)).filter((value) => value !== undefined);
    return found.length === 0 ? undefined : union(found);
  }

  /** Whether the switch is set, and not disabled as in `-Recurse:$false`. */
  has(name: string): boolean {
    return this.#switches.get(name) ?? false;
  }

  /** Whether it only reports what it would do. */
  get isRehearsal(): boolean {
    return this.has('whatif') && !this.isPartlyUnknown;
  }

  /** Answers whether the next argument is the parameter's value. */
  #parameter(given: string, bound: Value | undefined, next: Argument | undefined, signature: Signature): boolean {
    const names = namesOf(given, signature);
    const takesValue =
      names.length > 0 && names.every((name) => signature.values.includes(name) || COMMON.values.includes(name));
    if (!takesValue) {
      for (const name of names) this.#switches.set(name, name === 'whatif' ? isTrue(bound) : !isFalse(bound));
      return false;
    }
    const value = bound ?? (next && next.parameter === undefined ? next.value : undefined);
    for (const name of names)
      this.#values.set(
        name,
        union([...(this.#values.has(name) ? [this.#values.get(name) ?? NO_VALUE] : []), value ?? UNKNOWN_VALUE]),
      );
    return bound === undefined && value !== undefined;
  }

  #splat({ entries, fields }: Value, signature: Signature): void {
    if (!entries) {
      // A list is values in order; anything else may be any parameter.
      if (fields.some(({ text }) => text === UNKNOWN) || fields.length === 0) this.isPartlyUnknown = true;
      this.positional.push({ fields });
      return;
    }
    for (const [name, value] of entries) this.#parameter(name, value, undefined, signature);
  }
}

/** The parameters that a word may mean: PowerShell accepts any unique prefix. */
function namesOf(given: string, { values, switches, aliases = {} }: Signature): readonly string[] {
  const name = given.replaceAll('`', '');
  const all = [...values, ...switches, ...COMMON.values, ...COMMON.switches];
  if (all.includes(name)) return [name];
  const alias = Object.hasOwn(aliases, name)
    ? aliases[name]
    : Object.hasOwn(COMMON.aliases ?? {}, name)
      ? COMMON.aliases?.[name]
      : undefined;
  if (alias !== undefined) return [alias];
  const own = [...values, ...switches].filter((one) => one.startsWith(name));
  const common = [...COMMON.values, ...COMMON.switches].filter((one) => one.startsWith(name));
  // A rehearsal must be unambiguous: a word with another possible meaning doesn't count as one.
  return own.length > 0 ? own : common.length === 1 ? common : [];
}

/** Only a value known to be true makes a rehearsal; any value not known to be false enables the others. */
const isTrue = (value: Value | undefined): boolean =>
  value === undefined || (value.fields.length > 0 && value.fields.every(({ text }) => /^(?:true|1)$/i.test(text)));
const isFalse = (value: Value | undefined): boolean =>
  value !== undefined &&
  value.fields.length > 0 &&
  value.fields.every(({ text }) => /^(?:false|0|\$false)$/i.test(text));

/** The words of arguments for a program outside of PowerShell. */
export const wordsOf = (args: readonly Argument[]): readonly Field[] =>
  args.flatMap(({ parameter, value, word }) =>
    parameter === undefined && value && value.fields.length > 1
      ? value.fields
      : parameter === undefined && value?.fields[0] && !value.block
        ? [globbed(value.fields[0], word)]
        : [word],
  );

/** PowerShell expands unquoted patterns for programs. */
const globbed = (value: Field, word: Field): Field =>
  word.text === value.text ? word : value.glob ? value : field(value.text);
