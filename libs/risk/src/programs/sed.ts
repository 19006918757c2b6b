// SPDX-License-Identifier: Apache-2.0
import { field, isExact, withoutMarkers, type Field } from '../shell/field.ts';
import { has, parseOptions } from '../shell/options.ts';
import type { Reading, Shell } from '../shell/shell.ts';
import { NOTHING, tainted } from '../shell/source.ts';
import { clearsLine } from './everything.ts';
import { printedOf } from './empty-writes.ts';
import { noteEmptied, noteWrite } from './write.ts';

interface SedCommand {
  readonly address: string;
  readonly name: string;
  /** the text after the command: flags of `s`, the file of `w`, the program of `e` */
  readonly rest: string;
}

/** Longer addresses are unusual. An address without an end would make each command search to the end of the script. */
const ADDRESS =
  /^\s*((?:\d+|\$|\/(?:\\.|[^/\\]){0,1000}\/[IM]*|\\(.)(?:\\.|(?!\2).){0,1000}\2[IM]*)?(?:\s*[,~]\s*(?:[+~]?\d+|\$|\/(?:\\.|[^/\\]){0,1000}\/[IM]*))?)\s*(!?)\s*/;

/** The commands of a script, in order; those in blocks are included. */
export function sedCommands(script: string): readonly SedCommand[] {
  const commands: SedCommand[] = [];
  for (let rest = script; rest.trim() !== '';) {
    rest = rest.replace(/^[\s;{}]+/, '');
    if (rest === '') break;
    const [all = '', address = '', , negated = ''] = ADDRESS.exec(rest) ?? [];
    const name = rest.charAt(all.length);
    const body = rest.slice(all.length + 1);
    const length = lengthOf(name, body);
    commands.push({ address: `${address.trim()}${negated}`, name, rest: body.slice(0, length) });
    rest = body.slice(length);
  }
  return commands;
}

/**
 * The length of a command: `s` and `y` by their separator, commands with a text or a file to the line's end, others to
 * the next `;`.
 */
function lengthOf(name: string, body: string): number {
  if (name === 's' || name === 'y') {
    const at = flagsAt(body);
    // The name of a written file reaches to the end of the line.
    return at + endOf(body.slice(at), /^[gpiImMe\d\s]*w/.test(body.slice(at, at + 20)) ? /\n/ : /[;\n}]/);
  }
  return endOf(body, 'aicrRwWe:'.includes(name) ? /\n/ : /[;\n}]/);
}

/** Where the flags of `s` begin: after the third unescaped separator. */
function flagsAt(body: string): number {
  let [at, left] = [1, 2];
  for (; at < body.length && left > 0; at += 1) {
    if (body.charAt(at) === '\\') at += 1;
    else if (body.charAt(at) === body.charAt(0)) left -= 1;
  }
  return at;
}

function endOf(text: string, end: RegExp): number {
  const at = text.search(end);
  return at < 0 ? text.length : at;
}

/** Answers whether the script leaves no line of any input. */
const empties = (commands: readonly SedCommand[]): boolean =>
  commands.some(
    ({ address, name, rest }) =>
      (name === 'd' ||
        name === 'Q' ||
        (name === 'c' && /^\\?\s*$/.test(rest)) ||
        (name === 's' && clearsLine(`s${rest}`))) &&
      /^(?:|1,\$|0~1|1~1|\/\.?\/,\$|\/(?:\^?\.|\.\$|\^?\.(?:\*|\+|\\\+)\$?|\^|\$)?\/)$/.test(
        address.replaceAll(' ', ''),
      ),
  );

/** Answers whether the script prints explicitly. */
const prints = (commands: readonly SedCommand[]): boolean =>
  commands.some(
    ({ name, rest }) => 'pPwWiacrRl='.includes(name) || (name === 's' && /^[gpiImMe\d\s]*[pw]/.test(flagsOf(rest))),
  );

/** The text after the last separator of `s`. */
const flagsOf = (rest: string): string => rest.slice(flagsAt(rest));

export const sed: Reading = ({ name, args, stdin }, shell) => {
  const options = parseOptions(args, ['-e', '--expression', '-f', '--file', '-l', '--line-length']);
  const given = [...(options.allValues.get('-e') ?? []), ...(options.allValues.get('--expression') ?? [])];
  const isGiven = given.length > 0 || options.values.has('-f') || options.values.has('--file');
  const scripts = isGiven ? given : options.operands.slice(0, 1);
  const files = isGiven ? options.operands : options.operands.slice(1);
  for (const { text } of scripts)
    if (withoutMarkers(text).trim() === '' && !isExact(text)) shell.act('run_unknown', name, text);
  for (const { text } of scripts) shell.meter.text(text.length * 16);
  const commands = scripts.flatMap(({ text }) => sedCommands(text));
  for (const command of commands) noteRun(name, command, shell);
  // With empty input, nothing is written.
  if (files.length > 0 && files.every(({ text }) => text === '/dev/null'))
    for (const { name: letter, rest } of commands)
      if (letter === 'w' || letter === 'W') noteEmptied(name, field(rest.trim()), shell);
  if (args.some(({ text }) => /^-[nErszu]*i|^--in-place/.test(text)) || has(options, '-i'))
    noteInPlace(
      name,
      files,
      empties(commands) ||
        (has(options, '-n', '--quiet', '--silent') && !has(options, '-f', '--file') && !prints(commands)),
      shell,
    );
  return printedOf(files, tainted(stdin));
};

/** GNU sed starts the argument of `e`, and with the flag `e` the pattern space; `w` writes to files. */
function noteRun(name: string, { name: letter, rest }: SedCommand, shell: Shell): void {
  if (letter === 'e' && rest.trim() !== '') shell.script(rest.trim(), NOTHING);
  if (letter === 'e' || (letter === 's' && /^[gpiImM0-9]*e/.test(flagsOf(rest)))) shell.act('run_unknown', name, rest);
  if (letter === 'w' || letter === 'W') noteWrite('overwrite', name, field(rest.trim()), shell);
  // `s/a/b/w file`: the file is emptied before it gets the replaced lines.
  const written = letter === 's' ? /^[gpiImMe\d]*w\s*(\S.*)$/s.exec(flagsOf(rest))?.[1] : undefined;
  if (written !== undefined) noteWrite('overwrite', name, field(written.trim()), shell);
}

function noteInPlace(name: string, files: readonly Field[], leavesNothing: boolean, shell: Shell): void {
  for (const file of files) {
    noteWrite('overwrite', `${name} -i`, file, shell);
    if (leavesNothing) noteEmptied(`${name} -i`, file, shell);
  }
}
