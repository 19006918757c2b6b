// SPDX-License-Identifier: Apache-2.0
import { field, SECRET, type Field, type Source } from '../shell/field.ts';
import { has, parseOptions } from '../shell/options.ts';
import type { Reading, Shell } from '../shell/shell.ts';
import { FROM_NETWORK, NOTHING } from '../shell/source.ts';
import { noteStoreText } from './database.ts';
import { isLocal, noteNamedEndpoint, noteRequest } from './egress.ts';
import { noteMade, noteWrite } from './write.ts';

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

/** A response goes to a file or to the output; either way it is content of the network. */
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

/** Characters of a request's data that are examined: a marker for a file or a host precedes it. */
const DATA_CHARS = 2048;
const shortened = (args: readonly Field[]): readonly Field[] =>
  args.map((arg) =>
    arg.text.length <= DATA_CHARS
      ? arg
      : { ...arg, text: `${arg.text.slice(0, DATA_CHARS)}${arg.text.includes(SECRET) ? SECRET : ''}` },
  );

const curl: Reading = ({ args, stdin }, shell) => {
  const options = parseOptions(
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
  const options = parseOptions(
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
  const [method, target] = parseOptions(args).operands;
  if (/^delete$/i.test(method?.text ?? '') && !isLocal(target?.text ?? ''))
    shell.act('remote_loss', `${name} DELETE`, target?.text ?? '');
  if (/^(?:put|patch)$/i.test(method?.text ?? '') && !isLocal(target?.text ?? ''))
    shell.act('infrastructure_change', `${name} ${method?.text ?? ''}`, target?.text ?? '');
  return FROM_NETWORK;
};

/** An option of the program itself may connect it to a shell. */
const connects: Reading = ({ name, args, stdin }, shell) => {
  if (stdin.kind === 'text') noteStoreText(name, stdin.text, shell);
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

/** Programs that send a request to another host, or connect to it. */
export const TRANSFERS: Readonly<Record<string, Reading>> = {
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
};
