// SPDX-License-Identifier: Apache-2.0
import { closeSync, constants, lstatSync, openSync, readdirSync, readlinkSync, readSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { CHUNK_BYTES_MAX, pathFault, targetFault, type AfterHead } from '@writ/sandbox';
import type { Baseline, BaselineEntry } from './baseline.ts';
import { AgentFault, codeOf } from './fault.ts';
import { Fingerprint } from './fingerprint.ts';

export interface Difference {
  readonly path: string;
  readonly after: AfterHead | null;
}

export interface Bounds {
  readonly changesMax: number;
  readonly bytesMax: number;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const OWNER_EXECUTES = 0o100;

/**
 * The differences between the workspace and its baseline. Nothing of the job may run any more. Files of the same size
 * are compared by content, since a write through a shared mapping may leave a tmpfs file's times unchanged. Throws
 * AgentFault at what a snapshot can't hold, and as soon as the bounds are exceeded.
 */
export function differences(root: string, baseline: Baseline, bounds: Bounds): Difference[] {
  const found: Difference[] = [];
  const presentPaths = new Set<string>();
  let bytes = 0;
  const add = (path: string, after: AfterHead | null): void => {
    found.push({ path, after });
    if (after?.kind === 'file') bytes += after.size;
    if (found.length > bounds.changesMax)
      throw new AgentFault('delta_files', `more than ${bounds.changesMax} entries changed`);
    if (bytes > bounds.bytesMax)
      throw new AgentFault('delta_bytes', `changed files hold more than ${bounds.bytesMax} bytes`);
  };
  for (const [path, stat] of walk(root)) {
    presentPaths.add(path);
    const after = changed(root, path, stat, baseline.get(path));
    if (after) add(path, after);
  }
  for (const path of baseline.keys()) if (!presentPaths.has(path)) add(path, null);
  return found;
}

/** Every path below a directory, without following links; directories come before their entries. */
function* walk(root: string): Generator<[path: string, stat: Stats]> {
  const open = [''];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const name of listed(root, next)) {
      const path = next === '' ? nameOf(name) : `${next}/${nameOf(name)}`;
      if (pathFault(path) !== null)
        throw new AgentFault('entry_name', `the path \`${path.slice(0, 200)}\` ${pathFault(path)}`);
      const stat = readOrFault(path, () => lstatSync(join(root, path)));
      yield [path, stat];
      if (stat.isDirectory()) open.push(path);
    }
  }
}

function listed(root: string, directory: string): Buffer[] {
  return readOrFault(directory === '' ? '.' : directory, () =>
    readdirSync(join(root, directory), { encoding: 'buffer' }),
  );
}

/** A name as text. Throws AgentFault for one that is not UTF-8. */
export function nameOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new AgentFault(
      'entry_name',
      `a name is not UTF-8: \`${Buffer.from(bytes).toString('latin1').slice(0, 200)}\``,
    );
  }
}

/** The entry at the path if it differs from its baseline; null if it doesn't. */
function changed(root: string, path: string, stat: Stats, before: BaselineEntry | undefined): AfterHead | null {
  const absolute = join(root, path);
  if (stat.isSymbolicLink()) return changedLink(path, nameOf(readlinkSync(absolute, { encoding: 'buffer' })), before);
  if (stat.isDirectory()) return before?.kind === 'dir' ? null : { kind: 'dir' };
  if (!stat.isFile()) throw new AgentFault('entry_special', `\`${path}\` is neither a file, a directory nor a link`);
  return changedFile(absolute, path, stat, before);
}

function changedLink(path: string, target: string, before: BaselineEntry | undefined): AfterHead | null {
  if (targetFault(target) !== null)
    throw new AgentFault('entry_name', `the target of \`${path}\` ${targetFault(target)}`);
  return before?.kind === 'symlink' && before.target === target ? null : { kind: 'symlink', target };
}

function changedFile(absolute: string, path: string, stat: Stats, before: BaselineEntry | undefined): AfterHead | null {
  const mode = stat.mode & OWNER_EXECUTES ? '755' : '644';
  const isSameSizeAndMode = before?.kind === 'file' && before.size === stat.size && before.mode === mode;
  if (isSameSizeAndMode && readOrFault(path, () => fingerprintOf(absolute)) === before.fingerprint) return null;
  return { kind: 'file', mode, size: stat.size };
}

function fingerprintOf(absolute: string): string {
  const fingerprint = new Fingerprint();
  for (const chunk of contentOf(absolute)) fingerprint.update(chunk);
  return fingerprint.digest();
}

const scratch = Buffer.allocUnsafe(CHUNK_BYTES_MAX);

/** The content of a file, chunk by chunk; each chunk is valid until the next one is read. */
export function* contentOf(absolute: string): Generator<Buffer> {
  const fd = openSync(absolute, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    for (let read = readSync(fd, scratch); read > 0; read = readSync(fd, scratch)) yield scratch.subarray(0, read);
  } finally {
    closeSync(fd);
  }
}

/** Reads from the workspace. An entry that the job made unreadable is a fault, and never left out silently. */
export function readOrFault<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof AgentFault) throw error;
    throw new AgentFault('entry_unreadable', `\`${path.slice(0, 200)}\` can't be read (${codeOf(error)})`);
  }
}
