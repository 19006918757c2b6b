// SPDX-License-Identifier: Apache-2.0
import { DOWNLOADED, field, GIVEN, isExact, withoutMarkers } from '../shell/field.ts';
import { HOME } from '../shell/scope.ts';
import type { Shell } from '../shell/shell.ts';
import { NOTHING } from '../shell/source.ts';
import {
  CLOUD,
  COMPUTED_CALL,
  CONNECTS,
  DECODES,
  DELETES,
  DELETES_ELSEWHERE,
  DELETES_IN_CLOUD,
  EMPTIES_DATABASE,
  ENVIRONMENT,
  EVALUATES,
  FETCHES,
  FORKS,
  FROM_OUTSIDE,
  KILLS,
  LISTS,
  OPENS,
  READS,
  QUERIES,
  SENDS,
  STARTS,
  STARTS_UNKNOWN,
  WRITES,
  WRITES_NOTHING,
  WRITES_SOMETHING,
  WRITING_MODE,
} from './code-calls.ts';
import { codeTextOf, type CodeText } from './code-text.ts';
import { noteSql } from './database.ts';
import { isLocal } from './egress.ts';
import type { Zone } from '../zones.ts';
import { isCredential } from './secret-names.ts';
import { noteEmptied, noteWrite } from './write.ts';

/*
 * Code of other languages isn't interpreted: its calls are recognized by their names, and strings for a shell are
 * interpreted as commands.
 */

/** Levels of code within code; deeper code is covered by the finding of the evaluation itself. */
const EVALUATED_WITHIN = 3;

