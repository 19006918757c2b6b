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
 * What stands at a path that differs from what was told of it; null: nothing does. A file's content is the one that its
 * entry's fingerprint is of.
 */
export interface Found {
  readonly path: string;
  readonly now: BaselineEntry | null;
  readonly content: Buffer;
}

const NONE = Buffer.alloc(0);
const OWNER_EXECUTES = 0o100;
/** What says that another process of the container was faster. */
const VANISHED: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

/**
 * What differs between the workspace and what was told of it, while background jobs may go on writing: each path is
 * read once, what vanishes meanwhile counts as absent, and of a file that is being written the content is what was
 * read. Throws AgentFault at what a snapshot can't hold, and as soon as there is more than the bounds allow.
 */
export function* survey(
  root: string,
  told: ReadonlyMap<string, BaselineEntry>,
  { changesMax, bytesMax }: Bounds,
): Generator<Found> {
  const standing = new Set<string>();
  let [count, bytes] = [0, 0];
  const counted = (found: Found): Found => {
    bytes += found.content.length;
    if (++count > changesMax) throw new AgentFault('delta_files', `more than ${changesMax} entries changed`);
    if (bytes > bytesMax) throw new AgentFault('delta_bytes', `changed files hold more than ${bytesMax} bytes`);
    return found;
  };
  for (const path of walk(root)) {
    const seen = look(root, path, told.get(path), bytesMax - bytes);
    if (seen === null) continue;
    standing.add(path);
    if (seen !== 'same') yield counted({ path, ...seen });
  }
  for (const path of told.keys()) if (!standing.has(path)) yield counted({ path, now: null, content: NONE });
}

/** What stands at one path: null where nothing does, `same` where it is what was told. */
export function look(
  root: string,
  path: string,
  told: BaselineEntry | undefined,
  bytesMax: number,
): Omit<Found, 'path'> | 'same' | null {
  return present(path, () => {
    const absolute = join(root, path);
    const stat = lstatSync(absolute);
    if (stat.isDirectory()) return told?.kind === 'dir' ? 'same' : { now: { kind: 'dir' }, content: NONE };
    if (stat.isSymbolicLink()) return lookAtLink(path, nameOf(readlinkSync(absolute, { encoding: 'buffer' })), told);
    if (!stat.isFile()) throw new AgentFault('entry_special', `\`${path}\` is neither a file, a directory nor a link`);
    return lookAtFile(absolute, path, stat, told, bytesMax);
  });
}

function lookAtLink(path: string, target: string, told: BaselineEntry | undefined): Omit<Found, 'path'> | 'same' {
  if (targetFault(target) !== null)
    throw new AgentFault('entry_name', `the target of \`${path}\` ${targetFault(target)}`);
  return told?.kind === 'symlink' && told.target === target
    ? 'same'
    : { now: { kind: 'symlink', target }, content: NONE };
}

function lookAtFile(
  absolute: string,
  path: string,
  stat: Stats,
  told: BaselineEntry | undefined,
  bytesMax: number,
): Omit<Found, 'path'> | 'same' {
  const mode = stat.mode & OWNER_EXECUTES ? '755' : '644';
  // What was sent in may be larger than what may come back: it is read to be compared, and only then counted.
  const content = contentOf(absolute, path, Math.max(bytesMax, told?.kind === 'file' ? told.size : 0));
  const fingerprint = new Fingerprint().update(content).digest();
  if (told?.kind === 'file' && told.mode === mode && told.fingerprint === fingerprint) return 'same';
  return { now: { kind: 'file', mode, size: content.length, fingerprint }, content };
}

function contentOf(absolute: string, path: string, bytesMax: number): Buffer {
  // NONBLOCK: what was a file a moment ago may be a pipe by now, and opening one waits for its writer.
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
    for (const name of present(directory, () => readdirSync(join(root, directory), { encoding: 'buffer' })) ?? []) {
      const path = directory === '' ? nameOf(name) : `${directory}/${nameOf(name)}`;
      if (pathFault(path) !== null)
        throw new AgentFault('entry_name', `the path \`${path.slice(0, 200)}\` ${pathFault(path)}`);
      yield path;
      if (present(path, () => lstatSync(join(root, path)))?.isDirectory()) open.push(path);
    }
  }
}

/** Null for what is not there any more; what was made unreadable is an error and never silently left out. */
function present<T>(path: string, read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof AgentFault) throw error;
    if (VANISHED.has(codeOf(error))) return null;
    throw new AgentFault('entry_unreadable', `\`${path.slice(0, 200)}\` can't be read (${codeOf(error)})`);
  }
}
