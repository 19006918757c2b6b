// SPDX-License-Identifier: Apache-2.0
import { problemAt, type CliToolSource, type Problem } from '@writ/contract';
import { placeholdersOf } from './template.ts';

/** Programs that interpret their arguments as commands. */
const SHELLS = new Set([
  'ash',
  'bash',
  'busybox',
  'csh',
  'dash',
  'env',
  'eval',
  'fish',
  'ksh',
  'sh',
  'su',
  'sudo',
  'tcsh',
  'xargs',
  'zsh',
]);

/**
 * INVARIANT (no shell strings): a caller's value is never part of a command's text. A shell may run a script whose name
 * is in the definition, with the caller's values as its arguments. Neither its options nor the script's name contain a
 * value, and `-c` is not allowed.
 */
export function shellProblems({ cmd, args = [], optional_args = {} }: CliToolSource, at: string): Problem[] {
  if (!SHELLS.has(cmd.slice(cmd.lastIndexOf('/') + 1))) return [];
  const script = args.findIndex((arg) => !arg.startsWith('-'));
  const options = script === -1 ? args : args.slice(0, script);
  const takesText = options.some((arg) => /^-[A-Za-z]*[cs]/.test(arg) || hasValue(arg));
  const isNamed = script !== -1 && !hasValue(args[script] ?? '') && args[script] !== '';
  if (isNamed && !takesText && !isProgram(cmd)) return [];
  const hint = 'name the program itself; for commands as text there is `shell.run`';
  return [
    problemAt(
      `${at}/cmd`,
      `\`${cmd}\` would read arguments as commands`,
      Object.keys(optional_args).length > 0 || isProgram(cmd)
        ? hint
        : `${hint}, or let the first argument be the name of a script`,
    ),
  ];
}

const hasValue = (arg: string): boolean => (placeholdersOf(arg) ?? ['']).length > 0;
/** Their first argument is a program, not a script. */
const isProgram = (cmd: string): boolean => /(^|\/)(busybox|env|eval|su|sudo|xargs)$/.test(cmd);
