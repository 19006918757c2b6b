// SPDX-License-Identifier: Apache-2.0
import { isExact, type Field } from '../shell/field.ts';
import { parseOptions } from '../shell/options.ts';
import type { Invocation, Shell } from '../shell/shell.ts';
import { OPTION_VALUES } from './rows/option-values.ts';
import { REMOTE_VALUES } from './rows/remote.ts';
import { TABLE } from './rows/table.ts';
import type { ProgramForm } from './rows/program-form.ts';

/**
 * Operands that are searched for the words; later ones are names. Options of unknown programs may hide a value among
 * them.
 */
const FIRST_OPERANDS = 5;

/** Operands that a message shows. */
const SHOWN_OPERANDS = 20;

export const optionValues = (name: string): readonly string[] =>
  [OPTION_VALUES, REMOTE_VALUES].flatMap((values) => (Object.hasOwn(values, name) ? (values[name] ?? []) : []));

/** Rows by the name of their program. */
export function byProgram<Row extends ProgramForm>(rows: readonly Row[]): ReadonlyMap<string, readonly Row[]> {
  const found = new Map<string, Row[]>();
  for (const row of rows) for (const program of row.programs) found.set(program, [...(found.get(program) ?? []), row]);
  return found;
}

const BY_PROGRAM = byProgram(TABLE);

/**
 * Notes the effects in the table's rows for the program; returns whether there are any. Names with a suffix count by
 * their stem: `mkfs.ext4` is `mkfs`.
 */
export function noteTableRows({ name, args }: Invocation, shell: Shell): boolean {
  // With `--help` a program prints its usage, unless it passes that option on to another program.
  if (args.some(({ text }) => text === '--help') && !handsOn(name, args)) return false;
  const rows = BY_PROGRAM.get(name) ?? BY_PROGRAM.get(name.split('.')[0] ?? '') ?? [];
  const { operands } = parseOptions(args, optionValues(name));
  const spoken = rows.filter(
    (row) =>
      (!row.needsArguments || args.length > 0) &&
      (!row.operand ||
        (row.operand === 'first_address' ? operands.slice(0, 1) : operands).some((one) =>
          IS[row.operand ?? 'unknown'](one),
        )) &&
      hasForm(row, name, args),
  );
  const words = operands.map(({ text }) => text);
  for (const row of spoken) {
    const form = (row.words ?? []).map(
      (word) => words.slice(0, FIRST_OPERANDS).find((one) => isOneOf(one, word)) ?? word,
    );
    shell.act(row.kind, [name, ...form].join(' '), words.slice(0, SHOWN_OPERANDS).join(' '));
  }
  return spoken.length > 0;
}

const STARTS_OTHERS = new Set([
  'docker',
  'podman',
  'nerdctl',
  'kubectl',
  'oc',
  'npm',
  'npx',
  'pnpm',
  'yarn',
  'bun',
  'bunx',
  'uvx',
  'ansible',
  'su',
  'runas',
]);
/** Their words that start another program, to which the option then belongs. */
const HANDS_ON = new Set(['--', 'run', 'exec', 'debug', 'x', 'dlx', 'create', '-c', '--call', '-m', '-a']);
const HAVE_VERBS = new Set(['docker', 'podman', 'nerdctl', 'kubectl', 'oc', 'npm', 'pnpm', 'yarn', 'bun']);
const handsOn = (name: string, args: readonly Field[]): boolean =>
  STARTS_OTHERS.has(name) && (!HAVE_VERBS.has(name) || args.some(({ text }) => HANDS_ON.has(text)));

/** An address in place of a package's name in a registry. */
const ADDRESS = /^(?:git\+|(?:https?|git|ssh|ftp):\/\/|github:|gitlab:|bitbucket:|gist:)/;
const isAddress = ({ text }: Field): boolean => ADDRESS.test(text.replace(/^[\w.@/-]+@(?=git|http|github:)/, ''));
const IS = {
  address: isAddress,
  first_address: isAddress,
  unknown: ({ text, glob }: Field): boolean => glob || !isExact(text),
};

/** Answers whether the arguments have the form. */
export function hasForm(form: ProgramForm, name: string, args: readonly Field[]): boolean {
  const words = parseOptions(args, optionValues(name)).operands.map(({ text }) => text);
  const given = args.map(({ text }) => text);
  return (
    inOrder(words.slice(0, form.first ? form.words?.length : FIRST_OPERANDS), form.words ?? []) &&
    !words.slice(0, FIRST_OPERANDS).some((word) => form.without?.some((one) => isOneOf(word, one))) &&
    (form.flags === undefined || form.flags.some((flag) => isGiven(given, flag))) &&
    !form.unless?.some((flag) => isGiven(given, flag))
  );
}

function inOrder(words: readonly string[], wanted: readonly string[]): boolean {
  let from = 0;
  for (const want of wanted) {
    const at = words.findIndex((word, index) => index >= from && isOneOf(word, want));
    if (at < 0) return false;
    from = at + 1;
  }
  return true;
}

const isOneOf = (word: string, either: string): boolean =>
  either
    .split('|')
    .some((one) =>
      one === '=*' ? word.includes('=') : one.endsWith('*') ? word.startsWith(one.slice(0, -1)) : word === one,
    );

/** Values that disable a flag: `--dry-run=none` changes things. */
const NOT_MEANT = /=(?:none|false|no|off|0)$/i;

/** A short flag also counts in a cluster, a long one also with a value. */
function isGiven(given: readonly string[], flag: string): boolean {
  if (flag.startsWith('--'))
    return given.some((arg) => arg === flag || (arg.startsWith(`${flag}=`) && !NOT_MEANT.test(arg)));
  if (flag.length > 2) return given.includes(flag);
  return given.some((arg) => /^-[A-Za-z0-9]+$/.test(arg) && arg.includes(flag.charAt(1)));
}
