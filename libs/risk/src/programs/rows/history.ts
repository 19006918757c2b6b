// SPDX-License-Identifier: Apache-2.0
import type { TableRow } from './program-form.ts';
import { SHOWS } from './shows.ts';

/** Backups, the trash, and the histories of version control. */
export const HISTORY: readonly TableRow[] = [
  {
    programs: ['restic', 'borg', 'duplicity', 'kopia'],
    words: ['forget|prune|delete|compact|remove-all-but-n-full|remove-older-than|cleanup'],
    unless: ['--dry-run', '-n'],
    kind: 'remote_loss',
  },
  { programs: ['trash-empty'], unless: SHOWS, kind: 'work_loss' },
  { programs: ['bfg', 'git-filter-repo'], kind: 'history_loss' },
  { programs: ['hg'], words: ['strip|purge'], kind: 'history_loss' },
  { programs: ['hg'], words: ['update|revert|up'], flags: ['-C', '--clean', '--all'], kind: 'work_loss' },
  { programs: ['svn'], words: ['revert'], flags: ['-R', '--recursive'], kind: 'work_loss' },
  { programs: ['jj'], words: ['abandon'], kind: 'history_loss' },
];
