// SPDX-License-Identifier: Apache-2.0
import { decodeEscapes } from '../shell/escapes.ts';
import { field, isExact, isNumber, NUMBER, SECRET, type Field } from '../shell/field.ts';
import { has, takeOptions } from '../shell/options.ts';
import type { Reading, Shell } from '../shell/shell.ts';
import {
  ANYTHING,
  deviceSource,
  EMPTY,
  ENDLESS,
  FROM_NETWORK,
  NOTHING,
  passedOn,
  tainted,
  textSource,
  type Source,
} from '../shell/source.ts';
import { TEMPORARY } from '../zones.ts';
import { A_NUMBER, countsLines } from './counts.ts';
import { noteSpoken } from './database.ts';
import { isLocal, noteNamedEndpoint, noteRequest } from './egress.ts';
import { isHuge } from './sizes.ts';
import { printedOf } from './nothing-given.ts';
import { noteMade, noteWrite } from './write.ts';

/* Programs of which only the output matters: what is in it may be run by the next. */

const echo: Reading = ({ args }) => {
  const flags = args.findIndex(({ text }) => !/^-[neE]+$/.test(text)) >>> 0;
  const text = args
    .slice(flags)
    .map((word) => word.text)
    .join(' ');
  const escapes = args.slice(0, flags).some((word) => word.text.includes('e'));
  return textSource(`${escapes ? decodeEscapes(text) : text}\n`, escapes && text.includes('\\'));
};

/** Fills `%s` and its kin in order and repeats the format while arguments remain, as POSIX `printf` does. */
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
  const { operands } = takeOptions(args);
  if (operands.length === 0 || operands[0]?.text === '-') return stdin;
  return operands.length === 1 && operands[0] ? fileContent(operands[0], shell) : ANYTHING;
};

/** Programs that pass on some lines of their input, or of one file. */
const filter: Reading = ({ args, stdin }) =>
  ofNumbers(stdin) ? stdin : printedOf(takeOptions(args).operands.slice(-1), passedOn(stdin, true));

/** Answers whether there are numbers alone in it, so that whatever is taken of it is one. */
const ofNumbers = (source: Source): boolean =>
  source.kind === 'text' &&
  source.text.includes(NUMBER) &&
  source.text.split(/\s+/).every((word) => word === '' || isNumber(word));

const grep: Reading = (call, shell) => (countsLines(call) ? A_NUMBER : filter(call, shell));

