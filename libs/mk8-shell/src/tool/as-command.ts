// SPDX-License-Identifier: Apache-2.0
//
// A script as an equivalent bash command: for the assessment of commands, never for running it. A value that is unknown
// before the run becomes an unset variable.
import { pathOf } from '../compile/path-text.ts';
import type { Program, Step } from '../compile/program.ts';
import { fillIn, isKnown, type Text } from '../compile/text.ts';
import { argumentAt } from '../registry/verb.ts';
import type { Sandbox } from '../rules/sandbox.ts';

const UNKNOWN = '"$UNKNOWN"';
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Programs with the same effect on a path as these verbs; other verbs only read or write it. */
const PROGRAMS: Readonly<Record<string, string>> = {
  FileDelete: 'rm',
  FileDeleteMany: 'rm',
  DirDelete: 'rm -r',
  DirCreate: 'mkdir -p',
  FileMove: 'mv',
  FileCopy: 'cp',
  FileCopyMany: 'cp',
  ArchiveExtract: 'cp -r',
};
const BY_ACCESS = { read: 'cat', write: 'printf x >', delete: 'rm' } as const;
const SENDS: Readonly<Record<string, string>> = { HttpPost: '-X POST', HttpPut: '-X PUT', HttpDelete: '-X DELETE' };

/** One line for each effect of a script on a file, a server or by a program; each once. */
export function asCommand({ steps, cleanup }: Program, sandbox: Sandbox): string {
  return [...new Set([...steps, ...cleanup].flatMap((step) => linesOf(step, sandbox)))].join('\n');
}

function linesOf(step: Step, sandbox: Sandbox): string[] {
  const {
    verb: { name, effect },
    args,
    template,
  } = step;
  if (effect === 'process') return [args.map((text) => wordOf(text, sandbox)).join(' ')];
  const source = template === null ? [] : [`cat ${placeOf(template.source, sandbox)}`];
  if (PROGRAMS[name] !== undefined)
    return [
      ...pairsOf(step).map(
        (paths) => `${PROGRAMS[name] ?? ''} ${paths.map((path) => placeOf(path, sandbox)).join(' ')}`,
      ),
      ...source,
    ];
  return [
    ...source,
    ...args.flatMap((text, n) => {
      const argument = argumentAt(step.verb, n);
      if (argument?.kind === 'path')
        return [
          `${isEmptied(step) ? ': >' : name === 'FileAppend' ? 'printf x >>' : BY_ACCESS[argument.access]} ${placeOf(text, sandbox)}`,
        ];
      if (argument?.kind !== 'url' && argument?.kind !== 'host') return [];
      const body = args[1];
      return [
        [
          'curl',
          SENDS[name] ?? '',
          ...(SENDS[name] !== undefined && body !== undefined ? ['-d', isKnown(body) ? 'x' : UNKNOWN] : []),
          wordOf(text, sandbox),
        ]
          .filter((word) => word !== '')
          .join(' '),
      ];
    }),
  ];
}

/** Nothing remains of the file's content. */
const isEmptied = ({ verb: { name }, args: [, content = []] }: Step): boolean =>
  name === 'FileWrite' && content.length === 0;

/** The paths of one program call: a source and its target, or single ones. */
function pairsOf({ verb: { name, pairs }, args }: Step): readonly (readonly Text[])[] {
  if (pairs) return Array.from({ length: args.length / 2 }, (_, n) => args.slice(2 * n, 2 * n + 2));
  return name === 'FileDeleteMany' ? args.map((path) => [path]) : [args];
}

const wordOf = (text: Text, sandbox: Sandbox): string => (isKnown(text) ? quoted(fillIn(text, sandbox)) : UNKNOWN);

function placeOf(text: Text, sandbox: Sandbox): string {
  const path = isKnown(text) ? pathOf(text, sandbox).path : null;
  return path === null ? UNKNOWN : path === '' ? '.' : quoted(`./${path}`);
}
