// SPDX-License-Identifier: Apache-2.0
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  type Stats,
} from 'node:fs';
import { join } from 'node:path';
import { pathFault, targetFault } from '@writ/sandbox';
import type { BaselineEntry } from '../baseline.ts';
import { nameOf, type Bounds } from '../compare.ts';
import { AgentFault, codeOf } from '../fault.ts';
import { Fingerprint } from '../fingerprint.ts';

/**
 * The current entry at a path that differs from the reported one; null: there is none. A file's content is the one that
 * its entry's fingerprint was computed from.
 */
export interface SurveyedEntry {
  readonly path: string;
  readonly now: BaselineEntry | null;
  readonly content: Buffer;
}

const NO_BYTES = Buffer.alloc(0);
const OWNER_EXECUTES = 0o100;
/** Error codes that show that another process of the container was faster. */
const VANISHED: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

/**
 * The differences between the workspace and the reported state, while background jobs may keep writing. Each path is
 * read once, an entry that vanishes counts as absent, and for a file that is being written, the content is what was
 * read. Throws AgentFault at what a snapshot can't hold, and as soon as the bounds are exceeded.
 */
export function* surveyChanges(
  root: string,
  reported: ReadonlyMap<string, BaselineEntry>,
  { changesMax, bytesMax }: Bounds,
): Generator<SurveyedEntry> {
  const presentPaths = new Set<string>();
  let [count, bytes] = [0, 0];
  const counted = (found: SurveyedEntry): SurveyedEntry => {
    bytes += found.content.length;
    if (++count > changesMax) throw new AgentFault('delta_files', `more than ${changesMax} entries changed`);
    if (bytes > bytesMax) throw new AgentFault('delta_bytes', `changed files hold more than ${bytesMax} bytes`);
    return found;
  };
  for (const path of walk(root)) {
    const current = currentEntry(root, path, reported.get(path), bytesMax - bytes);
    if (current === null) continue;
    presentPaths.add(path);
    if (current !== 'same') yield counted({ path, ...current });
  }
  for (const path of reported.keys())
    if (!presentPaths.has(path)) yield counted({ path, now: null, content: NO_BYTES });
}

/** The current entry at one path: null where there is none, `same` where it equals the reported one. */
export function currentEntry(
  root: string,
  path: string,
  reported: BaselineEntry | undefined,
  bytesMax: number,
): Omit<SurveyedEntry, 'path'> | 'same' | null {
  return readIfPresent(path, () => {
    const absolute = join(root, path);
    const stat = lstatSync(absolute);
    if (stat.isDirectory()) return reported?.kind === 'dir' ? 'same' : { now: { kind: 'dir' }, content: NO_BYTES };
    if (stat.isSymbolicLink())
      return currentLink(path, nameOf(readlinkSync(absolute, { encoding: 'buffer' })), reported);
    if (!stat.isFile()) throw new AgentFault('entry_special', `\`${path}\` is neither a file, a directory nor a link`);
    return currentFile(absolute, path, stat, reported, bytesMax);
  });
}

function currentLink(
  path: string,
  target: string,
  reported: BaselineEntry | undefined,
): Omit<SurveyedEntry, 'path'> | 'same' {
  if (targetFault(target) !== null)
    throw new AgentFault('entry_name', `the target of \`${path}\` ${targetFault(target)}`);
  return reported?.kind === 'symlink' && reported.target === target
    ? 'same'
    : { now: { kind: 'symlink', target }, content: NO_BYTES };
}

function currentFile(
  absolute: string,
  path: string,
  stat: Stats,
  reported: BaselineEntry | undefined,
  bytesMax: number,
): Omit<SurveyedEntry, 'path'> | 'same' {
  const mode = stat.mode & OWNER_EXECUTES ? '755' : '644';
  // A file that was sent in may be larger than the delta's bound: it is read for the comparison, and only then counted.
  const content = contentOf(absolute, path, Math.max(bytesMax, reported?.kind === 'file' ? reported.size : 0));
  const fingerprint = new Fingerprint().update(content).digest();
  if (reported?.kind === 'file' && reported.mode === mode && reported.fingerprint === fingerprint) return 'same';
  return { now: { kind: 'file', mode, size: content.length, fingerprint }, content };
}

function contentOf(absolute: string, path: string, bytesMax: number): Buffer {
  // NONBLOCK: the file may be a pipe by now, and opening a pipe waits for its writer.
  const fd = openSync(absolute, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!fstatSync(fd).isFile())
      throw new AgentFault('entry_special', `\`${path}\` is neither a file, a directory nor a link`);
    const { size } = fstatSync(fd);
    if (size > bytesMax) throw new AgentFault('delta_bytes', `\`${path}\` holds more than ${bytesMax} bytes`);
    const content = Buffer.allocUnsafe(size);
    let read = 0;
    for (let more = 1; more > 0 && read < size; read += more) more = readSync(fd, content, read, size - read, null);
    return content.subarray(0, read);
  } finally {
    closeSync(fd);
  }
}

function* walk(root: string): Generator<string> {
  const open = [''];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const directory = next;
    for (const name of readIfPresent(directory, () => readdirSync(join(root, directory), { encoding: 'buffer' })) ??
      []) {
      const path = directory === '' ? nameOf(name) : `${directory}/${nameOf(name)}`;
      if (pathFault(path) !== null)
        throw new AgentFault('entry_name', `the path \`${path.slice(0, 200)}\` ${pathFault(path)}`);
      yield path;
      if (readIfPresent(path, () => lstatSync(join(root, path)))?.isDirectory()) open.push(path);
    }
  }
}

/** Null for an entry that has vanished. An entry that was made unreadable is a fault, and never left out silently. */
function readIfPresent<T>(path: string, read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof AgentFault) throw error;
    if (VANISHED.has(codeOf(error))) return null;
    throw new AgentFault('entry_unreadable', `\`${path.slice(0, 200)}\` can't be read (${codeOf(error)})`);
  }
}
