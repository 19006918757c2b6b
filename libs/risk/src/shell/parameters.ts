// SPDX-License-Identifier: Apache-2.0
import { isNumber, NUMBER, UNKNOWN, UNSET, withoutMarkers } from './field.ts';
import { joined, marked, type Mark, type MarkedText } from './marked-text.ts';
import { HOME, type Scope, type Value } from './scope.ts';

/** `$@` and `${list[@]}` are several words even in quotes: the spaces between them are marked as splitting. */
export function words(value: Value, mark: Mark, separate: boolean, between = ' '): MarkedText {
  return joined(
    value.flatMap((text, index) => [
      ...(index > 0 ? [separate ? marked(' ', 'x') : marked(between, mark)] : []),
      marked(text, mark),
    ]),
  );
}

export function valueOf(name: string, scope: Scope): Value {
  if (name === '#') return ['1'];
  if (name === '0') return [scope.zero];
  const { positional } = scope;
  if (name === '@' || name === '*') return positional ? positional.map(({ text }) => text) : [UNKNOWN];
  if (/^\d+$/.test(name)) return positional ? [positional[Number(name) - 1]?.text ?? ''] : [UNKNOWN];
  return scope.value(name);
}

/** `"$*"` and `"${list[*]}"` are one word, joined by the first character of `IFS`. */
export const firstOfIfs = (mark: Mark, scope: Scope): string =>
  mark === 'q' ? scope.value('IFS').join('').slice(0, 1) : ' ';

export function elementOf(value: Value, index: string | undefined): Value {
  if (index === '@' || index === '*') return value;
  // An unset variable, or an empty list.
  if (value.length === 0) return [UNSET];
  const at = index === undefined ? 0 : Number(index);
  return Number.isInteger(at) ? [value.at(at) ?? UNKNOWN] : [value.every(isNumber) ? NUMBER : UNKNOWN];
}

export function homeOf(user: string, scope: Scope): string {
  if (user === '') return scope.value('HOME').join(' ');
  if (user === '+') return scope.value('PWD').join(' ');
  return user === 'root' ? '/root' : `${HOME.slice(0, HOME.lastIndexOf('/'))}/${user}`;
}

export const isUnset = (value: Value): boolean =>
  value.join('') !== '' && value.every((text) => text.includes(UNSET) && withoutMarkers(text) === '');
export const isEmpty = (value: Value): boolean => value.join('') === '';
