// SPDX-License-Identifier: Apache-2.0
import { field, isExact } from '../shell/field.ts';
import { takeOptions } from '../shell/options.ts';
import type { Reading } from '../shell/shell.ts';
import { ANYTHING, NOTHING, tainted, textOf, textSource, type Source } from '../shell/source.ts';
import { sed } from './sed.ts';
import { noteWrite } from './write.ts';

/** `{print $2}`: the only awk program of which the output is told. */
const PRINTS = /^\s*\{\s*print\s+\$(\d+)\s*;?\s*\}\s*$/;

/** An awk program can start commands and write files; without either it only prints. */
const awk: Reading = ({ name, args, stdin }, shell) => {
  const options = takeOptions(args, ['-F', '-v', '-f', '-i', '--field-separator', '--assign', '--file', '--include'], true);
  const [program, ...files] = options.operands;
  const code = program?.text ?? '';
  if (/\bsystem\s*\(|\|&?\s*getline|\|&?\s*"|\|&?\s*\w+\s*(?:;|\}|$)/.test(code)) {
    for (const [, text = ''] of code.matchAll(/"((?:[^"\\]|\\.)*)"/g)) shell.script(text, ANYTHING);
    if (!/^[^$]*system\s*\(\s*"[^"]*"\s*\)[^$]*$/.test(code)) shell.act('run_unknown', name, code);
  }
  for (const [, text = ''] of code.matchAll(/>>?\s*"([^"]+)"/g)) noteWrite('overwrite', name, field(text), shell);
  if (options.values.get('-i')?.text === 'inplace') {
    for (const file of files) noteWrite('overwrite', name, file, shell);
    // What isn't printed is gone; a condition without an action prints.
    if (!/\bprint|^[^{}]+$|\}\s*[^{}\s]+\s*$/.test(code)) for (const file of files) shell.act('empty', name, file.text);
  }
  return printed(code, stdin);
};

function printed(code: string, stdin: Source): Source {
  const column = PRINTS.exec(code)?.[1];
  if (column === undefined || stdin.kind !== 'text' || !isExact(stdin.text)) return tainted(stdin);
  const lines = stdin.text.split('\n').map((line) => (column === '0' ? line : line.trim().split(/\s+/)[Number(column) - 1] ?? ''));
  return textSource(lines.join('\n'), stdin.decoded);
}

/** Editors run what follows `!`. */
const editor: Reading = ({ name, args, stdin }, shell) => {
  const options = takeOptions(args, ['-c', '--cmd', '-S', '-u']);
  for (const { text } of [...(options.allValues.get('-c') ?? []), ...options.operands.filter((one) => one.text.startsWith('+')).map((one) => ({ text: one.text.slice(1) }))]) {
    const command = /^:?\s*(?:%|\d+)?!(.*)$/s.exec(text)?.[1] ?? /\bsystem\((['"])(.*)\1\)/s.exec(text)?.[2];
    if (command !== undefined) shell.script(command, ANYTHING);
  }
  for (const file of options.operands) if (shell.zones(file).some((zone) => zone === 'system' || zone === 'device')) noteWrite('overwrite', name, file, shell);
  if (name === 'ed' || name === 'ex') for (const line of textOf(stdin).split('\n')) if (line.startsWith('!')) shell.script(line.slice(1), NOTHING);
  return ANYTHING;
};

/** What it lists holds every process, the first one too. */
const ps: Reading = () => textSource('root 1 0 0 1 1 ? S 00:00 0:00 init\n');

export const TEXT_PROGRAMS: Readonly<Record<string, Reading>> = { awk, gawk: awk, mawk: awk, nawk: awk, sed, gsed: sed, vim: editor, vi: editor, nvim: editor, nano: editor, ex: editor, ed: editor, ps };
