// SPDX-License-Identifier: Apache-2.0
/**
 * Constructs in which bash evaluates text a second time. Arithmetic evaluates the values of the variables that it
 * names, and an index is arithmetic wherever a name may have one. `x='a[$(rm -rf src)]'; echo $((x))` runs `rm`.
 *
 * INVARIANT (literal numbers alone): in such a construct, only literal numbers, and variables that certainly hold one,
 * are permitted. Any other text is noted as an evaluation, which needs an approval, and its known part is interpreted.
 */
import type { Shell } from './shell.ts';
import { isExact, isNumber, NUMBER, UNKNOWN, UNSET, withoutMarkers } from './field.ts';
import type { Value } from './scope.ts';
import { NOTHING } from './source.ts';

/** The parts of the shell that evaluation uses. */
export type Evaluator = Pick<Shell, 'scope' | 'act' | 'script' | 'meter'>;

/** Arithmetic without expansions: space, numbers, names, and operators. */
const TOKEN = /\s+|\\\r?\n|(?:0[xX][0-9a-fA-F]+|\d{1,2}#[\w@]+|[\d\uE005]+)|([A-Za-z_]\w*)|[-+*/%<>=!&|^~?:,()[\]"']/y;
/** After a name: an assignment that doesn't depend on the former value. */
const ASSIGNED = /\s*=(?!=)/y;
/** Names to which arithmetic assigns a number. */
const GIVEN =
  /(?<!\w)([A-Za-z_]\w*)(?:\[[^\][]*\])?\s*(?:\+\+|--|(?:\*\*|<<|>>|[-+*/%&^|])?=(?!=))|(?:\+\+|--)\s*([A-Za-z_]\w*)/g;
const GIVEN_FIRST = /^\s*([A-Za-z_]\w*)\s*=(?!=)/;

/** Notes the commands that arithmetic on the text may run. The text has its expansions replaced already. */
export function noteArithmetic(text: string, shell: Evaluator): void {
  shell.meter.text(text.length);
  if (!isPlainArithmetic(text, shell)) noteEvaluation(text, shell);
  for (const [, before, behind] of text.matchAll(GIVEN)) shell.scope.mayBe(before ?? behind ?? '', [[NUMBER]]);
  const first = GIVEN_FIRST.exec(text)?.[1];
  if (first !== undefined) shell.scope.set(first, [NUMBER]);
}

function isPlainArithmetic(text: string, shell: Evaluator): boolean {
  const plain = shell.scope.maySetBefore ? text : text.replaceAll(UNSET, '');
  for (let at = 0; at < plain.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(plain);
    if (!found) return false;
    const name = found[1];
    const end = TOKEN.lastIndex;
    ASSIGNED.lastIndex = end;
    if (name !== undefined && !ASSIGNED.test(plain) && !holdsNumber(name, shell)) return false;
    TOKEN.lastIndex = end;
  }
  return true;
}

/** Answers whether every possible value of the variable is a literal number, or empty. */
function holdsNumber(name: string, { scope, meter }: Evaluator): boolean {
  if (scope.attributes.get(name) === 'reference') return false;
  const pinned = scope.pinned.get(name);
  const values: readonly Value[] = pinned ? [pinned] : scope.possible(name);
  meter.steps(values.reduce((sum, { length }) => sum + length, 0));
  return values.every((value) =>
    value.every((text) => text === '' || isNumber(text) || (text === UNSET && !scope.maySetBefore)),
  );
}

const NAME = /^(?:[A-Za-z_]\w*|[\d\uE005]+|[@*#?$!_-])$/;

/** Notes the commands that the text may run where a variable's name is expected: a name may have an index. */
export function noteName(text: string, shell: Evaluator): void {
  shell.meter.text(text.length);
  if (NAME.test(text) || isNothing(text, shell)) return;
  const [, name = '', index] = /^([A-Za-z_]\w*)\[([\s\S]*)\]$/.exec(text) ?? [];
  if (index !== undefined) noteIndex(name, index, shell);
  // Without an index it is no valid name, and the shell reports an error.
  else if (!isExact(text) || text.includes('[')) noteEvaluation(text, shell);
}

/**
 * Notes the commands that the index of an element may run. The index of an associative array is a text, which some
 * constructs evaluate again.
 */
export function noteIndex(name: string, index: string, shell: Evaluator): void {
  if (index === '@' || index === '*') return;
  if (shell.scope.attributes.get(name) === 'associative' && isExact(index) && !/[$`\\]/.test(index)) return;
  noteArithmetic(index, shell);
}

const isNothing = (text: string, { scope }: Evaluator): boolean =>
  withoutMarkers(text) === '' && [...text].every((char) => char === UNSET) && (text === '' || !scope.maySetBefore);

/** Notes a text that is evaluated a second time, and interprets the known substitutions in it. */
export function noteEvaluation(text: string, shell: Evaluator): void {
  shell.act('evaluation', 'the shell', text);
  if (/\$\(|`/.test(text)) shell.script(`: "${text}"`, NOTHING);
}

/** Notes the commands in a text that is expanded like a prompt: its substitutions. */
export function notePrompt(text: string, shell: Evaluator): void {
  if (!isNothing(text, shell) && (/[$`]/.test(text) || !isExact(text))) noteEvaluation(text, shell);
}

/** Variables to which bash assigns only numbers: their values are arithmetic. */
const NUMBERS_ALONE = /^(?:RANDOM|SRANDOM|SECONDS|LINENO|OPTIND|HISTCMD|BASHPID|PPID|EUID|UID)$/;

/**
 * Notes the evaluations where a variable gets the values. An integer variable evaluates them, and a reference uses them
 * as a name.
 */
export function noteAssigned(name: string, values: readonly Value[], shell: Evaluator): void {
  const attribute = shell.scope.attributes.get(name);
  const each = (note: (text: string, shell: Evaluator) => void): void => {
    for (const value of values) for (const text of value) note(text, shell);
  };
  if (attribute === 'integer' || attribute === 'several' || NUMBERS_ALONE.test(name)) {
    each((text) => {
      if (!isNumber(text)) noteArithmetic(text, shell);
    });
  }
  if (attribute === 'reference' || attribute === 'several') each(noteName);
}

/** Assigns a variable its values, and notes how they are evaluated. */
export function setVariable(name: string, values: readonly Value[], shell: Evaluator): void {
  noteAssigned(name, values, shell);
  // The referenced variable isn't tracked.
  shell.scope.become(name, shell.scope.attributes.get(name) === 'reference' ? [[UNKNOWN]] : values);
}
