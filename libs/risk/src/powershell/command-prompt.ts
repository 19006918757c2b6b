// SPDX-License-Identifier: Apache-2.0
import { noteDeletions } from '../programs/delete.ts';
import { noteEmptied, noteWrite } from '../programs/write.ts';
import { field, isExact, UNKNOWN, type Field } from '../shell/field.ts';
import { HOME } from '../shell/scope.ts';
import type { Reading, Shell } from '../shell/shell.ts';
import { ANYTHING, textOf } from '../shell/source.ts';
import { pathOf } from './paths.ts';

/*
 * The command prompt of Windows, as far as its commands are recognized by their words: `del`, `rd /s`, `format`. A
 * small reader suffices, since anything that it can't parse counts as unread.
 */

/** `cmd /c text`: everything after the switch is the text. */
export const commandPrompt: Reading = ({ args, stdin }, shell) => {
  const at = args.findIndex(({ text }) => /^\/{1,2}[ckr]/i.test(text));
  if (at < 0) {
    if (stdin.kind !== 'nothing') readCommandPrompt(textOf(stdin), shell);
    return ANYTHING;
  }
  const glued = (args[at]?.text ?? '').replace(/^\/{1,2}[ckr]/i, '');
  const rest = args.slice(at + 1);
  // The words as one text: words that need quotes get those back that the calling shell removed.
  const texts =
    rest.length === 1 ? rest.map(({ text }) => text) : rest.map(({ text }) => (/\s/.test(text) ? `"${text}"` : text));
  readCommandPrompt([glued, ...texts].join(' ').trim(), shell);
  return ANYTHING;
};

/** Interprets a text as the command prompt would. */
export function readCommandPrompt(text: string, shell: Shell): void {
  const inner = /^"(.*)"$/s.exec(text)?.[1];
  // Outer quotes are removed where the text contains others.
  for (const line of piecesOf(inner !== undefined && (inner.includes('"') || /\s/.test(inner)) ? inner : text)) {
    if (!shell.afford()) {
      shell.act('run_unknown', 'cmd', line);
      return;
    }
    readCommand(line, shell);
  }
}

/**
 * The simple commands of a text: `&`, `|`, brackets and lines separate them, outside of quotes and not after a caret.
 */
function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  let piece = '';
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '"') quoted = !quoted;
    if (char === '^' && !quoted) {
      at += 1;
      piece += /[\r\n]/.test(text.charAt(at)) ? ' ' : text.charAt(at);
    } else if (!quoted && /[&|()\r\n]/.test(char)) {
      pieces.push(piece);
      piece = '';
    } else {
      piece += char;
    }
  }
  return [...pieces, piece].map((one) => one.trim()).filter((one) => one !== '');
}

const KNOWN: Readonly<Record<string, string>> = {
  userprofile: HOME,
  homepath: HOME,
  cd: '.',
  temp: '/tmp',
  tmp: '/tmp',
  systemdrive: '',
  homedrive: '',
  systemroot: '/usr',
  windir: '/usr',
  appdata: `${HOME}/AppData`,
  localappdata: `${HOME}/AppData`,
};
const expanded = (text: string): string =>
  text.replace(
    /%([^%\s:]+)(?::[^%]*)?%|!(\w+)!|%{1,2}~?[\w*]/g,
    (_all, name: string | undefined) => KNOWN[name?.toLowerCase() ?? ''] ?? UNKNOWN,
  );

function wordsOf(text: string): readonly string[] {
  return [...expanded(text).matchAll(/(?:"[^"]*"?|[^\s"])+/g)].map(([word]) => word.replaceAll('"', ''));
}

function readCommand(line: string, shell: Shell): void {
  const [command, ...targets] = line.replace(/^@+/, '').split(/\d?>>?(?!&)/);
  for (const target of targets) noteRedirected(target, WRITES_NOTHING.test((command ?? '').trim()), shell);
  const words = wordsOf((command ?? '').replace(/\d?>&\d|<\s*\S+/g, ' '));
  const [first = ''] = words;
  // A switch may be attached to the name: `rd/s/q`, `cd..`.
  const [, name = first, glued = ''] = /^([\w.\\:-]*?\w)(\/.*)$/.exec(first) ?? [];
  const rest = [...(glued.match(/\/[^/]*/g) ?? []), ...words.slice(1)];
  if (name === '') return;
  if (!isExact(name)) {
    shell.act('unknown_command', 'cmd', name);
    return;
  }
  const program = name
    .replace(/^.*[\\/]/, '')
    .replace(/\.(?:exe|com)$/i, '')
    .toLowerCase();
  const reading = Object.hasOwn(COMMANDS, program) ? COMMANDS[program] : undefined;
  if (reading) reading(program, rest, shell);
  else if (!SILENT.has(program))
    shell.invoke([field(program), ...rest.flatMap(splitSwitches).map((word) => field(word))], ANYTHING);
}

/** `type nul > file` and similar commands leave an empty file. */
const WRITES_NOTHING = /^(?:type\s+nul|break|rem|cd\.)?$/i;

function noteRedirected(target: string, isNothing: boolean, shell: Shell): void {
  const [file] = wordsOf(target);
  if (file === undefined || /^nul$/i.test(file)) return;
  noteWrite('overwrite', 'cmd >', pathOf(file, true), shell);
  if (isNothing) noteEmptied('cmd >', pathOf(file, true), shell);
}

