// SPDX-License-Identifier: Apache-2.0
import { isExact, type Field } from '../shell/field.ts';
import type { Shell } from '../shell/shell.ts';

/** Places where what is written runs later, by itself. */
const RUNS_LATER = /(?:^|\/)(?:\.ssh\/authorized_keys|\.(?:bash|zsh)(?:rc|_profile|_logout|env)|\.profile|\.zprofile|cron\.[a-z]+\/|crontab$|systemd\/)/;
const HISTORIES = /(?:^|\/)\.(?:bash|zsh|sh|python|psql|mysql)_history$/;
const SCRATCH_ROOT = /^\/(?:tmp|var\/tmp|dev\/shm)$/;
export const leavesTraces = (text: string): boolean => HISTORIES.test(text);

/** Notes a write to the path: `overwrite` replaces what was there, `append` adds to it, `place` puts a file or directory there. */
export function noteWrite(kind: 'overwrite' | 'append' | 'place', form: string, to: Field, shell: Shell): void {
  if (to.source) return;
  if (leavesTraces(to.text)) shell.act('trace_removal', form, to.text);
  else if (RUNS_LATER.test(to.text)) shell.act('persistence', form, to.text);
  // Into the container's own /tmp, a file goes beside others.
  const zones = kind === 'place' && SCRATCH_ROOT.test(shell.path(to) ?? '') ? ['scratch' as const] : shell.zones(to);
  for (const zone of zones) shell.act(kind, form, to.text, { zone, many: to.glob });
}

/** Notes that nothing of the content stays, where that concerns more than one named file of the workspace. */
export function noteEmptied(form: string, path: Field, many: boolean, shell: Shell): void {
  for (const zone of shell.zones(path)) {
    if (zone === 'workspace' || (zone === 'inside' && (many || path.glob)) || (zone === 'unknown' && !isExact(path.text))) shell.act('empty', form, path.text);
  }
}