function decoding(decode: (text: string) => string, decodes: (args: readonly Field[]) => boolean): Reading {
  return ({ args, stdin }, shell) => {
    if (!decodes(args)) return passedOn(stdin, false);
    const { operands } = takeOptions(args, ['-w', '--wrap', '-i', '--input']);
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

const FETCH_VALUES = [
  '-o',
  '--output',
  '-X',
  '--request',
  '-H',
  '--header',
  '-d',
  '--data',
  '--data-binary',
  '--data-raw',
  '-F',
  '--form',
  '-u',
  '--user',
  '-A',
  '--user-agent',
  '-e',
  '-b',
  '-c',
  '-T',
  '--upload-file',
  '-O',
  '--output-document',
  '-P',
  '--directory-prefix',
  '-m',
  '--max-time',
  '--retry',
  '--data-ascii',
  '--data-urlencode',
  '--json',
  '--form-string',
  '--post-file',
  '--post-data',
  '--body-file',
  '--body-data',
  '--method',
  '--url',
  '--url-query',
  '--connect-timeout',
  '-x',
  '--proxy',
  '-w',
  '--write-out',
  '-t',
  '--tries',
  '--timeout',
  '-U',
];

/** What is fetched goes to a file or to the output; either way it is content of the network. */
const SENDS = new Set([
  '-d',
  '--data',
  '--data-binary',
  '--data-raw',
  '--data-urlencode',
  '--json',
  '-F',
  '--form',
  '-T',
  '--upload-file',
]);

/** Characters of a request's data that are looked at: what names a file or a host stands before them. */
const DATA_CHARS = 2048;
const shortened = (args: readonly Field[]): readonly Field[] =>
  args.map((arg) =>
    arg.text.length <= DATA_CHARS
      ? arg
      : { ...arg, text: `${arg.text.slice(0, DATA_CHARS)}${arg.text.includes(SECRET) ? SECRET : ''}` },
  );

const curl: Reading = ({ args, stdin }, shell) => {
  const options = takeOptions(
    shortened(args),
    FETCH_VALUES.filter((flag) => flag !== '-O'),
  );
  const method = (options.values.get('-X') ?? options.values.get('--request'))?.text.toUpperCase();
  if ((method === 'DELETE' || method === 'PURGE') && !options.operands.every(({ text }) => isLocal(text)))
    shell.act('remote_loss', `curl -X ${method}`, options.operands.at(-1)?.text ?? '');
  if ((method === 'PUT' || method === 'PATCH') && !options.operands.every(({ text }) => isLocal(text)))
    shell.act('infrastructure_change', `curl -X ${method}`, options.operands.at(-1)?.text ?? '');
  noteRequest('curl', options, stdin, shell);
  const changes =
    (method !== undefined && method !== 'GET' && method !== 'HEAD') ||
    [...SENDS].some((flag) => options.flags.has(flag));
  if (changes) noteNamedEndpoint('curl', options, shell);
  if (changes) shell.act('change', 'curl', method ?? 'POST');
  const output = options.values.get('-o') ?? options.values.get('--output');
  if (output) return saved('curl', output, shell);
  if (!has(options, '-O', '--remote-name', '--remote-name-all')) return FROM_NETWORK;
  for (const { text } of options.operands) saved('curl', field(nameIn(text)), shell);
  return NOTHING;
};

const wget: Reading = ({ args, stdin }, shell) => {
  const options = takeOptions(
    shortened(args),
    FETCH_VALUES.filter((flag) => flag !== '-x' && flag !== '-F' && flag !== '-c' && flag !== '-d' && flag !== '-b'),
  );
  if (/^delete$/i.test(options.values.get('--method')?.text ?? ''))
    shell.act('remote_loss', 'wget --method=DELETE', options.operands.at(-1)?.text ?? '');
  if (/^(?:put|patch)$/i.test(options.values.get('--method')?.text ?? ''))
    shell.act('infrastructure_change', 'wget', options.operands.at(-1)?.text ?? '');
  noteRequest('wget', options, stdin, shell);
  const output = options.values.get('-O') ?? options.values.get('--output-document');
  if (output?.text === '-') return FROM_NETWORK;
  if (output) return saved('wget', output, shell);
  for (const { text } of options.operands) saved('wget', field(nameIn(text)), shell);
  return NOTHING;
};

const fetched: Reading = ({ name, args }, shell) => {
  const [method, target] = takeOptions(args).operands;
  if (/^delete$/i.test(method?.text ?? '') && !isLocal(target?.text ?? ''))
    shell.act('remote_loss', `${name} DELETE`, target?.text ?? '');
  if (/^(?:put|patch)$/i.test(method?.text ?? '') && !isLocal(target?.text ?? ''))
    shell.act('infrastructure_change', `${name} ${method?.text ?? ''}`, target?.text ?? '');
  return FROM_NETWORK;
};

/** A connection may be led into a shell by an option of the program itself. */
const connects: Reading = ({ name, args, stdin }, shell) => {
  if (stdin.kind === 'text') noteSpoken(name, stdin.text, shell);
  const runs = args.find(
    ({ text }, index) =>
      /^(?:exec|system):/i.test(text) ||
      /,?(?:exec|system):/i.test(text) ||
      (index > 0 && /^-\w*[ec]$|^--(?:exec|sh-exec)$/.test(args[index - 1]?.text ?? '')),
  );
  if (runs) shell.act('remote_shell', name, runs.text);
  return FROM_NETWORK;
};

function saved(form: string, to: Field, shell: Shell): Source {
  if (to.text === '-' || to.text === '/dev/stdout') return FROM_NETWORK;
  noteWrite('overwrite', form, to, shell);
  noteMade(to, FROM_NETWORK, shell);
  return NOTHING;
}

const nameIn = (url: string): string =>
  url
    .replace(/[?#].*$/, '')
    .split('/')
    .at(-1) ?? url;

const mktemp: Reading = () => textSource(`${TEMPORARY}\n`);
const pwd: Reading = (_call, shell) => textSource(`${shell.scope.value('PWD').join(' ')}\n`);
const path: Reading = ({ args, stdin }, shell) => {
  const { operands } = takeOptions(args);
  const first = operands[0] && shell.path(operands[0]);
  return first === undefined ? passedOn(stdin, false) : textSource(`${first}\n`);
};
/** Where programs are found, as `which` and `command -v` tell. */
export const whereabouts = (names: readonly Field[]): Source =>
  names.every(({ text }) => isExact(text))
    ? textSource(names.map(({ text }) => (text.includes('/') ? `${text}\n` : `/usr/bin/${text}\n`)).join(''))
    : ANYTHING;
const which: Reading = ({ args }) => whereabouts(takeOptions(args).operands);
/** Lists names of the current directory or of the patterns given. */
const ls: Reading = ({ args }) => {
  const { operands } = takeOptions(args);
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

/** Some lines of the input or of a file; of what has no end, only as much as is asked for. */
const head: Reading = ({ name, args, stdin }, shell) => {
  const { values, operands } = takeOptions(args, ['-n', '-c', '--lines', '--bytes']);
  const count = values.get('-c')?.text ?? values.get('--bytes')?.text ?? '';
  if (isHuge(count)) shell.act('exhaustion', name, count);
  if (ofNumbers(stdin)) return stdin;
  const input = operands.length === 1 && operands[0] ? fileContent(operands[0], shell) : passedOn(stdin, true);
  if (/^0+$/.test(count || (values.get('-n')?.text ?? ''))) return EMPTY;
  return input.kind === 'endless' ? ANYTHING : passedOn(input, true);
};

/** Programs that turn one character into another, and don't end before their input does. */
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
  curl,
  wget,
  http: fetched,
  https: fetched,
  xh: fetched,
  xhs: fetched,
  curlie: fetched,
  fetch: fetched,
  aria2c: fetched,
  lynx: fetched,
  w3m: fetched,
  nc: connects,
  ncat: connects,
  netcat: connects,
  socat: connects,
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
