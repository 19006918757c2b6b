// SPDX-License-Identifier: Apache-2.0
import { field, type Field } from '../shell/field.ts';
import type { Bound, Signature } from './arguments.ts';
import { driveOf, pathOf } from './paths.ts';
import type { Session } from './session.ts';
import { union, UNKNOWN_VALUE, type Value } from './values.ts';

/** The parameters of cmdlets for files. */
export const ITEMS: Signature = {
  values: [
    'path',
    'literalpath',
    'filter',
    'include',
    'exclude',
    'credential',
    'stream',
    'depth',
    'attributes',
    'destination',
    'newname',
    'value',
    'encoding',
    'tail',
    'totalcount',
    'delimiter',
    'itemtype',
    'name',
    'target',
    'filepath',
    'inputobject',
    'width',
    'fromsession',
    'tosession',
    'readcount',
    'variable',
  ],
  switches: [
    'recurse',
    'force',
    'file',
    'directory',
    'hidden',
    'readonly',
    'system',
    'followsymlink',
    'container',
    'passthru',
    'raw',
    'wait',
    'nonewline',
    'noclobber',
    'append',
    'asbytestream',
    'usetransaction',
  ],
  aliases: {
    pspath: 'literalpath',
    lp: 'literalpath',
    s: 'recurse',
    ad: 'directory',
    af: 'file',
    ah: 'hidden',
    ar: 'readonly',
    as: 'system',
    first: 'totalcount',
    head: 'totalcount',
    last: 'tail',
    type: 'itemtype',
  },
};
/** `Remove-Item` has fewer of them, so shorter prefixes are unique. */
export const REMOVAL: Signature = {
  values: ['path', 'literalpath', 'filter', 'include', 'exclude', 'credential', 'stream'],
  switches: ['recurse', 'force'],
  aliases: { pspath: 'literalpath', lp: 'literalpath' },
};

/** The paths in a parameter, in the first value, or from the pipeline; undefined where there is none. */
export function pathsOf(bound: Bound, input: Value, positions = 1): Value | undefined {
  const given = [bound.value('path', 'literalpath', 'filepath'), ...bound.positional.slice(0, positions)].filter(
    (value) => value !== undefined,
  );
  return given.length > 0
    ? union([...given, ...(bound.value('literalpath') ? [] : [])])
    : input.fields.length > 0
      ? input
      : undefined;
}

/** As fields of this system. A filter pattern is placed below the filtered path. */
export function fieldsOf(value: Value | undefined, bound: Bound): readonly Field[] {
  const isLiteral = bound.value('literalpath') !== undefined;
  const paths = (value ?? UNKNOWN_VALUE).fields.map((one) =>
    one.glob ? { ...pathOf(one.text, false), glob: true } : pathOf(one.text, isLiteral),
  );
  const patterns = bound.value('filter', 'include')?.fields ?? [];
  return patterns.length === 0
    ? paths
    : paths.flatMap(({ text }) => patterns.map((pattern) => field(`${directoryOf(text)}/${pattern.text}`, true)));
}

/** The directory of a pattern that ends in `*`, or the directory itself. */
const directoryOf = (text: string): string => (text === '*' ? '.' : text.replace(/\/\*?$/, ''));

/**
 * The values that name files. Values on a drive of the system are noted as a change of it; those on any other are left
 * out.
 */
export const onFiles = (value: Value | undefined, session: Session, name: string): Value | undefined => {
  const drives = (value?.fields ?? []).map(({ text }) => driveOf(text));
  if (drives.includes('system'))
    session.shell.act('system_change', name, value?.fields.map(({ text }) => text).join(' ') ?? '');
  return value && { ...value, fields: value.fields.filter(({ text }) => driveOf(text) === 'files') };
};
