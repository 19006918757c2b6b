// SPDX-License-Identifier: Apache-2.0
import type { Field, Source } from '../shell/field.ts';
import type { Shell } from '../shell/shell.ts';
import type { Zone } from '../zones.ts';

/** Paths whose content runs later by itself. */
const RUNS_LATER =
  /(?:^|\/)(?:\.ssh\/authorized_keys|\.(?:bash|zsh)(?:rc|_profile|_logout|env)|\.profile|\.zprofile|cron\.[a-z]+\/|crontab$|systemd\/)/;
const HISTORIES = /(?:^|\/)\.(?:bash|zsh|sh|python|psql|mysql)_history$/;
const SCRATCH_ROOT = /^\/(?:tmp|var\/tmp|dev\/shm)$/;
export const leavesTraces = (text: string): boolean => HISTORIES.test(text);

/**
 * Notes a write to the path: `overwrite` replaces the content, `append` adds to it, `place` puts a file or directory
 * there.
 */
export function noteWrite(kind: 'overwrite' | 'append' | 'place', form: string, to: Field, shell: Shell): void {
  if (to.source) return;
  if (leavesTraces(to.text)) shell.act('trace_removal', form, to.text);
  else if (RUNS_LATER.test(to.text)) shell.act('persistence', form, to.text);
  // In the container's own /tmp, a file is placed beside others.
  const zones = kind === 'place' && SCRATCH_ROOT.test(shell.path(to) ?? '') ? ['scratch' as const] : shell.zones(to);
  for (const zone of zones) shell.act(kind, form, to.text, { zone, many: to.glob });
  if (kind === 'place') noteOwnScratch(to, shell);
}

/** Records the files that the command puts into the container's own /tmp. */
export function noteOwnScratch(path: Field, shell: Shell): void {
  const at = shell.path(path);
  if (at !== undefined && shell.zones(path).every((zone) => zone === 'scratch'))
    shell.scope.ownScratch.set(at.replace(/\/$/, ''), true);
}

/** Notes that an archive is unpacked below the path: any file there may then come from it. */
export function noteUnpacked(form: string, into: Field, shell: Shell): void {
  noteWrite('place', form, into, shell);
  const at = shell.path(into);
  if (at !== undefined && SCRATCH_ROOT.test(at)) shell.scope.ownScratch.set(at, true);
}

/** Answers whether the command itself created the entry at the path, or a directory above it. */
export function isOwnScratch(path: Field, shell: Shell): boolean {
  const at = path.glob ? undefined : shell.path(path);
  if (at === undefined || !shell.zones(path).every((zone) => zone === 'scratch')) return false;
  const names = at.replace(/\/$/, '').split('/');
  return names.some((_, n) => n > 0 && shell.scope.ownScratch.has(names.slice(0, n + 1).join('/')));
}

/** Files that are usually empty: their existence is their meaning. */
const EMPTY_BY_NATURE = /(?:^|\/)(?:\.(?:git)?keep|\.nojekyll|\.placeholder|py\.typed)$/;

/**
 * Notes that nothing remains of the content of a file in the workspace. Content that this command line wrote itself, or
 * that is regenerable, is no loss.
 */
export function noteEmptied(form: string, path: Field, shell: Shell): void {
  const at = shell.path(path);
  if (EMPTY_BY_NATURE.test(path.text) || (at !== undefined && shell.scope.made.has(at))) return;
  if (!shell.zones(path).some((zone) => HOLDS_WORK.has(zone))) return;
  if (at === undefined) shell.act('empty', form, path.text);
  else shell.scope.emptied.set(at, { form, subject: path.text });
}
const HOLDS_WORK: ReadonlySet<Zone> = new Set(['workspace', 'inside', 'unknown']);

/** Records that the command itself wrote all of the file's content. */
export function noteMade(path: Field, content: Source, shell: Shell): void {
  const at = shell.path(path);
  if (at === undefined) return;
  shell.scope.files.set(at, content);
  shell.scope.made.set(at, true);
}

/** Notes endless output that goes to a file. */
export function noteEndless(form: string, path: Field, content: Source, shell: Shell): void {
  if (content.kind === 'endless' && shell.zones(path).some((zone) => zone !== 'sink'))
    shell.act('exhaustion', form, path.text);
}
