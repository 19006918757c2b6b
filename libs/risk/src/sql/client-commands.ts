// SPDX-License-Identifier: Apache-2.0
import { field } from '../shell/field.ts';
import type { Shell } from '../shell/shell.ts';
import { ANYTHING } from '../shell/source.ts';
import { noteEmptied, noteWrite } from '../programs/write.ts';

/*
 * Commands of a database's client besides SQL. Each of them runs on this machine, beside the client: `\! ls` of psql
 * and mysql, `.shell ls` of sqlite3, and those that read a program's output or write into one.
 */

/** Prefixes that sqlite3 accepts for `.shell` and `.system`. */
const DOT_SHELL = /^(?:sh|she|shel|shell|sy|sys|syst|syste|system)\s+([\s\S]+)$/i;
const STARTS = /^(?:!|:!!|system\s|host\s|shell\s|P\s|pager\s)\s*([\s\S]+)$/i;
const PROGRAM = /\bprogram\s+'((?:[^']|'')*)'/gi;
const PIPE = new RegExp(
  [
    String.raw`^(?:o|out|g|gx|w|write|once|output|import|read|log|trace|excel|tee|T)\s+(?:-\w+\s+)*["']?\|\s*([\s\S]+?)["']?$`,
  ].join(''),
  'i',
);
const TO_FILE = /^(?:o|out|w|write|once|output|backup|save|clone|log|s|T|tee)\s+(?:-\w+\s+)*["']?([^\s"'|]+)["']?$/i;
const FILLS_ANEW = /^open\s+(?:-\w+\s+)*--?new\s+(?:-\w+\s+)*["']?([^\s"']+)["']?$/i;
/** Loads code, or runs the rows of a result as unknown statements (`\gexec`). */
const UNKNOWN_CODE = /^(?:load\s|gexec\b|delimiter\s)/i;

/** Notes the effects of a client's command; `command` is without its marker. */
export function noteClientCommand(form: string, command: string, shell: Shell): void {
  const started = [DOT_SHELL, STARTS, PIPE]
    .map((pattern) => pattern.exec(command)?.[1])
    .find((text) => text !== undefined);
  if (started !== undefined) shell.script(started.trim(), ANYTHING);
  if (/^copy\b/i.test(command))
    for (const [, program = ''] of command.matchAll(PROGRAM)) shell.script(program.replaceAll("''", "'"), ANYTHING);
  // psql runs texts in backquotes in the arguments of its commands.
  for (const [, text = ''] of command.matchAll(/`([^`]*)`/g)) shell.script(text, ANYTHING);
  const file = TO_FILE.exec(command)?.[1];
  if (file !== undefined)
    noteWrite(/^(?:backup|save)/i.test(command) ? 'overwrite' : 'place', form, field(file), shell);
  const anew = FILLS_ANEW.exec(command)?.[1];
  if (anew !== undefined) noteEmptied(form, field(anew), shell);
  if (UNKNOWN_CODE.test(command)) shell.act('run_unknown', form, command);
}
