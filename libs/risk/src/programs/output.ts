// SPDX-License-Identifier: Apache-2.0
import { decodeEscapes } from '../shell/escapes.ts';
import { field, isExact, isNumber, NUMBER, type Field, type Source } from '../shell/field.ts';
import { parseOptions } from '../shell/options.ts';
import type { Reading, Shell } from '../shell/shell.ts';
import { ANYTHING, deviceSource, EMPTY, ENDLESS, NOTHING, passedOn, tainted, textSource } from '../shell/source.ts';
import { TEMPORARY } from '../zones.ts';
import { A_NUMBER, countsLines } from './counts.ts';
import { isHuge } from './sizes.ts';
import { printedOf } from './empty-writes.ts';
import { TRANSFERS } from './transfers.ts';

/* Programs of which only the output matters: the next command may run its content. */

const echo: Reading = ({ args }) => {
  const flags = args.findIndex(({ text }) => !/^-[neE]+$/.test(text)) >>> 0;
  const text = args
    .slice(flags)
    .map((word) => word.text)
    .join(' ');
  const escapes = args.slice(0, flags).some((word) => word.text.includes('e'));
  return textSource(`${escapes ? decodeEscapes(text) : text}\n`, escapes && text.includes('\\'));
};

/** Fills `%s` and similar directives in order and repeats the format while arguments remain, as POSIX `printf` does. */
export const printf: Reading = ({ args }, shell) => {
  const [format, ...rest] = args[0]?.text === '--' ? args.slice(1) : args;
  if (!format) return NOTHING;
  const pattern = decodeEscapes(format.text);
  let [text, at] = ['', 0];
  do {
    shell.meter.text(pattern.length + 64);
    text += pattern.replace(/%(?:%|[-+ #0]*[\d*]*(?:\.\d+)?([a-zA-Z]))/g, (_all, kind: string | undefined) => {
      if (kind === undefined) return '%';
      const value = rest[at]?.text ?? '';
      at += 1;
      return kind === 'b'
        ? decodeEscapes(value)
        : kind === 'c'
          ? value.slice(0, 1)
          : 'diouxX'.includes(kind) && !isNumber(value)
            ? NUMBER
            : value;
    });
  } while (at < rest.length && at > 0 && text.length < 65_536);
  return textSource(text, format.text.includes('\\x') || /\\[0-7]{2}/.test(format.text));
};

function fileContent(path: Field, shell: Shell): Source {
  const at = shell.path(path);
  return (
    path.source ?? deviceSource(path.text) ?? (at === undefined ? undefined : shell.scope.files.get(at)) ?? ANYTHING
  );
}

const cat: Reading = ({ args, stdin }, shell) => {
  const { operands } = parseOptions(args);
  if (operands.length === 0 || operands[0]?.text === '-') return stdin;
  return operands.length === 1 && operands[0] ? fileContent(operands[0], shell) : ANYTHING;
};

/** Programs that pass on some lines of their input, or of one file. */
const filter: Reading = ({ args, stdin }) =>
  ofNumbers(stdin) ? stdin : printedOf(parseOptions(args).operands.slice(-1), passedOn(stdin, true));

/** Answers whether it consists of numbers, so that any part of it is one. */
const ofNumbers = (source: Source): boolean =>
  source.kind === 'text' &&
  source.text.includes(NUMBER) &&
  source.text.split(/\s+/).every((word) => word === '' || isNumber(word));

const grep: Reading = (call, shell) => (countsLines(call) ? A_NUMBER : filter(call, shell));

function decoding(decode: (text: string) => string, decodes: (args: readonly Field[]) => boolean): Reading {
  return ({ args, stdin }, shell) => {
    if (!decodes(args)) return passedOn(stdin, false);
    const { operands } = parseOptions(args, ['-w', '--wrap', '-i', '--input']);
    const input = stdin.kind === 'nothing' && operands[0] ? fileContent(operands[0], shell) : stdin;
    if (input.kind !== 'text') return passedOn(input, false);
    return isExact(input.text) ? textSource(decode(input.text), true) : ANYTHING;
  };
}

const base64 = decoding(
  (text) => Buffer.from(text, 'base64').toString('utf8'),
  (args) => args.some(({ text }) => /^(-\w*[dD]|--decode)/.test(text)),
);
const xxd = decoding(
  (text) => Buffer.from(text.replace(/^[0-9a-f]+:\s|\s/gi, ''), 'hex').toString('utf8'),
  (args) => args.some(({ text }) => /^-\w*r|^-revert/.test(text)),
);
const rev = decoding(
  (text) =>
    text
      .split('\n')
      .map((line) => [...line].reverse().join(''))
      .join('\n'),
  () => true,
);

const mktemp: Reading = () => textSource(`${TEMPORARY}\n`);
const pwd: Reading = (_call, shell) => textSource(`${shell.scope.value('PWD').join(' ')}\n`);
const path: Reading = ({ args, stdin }, shell) => {
  const { operands } = parseOptions(args);
  const first = operands[0] && shell.path(operands[0]);
  return first === undefined ? passedOn(stdin, false) : textSource(`${first}\n`);
};
/** The paths of programs, as `which` and `command -v` print them. */
export const programPaths = (names: readonly Field[]): Source =>
  names.every(({ text }) => isExact(text))
    ? textSource(names.map(({ text }) => (text.includes('/') ? `${text}\n` : `/usr/bin/${text}\n`)).join(''))
    : ANYTHING;
const which: Reading = ({ args }) => programPaths(parseOptions(args).operands);
/** Lists names of the current directory or of the patterns given. */
const ls: Reading = ({ args }) => {
  const { operands } = parseOptions(args);
  return {
    kind: 'paths',
    paths:
      operands.length === 0
        ? [field('*', true)]
        : operands.map(({ text, glob }) => (glob ? field(text, true) : field(`${text}/*`, true))),
  };
};
const silent: Reading = () => EMPTY;
const yes: Reading = () => ENDLESS;

/** Some lines of the input or of a file; of endless input, only as much as is requested. */
const head: Reading = ({ name, args, stdin }, shell) => {
  const { values, operands } = parseOptions(args, ['-n', '-c', '--lines', '--bytes']);
  const count = values.get('-c')?.text ?? values.get('--bytes')?.text ?? '';
  if (isHuge(count)) shell.act('exhaustion', name, count);
  if (ofNumbers(stdin)) return stdin;
  const input = operands.length === 1 && operands[0] ? fileContent(operands[0], shell) : passedOn(stdin, true);
  if (/^0+$/.test(count || (values.get('-n')?.text ?? ''))) return EMPTY;
  return input.kind === 'endless' ? ANYTHING : passedOn(input, true);
};

/** Programs that translate characters, and don't end before their input does. */
const converted: Reading = ({ stdin }) =>
  ofNumbers(stdin) || stdin.kind === 'endless' || (stdin.kind === 'text' && stdin.text === '') ? stdin : tainted(stdin);
const envProgram: Reading = () => ANYTHING;

export const OUTPUTS: Readonly<Record<string, Reading>> = {
  echo,
  cat,
  bat: cat,
  tac: filter,
  head,
  tail: filter,
  uniq: filter,
  grep,
  egrep: grep,
  fgrep: grep,
  rg: grep,
  nl: filter,
  cut: filter,
  shuf: filter,
  strings: filter,
  xxd,
  base64,
  base32: base64,
  gbase64: base64,
  rev,
  ...TRANSFERS,
  mktemp,
  pwd,
  which,
  whereis: which,
  realpath: path,
  readlink: path,
  ls,
  dir: ls,
  true: silent,
  ':': silent,
  false: silent,
  sleep: silent,
  yes,
  tr: converted,
  printenv: envProgram,
};
