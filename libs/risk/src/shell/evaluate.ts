// SPDX-License-Identifier: Apache-2.0
/**
 * Places in which bash evaluates text a second time: arithmetic evaluates the values of the variables that it names,
 * and an index is arithmetic wherever a name may have one. `x='a[$(rm -rf src)]'; echo $((x))` runs `rm`.
 *
 * INVARIANT (literal numbers alone): in such a place a literal number, and a variable that is known to hold one, is let
 * pass. Anything else is noted as an evaluation, which needs a person, and what is known of it is followed.
 */
import type { Shell } from './shell.ts';
import { isExact, isNumber, NUMBER, UNKNOWN, UNSET, withoutMarkers } from './field.ts';
import type { Value } from './scope.ts';
import { NOTHING } from './source.ts';

/** What evaluation needs of the shell. */
export type Evaluator = Pick<Shell, 'scope' | 'act' | 'script' | 'meter'>;

/** Arithmetic without expansions: space, numbers, names, and operators. */
const TOKEN = /\s+|\\\r?\n|(?:0[xX][0-9a-fA-F]+|\d{1,2}#[\w@]+|[\d\uE005]+)|([A-Za-z_]\w*)|[-+*/%<>=!&|^~?:,()[\]"']/y;
/** Behind a name: it is given a value that doesn't depend on the one before. */
const ASSIGNED = /\s*=(?!=)/y;
/** Names to which arithmetic gives a number. */
const GIVEN =
  /(?<!\w)([A-Za-z_]\w*)(?:\[[^\][]*\])?\s*(?:\+\+|--|(?:\*\*|<<|>>|[-+*/%&^|])?=(?!=))|(?:\+\+|--)\s*([A-Za-z_]\w*)/g;
const GIVEN_FIRST = /^\s*([A-Za-z_]\w*)\s*=(?!=)/;

/** Notes what arithmetic on the text may run. The text is what is left once expansions were put in. */
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

/** Answers whether every value that the variable may have is a literal number, or nothing. */
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

/** Notes what the text may run where the name of a variable is wanted: a name may have an index. */
export function noteName(text: string, shell: Evaluator): void {
  shell.meter.text(text.length);
  if (NAME.test(text) || isNothing(text, shell)) return;
  const [, name = '', index] = /^([A-Za-z_]\w*)\[([\s\S]*)\]$/.exec(text) ?? [];
  if (index !== undefined) noteIndex(name, index, shell);
  // Without an index it is no name at all, and the shell complains.
  else if (!isExact(text) || text.includes('[')) noteEvaluation(text, shell);
}

/**
 * Notes what the index of an element may run. That of an associative array is a text, and is evaluated again in some
 * places.
 */
export function noteIndex(name: string, index: string, shell: Evaluator): void {
  if (index === '@' || index === '*') return;
  if (shell.scope.attributes.get(name) === 'associative' && isExact(index) && !/[$`\\]/.test(index)) return;
  noteArithmetic(index, shell);
}

const isNothing = (text: string, { scope }: Evaluator): boolean =>
  withoutMarkers(text) === '' && [...text].every((char) => char === UNSET) && (text === '' || !scope.maySetBefore);

/** Notes a text that is evaluated a second time, and follows the substitutions that are known to stand in it. */
export function noteEvaluation(text: string, shell: Evaluator): void {
  shell.act('evaluation', 'the shell', text);
  if (/\$\(|`/.test(text)) shell.script(`: "${text}"`, NOTHING);
}

/** Notes what a text runs that is expanded as a prompt is: the substitutions in it. */
export function notePrompt(text: string, shell: Evaluator): void {
  if (!isNothing(text, shell) && (/[$`]/.test(text) || !isExact(text))) noteEvaluation(text, shell);
}

/** Variables to which bash gives numbers alone: what they are set to is arithmetic. */
const NUMBERS_ALONE = /^(?:RANDOM|SRANDOM|SECONDS|LINENO|OPTIND|HISTCMD|BASHPID|PPID|EUID|UID)$/;

/**
 * Notes what is evaluated where a variable gets the values: one that was declared an integer evaluates them, one that
 * stands for another has them name it.
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

/** Gives a variable its values, and notes what they are evaluated as. */
export function setVariable(name: string, values: readonly Value[], shell: Evaluator): void {
  noteAssigned(name, values, shell);
  // Which variable gets it isn't followed.
  shell.scope.become(name, shell.scope.attributes.get(name) === 'reference' ? [[UNKNOWN]] : values);
}