type CommandReading = (name: string, words: readonly string[], shell: Shell) => void;

/** `/s/q` is two switches. */
const splitSwitches = (word: string): readonly string[] =>
  /^(?:\/\w+){2,}$/.test(word) && word.length <= 12 ? (word.match(/\/\w+/g) ?? [word]) : [word];
const switches = (words: readonly string[]): ReadonlySet<string> =>
  new Set(
    words
      .filter((word) => word.startsWith('/'))
      .flatMap(splitSwitches)
      .map((word) => word.toLowerCase()),
  );
const operands = (words: readonly string[]): readonly Field[] =>
  words.filter((word) => !word.startsWith('/')).map((word) => pathOf(word, false));

const del: CommandReading = (name, words, shell) => {
  noteDeletions(name, operands(words), switches(words).has('/s'), shell);
};
/** Without `/s` it removes only empty directories. */
const removeDirectory: CommandReading = (name, words, shell) => {
  if (switches(words).has('/s')) noteDeletions(name, operands(words), true, shell);
};
const place: CommandReading = (name, words, shell) => {
  const paths = operands(words);
  const to = paths.at(-1);
  if (!to || paths.length < 2) return;
  noteWrite('place', name, to, shell);
  if (/^nul$/i.test(paths[0]?.text ?? '')) noteEmptied(name, to, shell);
};
/** Files in the target that the source lacks are deleted. */
const robocopy: CommandReading = (name, words, shell) => {
  const [from, to] = operands(words);
  const given = switches(words);
  if (given.has('/l')) return;
  if (to) noteWrite('place', name, to, shell);
  if (to && (given.has('/mir') || given.has('/purge'))) noteDeletions(`${name} /mir`, [to], true, shell);
  if (from && (given.has('/move') || given.has('/mov'))) noteDeletions(`${name} /move`, [from], true, shell);
};
const changeDirectory: CommandReading = (_name, words, shell) => {
  const [to] = operands(words);
  if (to) shell.scope.cwds = [to.text.startsWith('/') ? to.text : shell.path(to)];
};
/** The command after a word that only sets when, or how, it runs. */
const behind =
  (skip: RegExp): CommandReading =>
  (name, words, shell) => {
    const line = words
      .map((word) => (/[\s&|()]/.test(word) ? `"${word}"` : word))
      .join(' ')
      .replace(skip, '');
    if (line === '') return;
    if (shell.afford()) readCommand(line, shell);
    else shell.act('run_unknown', name, line);
  };
const CONDITION = new RegExp(
  [
    String.raw`^(?:\/i\s+)?(?:not\s+)?(?:exist\s+(?:"[^"]*"|\S+)|defined\s+\S+|errorlevel\s+\S+|`,
    String.raw`(?:"[^"]*"|\S+?)\s*==\s*(?:"[^"]*"|\S+)|\S+\s+(?:equ|neq|lss|leq|gtr|geq)\s+\S+)\s*`,
  ].join(''),
  'i',
);
/** The list of a loop is in brackets, which end a command: its `do` begins the next one. */
const loop: CommandReading = (_name, _words, _shell) => undefined;

const COMMANDS: Readonly<Record<string, CommandReading>> = {
  del,
  erase: del,
  rd: removeDirectory,
  rmdir: removeDirectory,
  copy: place,
  xcopy: place,
  move: place,
  ren: place,
  rename: place,
  mklink: place,
  robocopy,
  cd: changeDirectory,
  chdir: changeDirectory,
  pushd: changeDirectory,
  if: behind(CONDITION),
  else: behind(/^$/),
  call: behind(/^$/),
  do: behind(/^$/),
  start: behind(/^(?:(?:"[^"]*"|\/\S+)\s+)*/),
  for: loop,
  forfiles: (name, words, shell) => {
    const at = words.findIndex((word) => /^\/c$/i.test(word));
    readCommandPrompt((words[at + 1] ?? '').replaceAll(/@\w+/g, UNKNOWN), shell);
    if (at < 0) shell.act('change', name, name);
  },
};

/** Programs of Windows that a shell of another kind may start too. */
const asProgram: Reading = ({ name, args }, shell) => {
  COMMANDS[name]?.(
    name,
    args.map(({ text }) => text),
    shell,
  );
  return ANYTHING;
};
export const OF_WINDOWS: Readonly<Record<string, Reading>> = {
  cmd: commandPrompt,
  'cmd.exe': commandPrompt,
  robocopy: asProgram,
  xcopy: asProgram,
  forfiles: asProgram,
};

/** Commands that show something, or change only the prompt's own state. */
const SILENT = new Set([
  'echo',
  'type',
  'dir',
  'set',
  'cls',
  'ver',
  'vol',
  'rem',
  'pause',
  'title',
  'color',
  'prompt',
  'path',
  'date',
  'time',
  'find',
  'findstr',
  'more',
  'sort',
  'where',
  'exit',
  'goto',
  'setlocal',
  'endlocal',
  'popd',
  'verify',
  'tree',
  'hostname',
  'whoami',
  'fc',
  'comp',
  'chcp',
  'break',
  'shift',
  'md',
  'mkdir',
  'in',
]);
