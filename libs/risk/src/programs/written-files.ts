// SPDX-License-Identifier: Apache-2.0
import { parseOptions } from '../shell/options.ts';
import type { Invocation, Shell } from '../shell/shell.ts';
import { noteEmptied, noteWrite } from './write.ts';

/** Files that a program writes beside, or instead of, its output. */
interface Writes {
  /** options whose value is the file */
  readonly options?: readonly string[];
  /** options with which it changes the operands themselves */
  readonly inPlace?: RegExp;
  /** the first operand that is written, counted from 0; earlier ones are read */
  readonly operands?: number;
  /** other options that take a value */
  readonly values?: readonly string[];
}

/** Programs that are mainly known for reading. */
const WRITES: Readonly<Record<string, Writes>> = {
  uniq: { operands: 1, values: ['-f', '-s', '-w', '--skip-fields', '--skip-chars', '--check-chars'] },
  xxd: { operands: 1, values: ['-c', '-cols', '-g', '-l', '-len', '-o', '-s', '-seek', '-n', '-name', '-R'] },
  pdftotext: { operands: 1, values: ['-f', '-l', '-r', '-x', '-y', '-W', '-H', '-enc', '-eol', '-opw', '-upw'] },
  shuf: { options: ['-o', '--output'], values: ['-n', '-i', '--head-count', '--input-range', '--random-source'] },
  tree: { options: ['-o'], values: ['-L', '-P', '-I', '--filelimit', '--charset', '-H', '-T'] },
  sdiff: { options: ['-o', '--output'], values: ['-w'] },
  less: {
    options: ['-o', '-O', '--log-file', '--LOG-FILE'],
    values: ['-p', '-P', '-b', '-h', '-j', '-k', '-t', '-x', '-y', '-z'],
  },
  info: { options: ['-o', '--output'], values: ['-f', '-n', '-d'] },
  file: { inPlace: /^(?:-\w*C|--compile)$/, values: ['-m', '-f', '-F', '-P', '-e'] },
  identify: { options: ['-write'], values: ['-format'] },
  exiftool: {
    inPlace:
      /^-(?!-?(?:ver|if|p|json|csv|list|config|x|d|fast))\w[\w:-]*[-+]?<?=|^-(?:overwrite_original(?:_in_place)?|delete_original|restore_original|tagsFromFile|all=)/,
    values: ['-if', '-p', '-d', '-x'],
    options: ['-o', '-w', '-W'],
  },
  markdownlint: { inPlace: /^(?:-f|--fix)$/, options: ['-o', '--output'], values: ['-c', '-i', '-r'] },
  'markdownlint-cli2': { inPlace: /^--fix$/ },
  cloc: {
    options: ['--out', '--report-file', '--found', '--ignored', '--counted', '--sql', '--categorized'],
    values: ['--exclude-dir', '--include-lang'],
  },
  scc: { options: ['-o', '--output'] },
  ffprobe: { options: ['-o'], inPlace: /^-report$/ },
  yq: { inPlace: /^(?:-s|--split-exp)/ },
  curl: {
    options: [
      '-D',
      '--dump-header',
      '-c',
      '--cookie-jar',
      '--trace',
      '--trace-ascii',
      '--stderr',
      '--libcurl',
      '--etag-save',
      '--hsts',
      '--alt-svc',
    ],
    values: ['-o', '-H', '-d', '-X', '-b', '-u', '-A', '-e', '-F', '-T', '-m', '-w', '-x', '-K', '-r'],
  },
  gawk: {
    options: ['-d', '-p', '-o', '--dump-variables', '--profile', '--pretty-print'],
    values: ['-F', '-v', '-f', '-i'],
  },
  helm: { options: ['--output-dir'] },
  openssl: { options: ['-out', '-keyout', '-writerand', '-CAserial'] },
};

/** Notes the files that a program writes although it seems only to read. */
export function noteWrittenFiles({ name, args }: Invocation, shell: Shell): void {
  const writes = Object.hasOwn(WRITES, name) ? WRITES[name] : undefined;
  if (!writes || args.some(({ text }) => text === '--help')) return;
  const { allValues, operands } = parseOptions(args, [...(writes.options ?? []), ...(writes.values ?? [])]);
  for (const flag of writes.options ?? [])
    for (const file of allValues.get(flag) ?? []) if (file.text !== '-') noteWrite('overwrite', name, file, shell);
  const nothingIn = operands[0]?.text === '/dev/null';
  for (const file of writes.operands === undefined ? [] : operands.slice(writes.operands)) {
    if (file.text === '-') continue;
    noteWrite('overwrite', name, file, shell);
    if (nothingIn) noteEmptied(name, file, shell);
  }
  const changes = args.find(({ text }) => writes.inPlace?.test(text));
  if (changes === undefined) return;
  shell.act('change', name, changes.text);
  for (const file of operands) noteWrite('overwrite', `${name} ${changes.text}`.slice(0, 60), file, shell);
}
