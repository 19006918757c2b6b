// SPDX-License-Identifier: Apache-2.0
import { field, type Field } from '../shell/field.ts';
import type { Bound, Signature } from './arguments.ts';
import { driveOf, pathOf } from './paths.ts';
import type { Session } from './session.ts';
import { union, UNKNOWN_VALUE, type Value } from './values.ts';

/** What the cmdlets of files take. */
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
/** `Remove-Item` has fewer: what is a beginning of one of them alone means that. */
export const REMOVAL: Signature = {
  values: ['path', 'literalpath', 'filter', 'include', 'exclude', 'credential', 'stream'],
  switches: ['recurse', 'force'],
  aliases: { pspath: 'literalpath', lp: 'literalpath' },
};

/** The paths that are given, by a parameter, as the first value, or by the pipeline; undefined where there is none. */
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

/** As fields of this system. A pattern that filters stands below what it filters. */
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

/** What a pattern that ends in `*`, or a directory, holds. */
const directoryOf = (text: string): string => (text === '*' ? '.' : text.replace(/\/\*?$/, ''));

/**
 * The values that name files. Those on a drive of the system are noted as a change of it, those on any other left out.
 */
export const onFiles = (value: Value | undefined, session: Session, name: string): Value | undefined => {
  const drives = (value?.fields ?? []).map(({ text }) => driveOf(text));
  if (drives.includes('system'))
    session.shell.act('system_change', name, value?.fields.map(({ text }) => text).join(' ') ?? '');
  return value && { ...value, fields: value.fields.filter(({ text }) => driveOf(text) === 'files') };
};
