// SPDX-License-Identifier: Apache-2.0
import { field, UNKNOWN, type Source } from '../shell/field.ts';
import { parseOptions } from '../shell/options.ts';
import { HOME } from '../shell/scope.ts';
import type { Invocation, Reading, Shell } from '../shell/shell.ts';
import { ANYTHING, NOTHING, passedOn, textOf } from '../shell/source.ts';
import { noteSentFile } from './egress.ts';
import { noteSshCommands } from './keys.ts';
import { DELETING } from './delete.ts';
import { printedOf } from './empty-writes.ts';
import { noteWrite } from './write.ts';
import { optionValues } from './table.ts';

/**
 * The shell that make is configured to use, and rules in its arguments. The effect of the workspace's makefile is
 * examined instead.
 */
const make: Reading = ({ name, args, stdin }, shell) => {
  const options = parseOptions(args, [...optionValues(name), '--eval', '-E']);
  for (const { text } of options.operands) {
    const [, name = '', value = ''] = /^(\w+)=(.*)$/s.exec(text) ?? [];
    if (name === 'SHELL' || isCommandLine(value)) shell.script(value, NOTHING);
  }
  const given = ['--eval', '-E'].flatMap((flag) => options.allValues.get(flag) ?? []).map(({ text }) => text);
  if (
    ['-f', '--file', '--makefile'].some(
      (flag) => options.values.get(flag)?.text === '-' || options.values.get(flag)?.text === '/dev/stdin',
    )
  )
    given.push(textOf(stdin));
  for (const rules of ['-f', '--file', '--makefile'].flatMap((flag) => options.allValues.get(flag) ?? [])) {
    if (rules.source?.kind === 'text') given.push(rules.source.text);
    else if (rules.source)
      shell.act(rules.source.kind === 'downloaded' ? 'run_downloaded' : 'run_unknown', name, rules.text);
  }
  for (const name of ['GNUmakefile', 'makefile', 'Makefile', options.values.get('-f')?.text ?? 'Makefile'])
    given.push(writtenText(name, shell) ?? '');
  for (const rules of given) for (const line of recipesOf(rules)) shell.script(line, NOTHING);
  return ANYTHING;
};

/**
 * A variable's value occurs in the commands of rules. A value that ends a command, or begins like a deleting one, is
 * read as a command.
 */
