// SPDX-License-Identifier: Apache-2.0
import { field, isExact, UNKNOWN, withoutMarkers, type Field, type Source } from '../shell/field.ts';
import { parseOptions } from '../shell/options.ts';
import type { Reading, Shell } from '../shell/shell.ts';
import { ANYTHING, NOTHING, tainted, textOf, textSource } from '../shell/source.ts';
import { noteCode } from './code.ts';
import { quotedTexts } from './code-text.ts';
import { clearsLine } from './everything.ts';
import { sed } from './sed.ts';
import { noteEmptied, noteWrite } from './write.ts';

/** `{print $2}`: the only awk program whose output is known. */
const PRINTS = /^\s*\{\s*print\s+\$(\d+)\s*;?\s*\}\s*$/;

/** Conditions that no line meets. */
const NEVER =
  /^\s*(?:0|""|!\s*1|NR\s*(?:<=?\s*0|<\s*1|==\s*0)|0\s*==\s*1|1\s*==\s*0|\/\$\^\/)\s*(?:\{\s*print\s*\}\s*)?$/;

/** An awk program can start commands and write files; without either it only prints. */
const awk: Reading = ({ name, args, stdin }, shell) => {
  const options = parseOptions(
    args,
    ['-F', '-v', '-f', '-i', '--field-separator', '--assign', '--file', '--include'],
    true,
  );
  const [program, ...files] = options.operands;
  const code = (program?.text ?? '').replace(/[^\S\n]+/g, ' ');
  shell.meter.text(code.length * 4);
  if (/\bsystem\s*\(|\|&?\s*getline|\|&?\s*"|\|&?\s*\w+\s*(?:;|\}|$)/.test(code)) {
    for (const text of quotedTexts(code)) shell.script(text, ANYTHING);
    if (code.includes('$') || !/^[^$]*system\s*\(\s*"[^"]*"\s*\)[^$]*$/.test(code))
      shell.act('run_unknown', name, code);
  }
  for (const [, text = ''] of code.matchAll(/>>?\s*"([^"]+)"/g)) noteWrite('overwrite', name, field(text), shell);
  for (const [, to = ''] of code.matchAll(/\bprintf?\b[^;{}\n|>]{0,500}>>?\s*([^\s;}"][^;}\n]{0,200})/g))
    noteComputed(name, to, shell);
  if (withoutMarkers(code).trim() === '' && !isExact(code)) shell.act('run_unknown', name, code);
  for (const [, text = ''] of code.matchAll(/\bprintf?\s*\(?\s*""\s*\)?\s*>\s*"([^"]+)"/g))
    noteEmptied(name, field(text), shell);
  if (options.values.get('-i')?.text === 'inplace') {
    for (const file of files) noteWrite('overwrite', name, file, shell);
    // Lines that aren't printed are lost; a condition without an action prints.
    if (NEVER.test(code) || !/\bprint|^[^{}]+$|\}\s*[^{}\s]+\s*$/.test(code))
      for (const file of files) noteEmptied(name, file, shell);
  }
  return printed(code, stdin);
};

/** Output to a file with a computed name. The name of the input itself is the file that is being read. */
function noteComputed(name: string, to: string, shell: Shell): void {
  if (/^\(?\s*FILENAME\s*\)?\s*$/.test(to)) shell.act('unread_code', name, `> ${to}`);
  else noteWrite('overwrite', name, field(UNKNOWN), shell);
}

/** `dc` starts the text after `!`. */
const dc: Reading = ({ args, stdin }, shell) => {
  const options = parseOptions(args, ['-e', '--expression', '-f', '--file']);
  for (const text of [
    ...['-e', '--expression'].flatMap((flag) => options.allValues.get(flag) ?? []).map((one) => one.text),
    textOf(stdin),
  ]) {
    for (const [, command = ''] of text.matchAll(/!(?![<>=])([^\n]+)/g)) {
      shell.act('run_unknown', 'dc', command);
      shell.script(command, NOTHING);
    }
  }
  return ANYTHING;
};

function printed(code: string, stdin: Source): Source {
  const column = PRINTS.exec(code)?.[1];
  if (column === undefined || stdin.kind !== 'text' || !isExact(stdin.text)) return tainted(stdin);
  const lines = stdin.text
    .split('\n')
    .map((line) => (column === '0' ? line : (line.trim().split(/\s+/)[Number(column) - 1] ?? '')));
  return textSource(lines.join('\n'), stdin.decoded);
}

/** Commands of vi and similar editors that delete every line, or the whole buffer. */
const CLEARS =
  /^:?\s*(?:(?:%|[01]?,\$?|1,\$)\s*d(?:e(?:l(?:e(?:t(?:e)?)?)?)?)?\b|(?:%|1,\$)s(?:ubstitute)?(?=\W)|g(?:lobal)?\/[.^*$]*\/d|norm(?:al)?!?\s+(?:gg"?_?dG|ggVGd|:?%d)|call\s+deletebufline\()/;
const SAVES = /^:?\s*(?:w(?:q|rite)?|x(?:it)?|up(?:date)?|wqa|wa|xa)\b!?|\bZZ\b/;

/** Notes what remains of the files after a script of editor commands. */
function noteEdits(name: string, texts: readonly string[], files: readonly Field[], shell: Shell): void {
  const commands = texts.flatMap((text) => text.split(/[\n|]/));
  const clears = commands.some(
    (text) =>
      CLEARS.test(text) &&
      (!/^:?\s*(?:%|1,\$)s/.test(text) || clearsLine(text.replace(/^:?\s*(?:%|1,\$)s(?:ubstitute)?/, 's'))),
  );
  if (clears && commands.some((text) => SAVES.test(text))) for (const file of files) noteEmptied(name, file, shell);
}

/** The text before the command itself, in commands of vi and similar editors. */
const PREFIXES =
  /^:?\s*(?:(?:sil(?:ent)?!?|noautocmd|exe(?:cute)?|keep\w+|verb(?:ose)?|bufdo|windo|argdo|tabdo|r(?:ead)?|w(?:rite)?|ter(?:minal)?|norm(?:al)?!?)\s+)*["']?:?/;
/** Languages that an editor embeds, and its own function that deletes. */
const WITHIN = /^(?:lua|py(?:thon)?3?|pyx|perl|ruby|tcl|mz(?:scheme)?)\s+(.+)$/s;

function noteCommand(name: string, text: string, shell: Shell): void {
  const plain = text.replace(PREFIXES, '');
  const command =
    /^(?:%|\d+|[.$'<>,]+)?\s*!(.*)$/s.exec(plain)?.[1] ?? /\bsystem(?:list)?\((['"])(.{0,4000})\1\)/s.exec(text)?.[2];
  if (command !== undefined) shell.script(command, ANYTHING);
  const code = WITHIN.exec(plain)?.[1];
  if (code !== undefined)
    noteCode(
      plain.startsWith('lua')
        ? 'lua'
        : plain.startsWith('r')
          ? 'ruby'
          : plain.startsWith('pe')
            ? 'perl'
            : plain.startsWith('t')
              ? 'tclsh'
              : 'python',
      code,
      shell,
    );
  if (/\b(?:call\s+delete|=\s*delete)\s*\(/.test(text)) shell.act('code', name, 'delete(');
}

/** Editors run the text after `!`. */
const editor: Reading = ({ name, args, stdin }, shell) => {
  const options = parseOptions(args, ['-c', '--cmd', '-S', '-u']);
  const files = options.operands.filter(({ text }) => !text.startsWith('+'));
  const given = [
    ...(options.allValues.get('-c') ?? []),
    ...(options.allValues.get('--cmd') ?? []),
    ...options.operands.filter((one) => one.text.startsWith('+')).map((one) => ({ text: one.text.slice(1) })),
  ];
  noteEdits(name, [...given.map(({ text }) => text), textOf(stdin)], files, shell);
  for (const { text } of given) noteCommand(name, text, shell);
  for (const file of options.operands)
    if (shell.zones(file).some((zone) => zone === 'system' || zone === 'device'))
      noteWrite('overwrite', name, file, shell);
  if (name === 'ed' || name === 'ex')
    for (const line of textOf(stdin).split('\n')) if (line.startsWith('!')) shell.script(line.slice(1), NOTHING);
  return ANYTHING;
};

/** Lisp in the arguments of emacs: the programs that it starts, and the buffer that it clears. */
const emacs: Reading = ({ name, args }, shell) => {
  const options = parseOptions(args, ['--eval', '-eval', '--execute', '-execute', '-l', '--load', '-f', '--funcall']);
  for (const { text } of ['--eval', '-eval', '--execute', '-execute'].flatMap(
    (flag) => options.allValues.get(flag) ?? [],
  )) {
    for (const [, command = ''] of text.matchAll(
      /\((?:shell-command(?:-to-string)?|call-process-shell-command|async-shell-command)\s+"((?:[^"\\]|\\.){0,4000})"/g,
    ))
      shell.script(command, NOTHING);
    if (/\((?:erase-buffer|delete-region)\b/.test(text))
      for (const file of options.operands) noteEmptied(name, file, shell);
    const deletes = /\((?:delete-(?:file|directory)|start-process|call-process|kill-emacs-hook)\b/.exec(text)?.[0];
    if (deletes !== undefined) shell.act('code', name, deletes);
  }
  return ANYTHING;
};

/** Its list contains every process, including the first one. */
const ps: Reading = () => textSource('root 1 0 0 1 1 ? S 00:00 0:00 init\n');

export const TEXT_PROGRAMS: Readonly<Record<string, Reading>> = {
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
  sed,
  gsed: sed,
  vim: editor,
  vi: editor,
  nvim: editor,
  nano: editor,
  ex: editor,
  ed: editor,
  red: editor,
  kak: editor,
  hx: editor,
  emacs,
  emacsclient: emacs,
  ps,
  dc,
};