/** Notes the calls in code of another language. */
export function noteCode(language: string, code: string, shell: Shell, depth = 0): void {
  if (code.includes(GIVEN)) shell.act('run_unknown', language, code);
  if (code.includes(DOWNLOADED)) shell.act('run_downloaded', language, code);
  else if (withoutMarkers(code).trim() === '' && !isExact(code)) shell.act('run_unknown', language, code);
  // About fifty patterns are matched against it.
  shell.meter.text(code.length * 8);
  const text = codeTextOf(language, code);
  const { bare, strings } = text;
  noteCalls(language, text, shell);
  noteWrites(language, text, shell);
  noteEmptying(language, code, text, shell);
  noteUnread(language, text, shell);
  noteElsewhere(language, text, shell);
  const evaluates = EVALUATES.test(bare);
  if (evaluates && FETCHES.test(code)) shell.act('run_downloaded', language, code);
  if ((evaluates || STARTS.test(bare)) && DECODES.test(bare))
    shell.act('code', language, DECODES.exec(bare)?.[0] ?? language);
  if (evaluates && depth < EVALUATED_WITHIN)
    for (const inner of strings) if (/[(;\s]/.test(inner)) noteCode(language, inner, shell, depth + 1);
  if (STARTS.test(bare)) noteStarted(language, text, shell);
  if (BARE_COMMANDS.has(language))
    for (const [, command = ''] of code.matchAll(/\b(?:exec|spawn|system|e?syscmd\(`)\s*([^\n;\]')]+)/g))
      shell.script(command, NOTHING);
}

/** Languages in which a command is written without quotes. */
const BARE_COMMANDS = new Set(['expect', 'tclsh', 'm4']);

function noteCalls(language: string, { bare, strings }: CodeText, shell: Shell): void {
  for (const calls of [DELETES, FORKS]) {
    const call = calls.exec(bare)?.[0];
    if (call !== undefined) shell.act('code', language, call);
  }
  const kills = KILLS.exec(bare)?.[0];
  if (kills !== undefined) shell.act('process_kill', language, kills);
  // perl and ruby open programs with the same function as files.
  if (OPENS.test(bare))
    for (const piped of strings.flatMap((one) => /^\s*\|(.+)|^(.+)\|\s*$/s.exec(one)?.slice(1) ?? []))
      if (piped) shell.act('run_unknown', language, piped);
  // A callback may name a function by a string: `array_map("unlink", …)`.
  const computed = COMPUTED_CALL.exec(bare)?.[0];
  if (computed !== undefined) shell.act('code', language, computed);
  const callback = strings.find((one) =>
    /^(?:unlink|rmdir|rmtree|rmSync|unlinkSync|rmdirSync|remove_tree|rimraf|shelljs)$/.test(one),
  );
  if (callback !== undefined) shell.act('code', language, callback);
  if (CONNECTS.test(bare) && STARTS.test(bare))
    shell.act('remote_shell', language, CONNECTS.exec(bare)?.[0] ?? language);
}

/**
 * Notes code that writes to each of the files that it lists, and reads none. The files aren't named in its text, and
 * nothing of their content remains. Where code transforms contents that it reads, the effect shows the result.
 */
function noteUnread(language: string, { bare, strings }: CodeText, shell: Shell): void {
  const writes = WRITES.test(bare) || (OPENS.test(bare) && strings.some((one) => WRITING_MODE.test(one)));
  const lists = LISTS.exec(bare)?.[0];
  if (writes && lists !== undefined && !READS.test(bare)) shell.act('unread_code', language, lists);
}

const AWAY: ReadonlySet<Zone> = new Set(['root', 'home', 'system', 'outside', 'device']);

/** A path in a string counts as written where the code writes at all. */
function noteWrites(language: string, { bare, strings }: CodeText, shell: Shell): void {
  if (!WRITES.test(bare) && !(OPENS.test(bare) && strings.some((one) => WRITING_MODE.test(one)))) return;
  for (const path of strings)
    if (/^[/~]/.test(path) && shell.zones(field(path.replace(/^~/, HOME))).some((zone) => AWAY.has(zone)))
      noteWrite('overwrite', language, field(path.replace(/^~/, HOME)), shell);
}

/** Notes the files that the code opens for writing without ever writing to them. */
function noteEmptying(language: string, code: string, { bare, strings }: CodeText, shell: Shell): void {
  const opensToWrite =
    OPENS.test(bare) && strings.some((one) => /^(?:w[bt+]*|\+?>|>[^>].*)$/.test(one)) && !WRITES_SOMETHING.test(bare);
  const copiesNothing = WRITES.test(bare) && strings.includes('/dev/null');
  if (!opensToWrite && !copiesNothing && !WRITES_NOTHING.test(code.replace(/[^\S\n]+/g, ' '))) return;
  for (const path of strings)
    if ((/[./]/.test(path) && !/\s/.test(path)) || /^[A-Z]\w+$/.test(path))
      noteEmptied(language, field(path.replace(/^>\s*/, '')), shell);
}

function noteElsewhere(language: string, { bare, strings }: CodeText, shell: Shell): void {
  if (QUERIES.test(bare)) for (const sql of strings) noteSql(language, sql, shell);
  const emptied = EMPTIES_DATABASE.exec(bare)?.[0];
  if (emptied !== undefined) shell.act('database_loss', language, emptied);
  const keys = strings.find((one) => isCredential(one.replace(/^.*[=:]/, '')));
  if (keys !== undefined) shell.act('credential_read', language, keys);
  const targets = strings.filter((one) => /^https?:/.test(one));
  const isAway = targets.length === 0 || !targets.every(isLocal);
  if (CLOUD.test(bare) && DELETES_IN_CLOUD.test(bare))
    shell.act('remote_loss', language, DELETES_IN_CLOUD.exec(bare)?.[0] ?? language);
  if (DELETES_ELSEWHERE.test(bare) && isAway && (!/method\s*:\s*""/.test(bare) || strings.includes('DELETE')))
    shell.act('remote_loss', language, targets[0] ?? language);
  const speaks = SENDS.test(bare) || FETCHES.test(bare) || CONNECTS.test(bare);
  if (speaks && isAway) shell.act('network', language, targets[0] ?? language);
  if (isAway && (SENDS.test(bare) || CONNECTS.test(bare)) && (ENVIRONMENT.test(bare) || keys !== undefined))
    shell.act('secret_egress', language, targets[0] ?? language);
}

/** Modules that code loads to start programs and to work with their files; they are no word of a command. */
const MODULE =
  /^(?:node:)?(?:child_process|fs(?:\/promises)?|os|path|util|url|process|execa|zx|shelljs|cross-spawn|open3)$/;

/** A list of arguments is a command in pieces, so strings are interpreted one by one and as a line. */
function noteStarted(language: string, { bare, strings }: CodeText, shell: Shell): void {
  const quoted = [...bare.matchAll(/`([^`]*)`|(?:qx|%x)\s*[({[/]([^)}\]/]*)/g)].map(
    ([, ...groups]) => groups.find((group) => group !== undefined) ?? '',
  );
  const commands = [...strings, ...quoted].filter((text) => !MODULE.test(text));
  for (const text of new Set([...commands, commands.join(' ')])) if (/\s/.test(text)) shell.script(text, NOTHING);
  if (
    STARTS_UNKNOWN.test(bare) &&
    (commands.length === 0 || (FROM_OUTSIDE.test(bare) && !commands.some((text) => /\s/.test(text))))
  )
    shell.act('run_unknown', language, STARTS_UNKNOWN.exec(bare)?.[0] ?? '');
}
