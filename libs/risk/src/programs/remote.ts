// SPDX-License-Identifier: Apache-2.0
import { isExact, type Field } from '../shell/field.ts';
import { parseOptions } from '../shell/options.ts';
import { runSource } from '../shell/run-source.ts';
import type { Invocation, Shell } from '../shell/shell.ts';
import { NOTHING } from '../shell/source.ts';
import { REMOTE_FORMS, type RemoteForm } from './rows/remote.ts';
import { byProgram, hasForm, optionValues } from './table.ts';

/*
 * Commands that run on another machine, in a container or on a device. They are interpreted like any command. Their
 * effects are beyond the workspace, so no rollback undoes them.
 */

/** Interprets the commands of `body` as running elsewhere: they touch nothing in the workspace. */
export function runElsewhere<T>(shell: Shell, body: () => T): T {
  const { scope } = shell;
  const { cwds, isElsewhere } = scope;
  scope.cwds = [undefined];
  scope.isElsewhere = true;
  try {
    return body();
  } finally {
    scope.cwds = cwds;
    scope.isElsewhere = isElsewhere;
  }
}

const BY_PROGRAM = byProgram(REMOTE_FORMS);

/** Interprets the command that the program starts elsewhere, if there is one. */
export function noteRemoteCommands(call: Invocation, shell: Shell): void {
  if (call.name === 'aws') noteSystemsManager(call, shell);
  for (const form of BY_PROGRAM.get(call.name) ?? []) {
    if (!hasForm(form, call.name, call.args)) continue;
    runElsewhere(shell, () => {
      followForm(form, call, shell);
    });
  }
}

function followForm(form: RemoteForm, { name, args, stdin }: Invocation, shell: Shell): void {
  const given = form.options ?? [];
  const takesValue = [...optionValues(name), ...given];
  const dashes = args.findIndex(({ text }) => text === '--');
  const own = dashes < 0 ? args : args.slice(0, dashes);
  const isPowerShell = form.powershell !== undefined && args.some(({ text }) => text === form.powershell);
  const texts = form.many ? given.flatMap((flag) => wordsBehind(flag, own)) : valuesOf(given, own, takesValue);
  for (const { text } of texts) {
    if (isPowerShell) shell.powershell(text, stdin);
    else shell.script(text, stdin);
  }
  const words = commandWords(form, args, takesValue);
  if (words.length === 0) {
    // Without a command, a shell reads commands from the input.
    if (texts.length === 0 && stdin.kind !== 'nothing') runSource(stdin, [], NOTHING, shell);
  } else if (form.asWords && words.length > 1) {
    shell.invoke(words, stdin);
  } else {
    shell.script(words.map(({ text }) => text).join(' '), stdin);
  }
}

function valuesOf(flags: readonly string[], args: readonly Field[], takesValue: readonly string[]): readonly Field[] {
  const { allValues } = parseOptions(args, takesValue);
  return flags.flatMap((flag) => allValues.get(flag) ?? []);
}

/** The words after an option up to the next one. */
function wordsBehind(flag: string, args: readonly Field[]): readonly Field[] {
  const glued = args
    .filter(({ text }) => text.startsWith(`${flag}=`))
    .map((arg) => ({ ...arg, text: arg.text.slice(flag.length + 1) }));
  const at = args.findIndex(({ text }) => text === flag);
  if (at < 0) return glued;
  const rest = args.slice(at + 1);
  const end = rest.findIndex(({ text }) => /^-{1,2}[a-z]/.test(text));
  return [...glued, ...(end < 0 ? rest : rest.slice(0, end))];
}

/**
 * The words after `--`, or after the words of the form and the name of the machine. Options of the command itself stay
 * with it.
 */
function commandWords(form: RemoteForm, args: readonly Field[], takesValue: readonly string[]): readonly Field[] {
  const dashes = args.findIndex(({ text }) => text === '--');
  if (form.dashes && dashes >= 0) return args.slice(dashes + 1);
  if (form.behind === undefined) return [];
  let rest = args;
  const skipped = (form.words?.length ?? 0) + form.behind;
  for (let count = 0; count < skipped; count += 1) rest = parseOptions(rest, takesValue, true).operands.slice(1);
  const command = parseOptions(rest, takesValue, true).operands;
  return command[0]?.text === '--' ? command.slice(1) : command;
}

/** `aws ssm send-command --parameters commands=…` and the sessions that start with a command. */
function noteSystemsManager({ args, stdin }: Invocation, shell: Shell): void {
  const { operands, allValues } = parseOptions(args, [
    ...optionValues('aws'),
    '--parameters',
    '--document-name',
    '--cli-input-json',
  ]);
  if (operands[0]?.text !== 'ssm') return;
  const isPowerShell = /PowerShell/i.test(allValues.get('--document-name')?.[0]?.text ?? '');
  for (const { text } of [...(allValues.get('--parameters') ?? []), ...(allValues.get('--cli-input-json') ?? [])]) {
    const commands = commandsIn(text);
    runElsewhere(shell, () => {
      if (commands === undefined) shell.act('run_unknown', 'aws ssm', text);
      for (const command of commands ?? []) {
        if (isPowerShell) shell.powershell(command, stdin);
        else shell.script(command, stdin);
      }
    });
  }
}

/**
 * The commands in the parameters of a document, as JSON or in the short form; undefined where they can't be determined.
 */
function commandsIn(parameters: string): readonly string[] | undefined {
  if (!isExact(parameters) || parameters.startsWith('file:')) return undefined;
  const [, list] = /(?:^|[,\s])commands?\s*=\s*([\s\S]+)$/.exec(parameters) ?? [];
  const json = list ?? parameters;
  try {
    return stringsIn(JSON.parse(json) as unknown);
  } catch {
    return list === undefined ? undefined : [list.replace(/^\[?["']?|["']?\]?$/g, '')];
  }
}

const stringsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
};
