// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { loadNode, type NodeReader } from './node.ts';
import type { NodeEntry } from './node-entry.ts';
import { decodeText } from './text.ts';
import { isName, parsePath, pathOf, segmentsOf, type WorkspacePath } from './path.ts';
import { quote } from './quote.ts';

/** A path without links, and its entry: null if there is none. */
export interface Resolved {
  readonly path: WorkspacePath;
  readonly entry: NodeEntry | null;
}

/** Limit on followed links, as in Linux (MAXSYMLINKS). */
const HOPS_MAX = 40;
/** A target longer than a path can be is invalid. */
const TARGET_BYTES_MAX = 4096;

/** The directories passed so far, the root first, each with its name and its node. */
interface PassedDirectory {
  readonly name: string;
  readonly node: string;
}

/**
 * Follows the links of a path, including the last one, within the tree only: like a container with the tree at
 * `/workspace` and nothing else. Names after a missing one are kept unchanged, for a file that is to be created.
 * Faults: `path.escape` for a target that leads out, `path.invalid` for more than 40 links or an invalid target,
 * `file.kind` if a file is used as a directory, `file.not_found` if `..` follows a missing name.
 */
export async function resolveLinks(reader: NodeReader, root: string, path: WorkspacePath): Promise<Resolved> {
  let passed: PassedDirectory[] = [{ name: '', node: root }];
  let ahead = segmentsOf(path);
  let hops = 0;
  while (ahead.length > 0) {
    const [name = '', ...rest] = ahead;
    ahead = rest;
    if (name === '..') {
      // The root is never removed: a target above it leads out.
      if (passed.length === 1)
        throw new Fault('path.escape', `a link on the way of ${quote(path)} leads outside the workspace`);
      passed = passed.slice(0, -1);
      continue;
    }
    const entry = (await loadNode(reader, passed.at(-1)?.node ?? root)).find((child) => child.name === name) ?? null;
    if (entry?.kind === 'dir') passed = [...passed, { name, node: entry.sha256 }];
    else if (entry?.kind !== 'symlink') return resolvedAt(path, passed, name, ahead, entry);
    else {
      if (++hops > HOPS_MAX) throw new Fault('path.invalid', `${quote(path)} goes through more than ${HOPS_MAX} links`);
      const target = await targetOf(reader, entry, path);
      if (target.absolute) passed = passed.slice(0, 1);
      ahead = [...target.names, ...ahead];
    }
  }
  const last = passed.at(-1);
  return { path: pathIn(passed), entry: { kind: 'dir', name: last?.name ?? '', sha256: last?.node ?? root, size: 0 } };
}

function pathIn(passed: readonly PassedDirectory[]): WorkspacePath {
  return pathOf(passed.slice(1).map((each) => each.name));
}

/** The result when the path ends at a file, or at a missing name. */
function resolvedAt(
  path: WorkspacePath,
  passed: readonly PassedDirectory[],
  name: string,
  ahead: readonly string[],
  entry: NodeEntry | null,
): Resolved {
  const at = [...passed.slice(1).map((each) => each.name), name];
  if (entry !== null && ahead.length > 0) throw new Fault('file.kind', `${quote(at.join('/'))} is no directory`);
  if (ahead.includes('..'))
    throw new Fault(
      'file.not_found',
      `there is no ${quote(at.join('/'))}, which a link on the way of ${quote(path)} goes through`,
    );
  // Parsed again: links can make a path longer and deeper than allowed.
  return { path: parsePath([...at, ...ahead].join('/')), entry };
}

/** The target of a link, whose text is attacker-controlled. */
async function targetOf(
  reader: NodeReader,
  link: NodeEntry,
  path: WorkspacePath,
): Promise<{ absolute: boolean; names: string[] }> {
  const refuse = (): Fault =>
    new Fault('path.invalid', `a link on the way of ${quote(path)} has a target that is no path`);
  if (link.size > TARGET_BYTES_MAX || link.size === 0) throw refuse();
  const text = decodeText(await reader(link.sha256));
  if (text === null) throw refuse();
  const names = text.split('/').filter((name) => name !== '' && name !== '.');
  if (!names.every((name) => name === '..' || isName(name))) throw refuse();
  const absolute = text.startsWith('/');
  if (absolute && names.shift() !== 'workspace')
    throw new Fault('path.escape', `a link on the way of ${quote(path)} leads outside the workspace`);
  return { absolute, names };
}
