// SPDX-License-Identifier: Apache-2.0
import { plural } from './plural.ts';

const MEGABYTE = 1_048_576;

/** The texts of the area "Workspaces". */
export const workspaces = {
  title: 'Workspaces',
  none: 'No workspaces yet',
  noneText: 'A workspace holds the files that agents work on. Create one by `npx writ workspaces create`.',
  changed: 'changed',
  view: 'View',
  files: 'Files',
  changes: 'Changes',
  history: 'History',
  keys: 'j older, k newer, h head',
  head: 'Head',
  earlier: 'Earlier state',
  toHead: 'Show the head',
  state: (seq: number) => `State ${seq.toLocaleString('en')}`,
  thisState: 'This state',
  madeAt: 'Made',
  madeBy: 'By',
  by: (who: string) => `by ${who}`,
  proof: 'Proof',
  record: 'Its record in the log',
  kinds: { created: 'Created', committed: 'Call', changed: 'Uploaded', restored: 'Restored', imported: 'Imported' },
  tree: 'Files of this state',
  reading: 'Reading …',
  emptyDirectory: 'Nothing is in it',
  cutDirectory: 'There are more entries than are listed here. The archive has all.',
  failedDirectory: (why: string) => `Not read: ${why} Close it and open it to try again.`,
  link: 'link',
  chooseFile: 'Choose a file to read it.',
  content: 'Content',
  lines: (count: number) => plural(count, 'line', 'lines'),
  runnable: 'can be run',
  crlf: 'lines end with CRLF',
  cutLines: (count: number) => `${plural(count, 'line is', 'lines are')} too long and shown in part`,
  emptyFile: 'The file is empty.',
  binary: 'This is a binary file. Its content is not shown; you can download it.',
  tooLarge: (size: number, max: number) =>
    `The file has ${Number.isFinite(size) ? plural(size, 'byte', 'bytes') : 'too many bytes'}. ` +
    `Files of up to ${max / MEGABYTE} MiB are shown; you can download it.`,
  download: 'Download',
  downloadDirectory: 'Download the directory (tar)',
  archive: 'Download all (tar)',
  compareWith: 'Compare with',
  stateBefore: 'The state before it',
  firstState: 'This is the first state: nothing is before it.',
  unknownBefore: 'This state is further back than the history that was read. Choose what to compare it with.',
  noChanges: 'The two states have the same files.',
  restore: 'Restore this state',
  mayNotRestore: 'Administrators and operators can restore a state.',
  restoreTitle: (seq: number | null) => (seq === null ? 'Restore this state' : `Restore state ${seq}`),
  restoreAction: 'Restore',
  scope: 'What is restored',
  wholeWorkspace: 'The whole workspace',
  onlyPath: 'Only',
  restoreNothing: 'Nothing would change: the head has these files already.',
  effects: {
    back: (count: number) => `${plural(count, 'path that was deleted comes', 'paths that were deleted come')} back`,
    changed: (count: number) => `${plural(count, 'path gets its', 'paths get their')} earlier content`,
    gone: (count: number) => `${plural(count, 'path that was added is', 'paths that were added are')} deleted`,
  },
  undone: (count: number) =>
    count === 1
      ? 'The file changes of the state after it are taken back:'
      : `The file changes of the ${count.toLocaleString('en')} states after it are taken back:`,
  undonePart: (count: number) =>
    count === 1
      ? 'The state after it is taken back as far as it changed this path:'
      : `The ${count.toLocaleString('en')} states after it are taken back as far as they changed this path:`,
  andMore: (count: number) => `and ${count.toLocaleString('en')} more`,
  restoreUndo:
    'The restore makes a new state with its own record. Nothing of the history is lost, and another restore undoes it.',
  restoreLimits:
    'Only files are restored. Requests that left Writ, such as messages that were sent and changes in other systems, stay. Agents that read the newer files know what was in them.',
} as const;