const isCommandLine = (value: string): boolean =>
  /[;&|`]|\$\(/.test(value) || Object.hasOwn(DELETING, /^\s*([\w.-]+)\s/.exec(value)?.[1] ?? '');

/** The commands of rules: lines that begin with a tab, text after `target: ;`, and arguments of `$(shell …)`. */
function recipesOf(rules: string): readonly string[] {
  return [
    ...rules
      .split('\n')
      .flatMap((line) => (line.startsWith('\t') ? [line.slice(1).replace(/^[@+-]+/, '')] : recipeBehind(line))),
    ...[...rules.matchAll(/\$\(shell\s+([^)]{0,2000})\)/g)].map(([, text = '']) => text),
  ].map((line) => line.replaceAll('$$', '$'));
}

/** `target: sources; command` */
function recipeBehind(line: string): readonly string[] {
  const at = line.indexOf(';');
  const rule = line.slice(0, Math.max(at, 0));
  return at > 0 && rule.includes(':') && !/^\t|[=]/.test(rule) && !rule.slice(0, rule.indexOf(':')).includes('#')
    ? [line.slice(at + 1)]
    : [];
}

/** The text of a file that the command itself wrote. */
function writtenText(name: string, shell: Shell): string | undefined {
  const path = shell.path(field(name));
  const content = path === undefined ? undefined : shell.scope.files.get(path);
  return content?.kind === 'text' ? content.text : undefined;
}

const OF_NODE = new Set(['npm', 'pnpm', 'yarn', 'bun', 'npx']);

/** Interprets the scripts of a `package.json` that the command itself wrote. */
export function noteWrittenScripts({ name }: Invocation, shell: Shell): void {
  const text = OF_NODE.has(name) ? writtenText('package.json', shell) : undefined;
  if (text === undefined) return;
  try {
    const { scripts } = JSON.parse(text) as { readonly scripts?: Readonly<Record<string, unknown>> };
    for (const script of Object.values(scripts ?? {})) if (typeof script === 'string') shell.script(script, NOTHING);
  } catch {
    shell.act('run_unknown', name, text);
  }
}

/** Commands that precede the program that a tool starts. */
const STARTS_WITH = [
  '-exec',
  '-toolexec',
  '-wrapper',
  '--exec',
  '--wrapper',
  '--runner',
  '--script-shell',
  '--to-command',
  '--pager',
  '--ext-diff',
];
const tool: Reading = ({ args }, shell) => {
  const options = parseOptions(args, STARTS_WITH);
  for (const flag of STARTS_WITH) {
    for (const { text } of options.allValues.get(flag) ?? [])
      shell.script(`${text.replaceAll(',', ' ')} ${UNKNOWN}`, NOTHING);
  }
  return undefined;
};

/** Debuggers, pagers and old clients run the text after `!` or `shell`. */
const ESCAPES = /^\+?(?:!|shell\s|sh\s)\s*(.+)$/s;
const escapes: Reading = ({ name, args, stdin }, shell) => {
  if (TRANSFERS.has(name)) noteSentFiles(name, stdin, shell);
  if (name === 'sftp') noteSshCommands(parseOptions(args, ['-o', '-i', '-P', '-F', '-J', '-b', '-S']), shell);
  for (const text of [...args.map((arg) => arg.text), ...textOf(stdin).split('\n')]) {
    const command = ESCAPES.exec(text)?.[1];
    if (command !== undefined) shell.script(command, NOTHING);
  }
  return undefined;
};

const TRANSFERS = new Set(['ftp', 'sftp', 'lftp', 'smbclient']);
/** `put file` on the input of a client. */
function noteSentFiles(name: string, stdin: Source, shell: Shell): void {
  for (const line of textOf(stdin).split('\n')) {
    const [, verb = '', rest = ''] =
      /^\s*-?(put|mput|reput|send|mirror -R|rm|rmdir|mdel|delete|mdelete)\s+(.*)$/.exec(line) ?? [];
    const words = rest.split(/\s+/).filter((word) => word !== '' && !word.startsWith('-'));
    if (/^(?:rm|m?del|rmdir)/.test(verb)) shell.act('remote_loss', name, rest);
    else if (words[0] !== undefined) noteSentFile(name, field(words[0].replace(/^~/, HOME)), shell);
  }
}

const man: Reading = ({ args }, shell) => {
  for (const { text } of parseOptions(args, ['-P', '--pager', '-H', '--html']).allValues.get('-P') ?? [])
    shell.script(text, NOTHING);
  return ANYTHING;
};

const sort: Reading = ({ name, args, stdin }, shell) => {
  const options = parseOptions(args, ['-o', '--output', '-k', '-t', '-S', '-T', '--compress-program']);
  for (const flag of ['-o', '--output'])
    for (const file of options.allValues.get(flag) ?? []) noteWrite('overwrite', name, file, shell);
  for (const { text } of options.allValues.get('--compress-program') ?? []) shell.script(text, NOTHING);
  return printedOf(options.operands, passedOn(stdin, true));
};

/** `start-stop-daemon --exec program -- arguments` */
const daemon: Reading = ({ args, stdin }, shell) => {
  const options = parseOptions(args, [
    '--exec',
    '-x',
    '--startas',
    '-a',
    '--pidfile',
    '-p',
    '--user',
    '-u',
    '--name',
    '-n',
    '--chdir',
    '-d',
  ]);
  const program = ['--startas', '-a', '--exec', '-x']
    .map((flag) => options.values.get(flag))
    .find((value) => value !== undefined);
  return program ? shell.invoke([program, ...options.afterDashes], stdin) : ANYTHING;
};

/** The arguments after the dashes are those of a shell. */
const capsh: Reading = ({ args, stdin }, shell) => {
  const dashes = args.findIndex(({ text }) => text === '--' || text === '==');
  return dashes < 0 ? ANYTHING : shell.invoke([field('bash'), ...args.slice(dashes + 1)], stdin);
};

export const BUILDING: Readonly<Record<string, Reading>> = {
  make,
  gmake: make,
  go: tool,
  gcc: tool,
  'g++': tool,
  clang: tool,
  nodemon: tool,
  gdb: escapes,
  lldb: escapes,
  ftp: escapes,
  sftp: escapes,
  lftp: escapes,
  smbclient: escapes,
  telnet: escapes,
  less: escapes,
  more: escapes,
  most: escapes,
  mail: escapes,
  man,
  sort,
  gsort: sort,
  'start-stop-daemon': daemon,
  capsh,
};
