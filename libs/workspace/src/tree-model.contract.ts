// SPDX-License-Identifier: Apache-2.0
//
// The plainest model of a tree of files: a map from paths to states. Specs compare the Merkle tree with it.
import type { Delta, FileState } from '@writ/contract';
import { sha256Hex } from '@writ/digest';
import fc from 'fast-check';
import { applyDelta } from './apply-delta.ts';
import { deltaOf } from './delta.ts';
import { isSameState, stateOf, type NewBlob, type NodeReader } from './node.ts';
import { emptyTree, snapshotIdOf } from './snapshot.ts';
import { walk } from './tree.ts';

/** A directory is an entry under its own path; the workspace itself is not. */
export type Model = ReadonlyMap<string, FileState>;

/** Blobs in a map, with a count of reads. */
export class BlobMap {
  readonly #blobs = new Map<string, Uint8Array>();
  reads = 0;
  readonly reader: NodeReader = async (sha256) => {
    this.reads++;
    const bytes = this.#blobs.get(sha256);
    if (!bytes) throw new Error(`no blob ${sha256}`);
    return bytes;
  };

  constructor() {
    this.put(emptyTree().nodes);
  }

  put(blobs: readonly NewBlob[]): void {
    for (const blob of blobs) this.#blobs.set(blob.sha256, blob.bytes);
  }

  putText(text: string): string {
    const bytes = new TextEncoder().encode(text);
    const sha256 = sha256Hex(bytes);
    this.put([{ sha256, bytes }]);
    return sha256;
  }

  /** Applies the delta, stores its nodes, and returns the root. */
  async apply(root: string, delta: Delta): Promise<string> {
    const applied = await applyDelta(this.reader, root, delta);
    this.put(applied.nodes);
    return applied.root;
  }

  /** The root of a tree with these files and links, including their parent directories. */
  async tree(files: Readonly<Record<string, string | { link: string }>>): Promise<string> {
    const model = new Map<string, FileState>();
    for (const [path, content] of Object.entries(files)) {
      makeParents(model, path);
      const text = typeof content === 'string' ? content : content.link;
      const link = typeof content !== 'string';
      model.set(path, {
        kind: link ? 'symlink' : 'file',
        mode: link ? null : '644',
        sha256: this.putText(text),
        size: Buffer.byteLength(text),
      });
    }
    return await this.apply(emptyTree().root, deltaBetween(new Map(), model));
  }
}

export const DIR: FileState = { kind: 'dir', mode: null, sha256: null, size: 0 };

export function file(text: string, mode: '644' | '755' = '644'): FileState {
  return { kind: 'file', mode, sha256: sha256Hex(new TextEncoder().encode(text)), size: Buffer.byteLength(text) };
}

function makeParents(model: Map<string, FileState>, path: string): void {
  const names = path.split('/');
  for (let depth = 1; depth < names.length; depth++) {
    const at = names.slice(0, depth).join('/');
    if (model.get(at)?.kind !== 'dir') model.set(at, DIR);
  }
}

/** All differences, computed without a tree. */
export function deltaBetween(from: Model, to: Model, base = snapshotIdOf(emptyTree().root)): Delta {
  const paths = [...new Set([...from.keys(), ...to.keys()])];
  return deltaOf(
    base,
    paths
      .map((path) => ({ path, before: from.get(path) ?? null, after: to.get(path) ?? null }))
      .filter(({ before, after }) => !isSameState(before, after)),
  );
}

/** The entries of a tree, as a model. */
export async function modelOf(reader: NodeReader, root: string): Promise<Model> {
  const model = new Map<string, FileState>();
  for await (const { path, entry } of walk(reader, root)) model.set(path, stateOf(entry) ?? DIR);
  return model;
}

export type Step = { readonly do: 'write' | 'link' | 'mkdir' | 'remove'; readonly path: string; readonly text: string };

/**
 * Few names, so that steps collide; two of them differ only in their bytes, and sort differently by UTF-8 and UTF-16.
 */
const name = fc.constantFrom('a', 'b', 'c.txt', '\u{1f600}', '\uff5e', 'é', 'e\u0301');
export const steps = fc.array(
  fc.record({
    do: fc.constantFrom('write' as const, 'write' as const, 'link' as const, 'mkdir' as const, 'remove' as const),
    path: fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/')),
    text: fc.constantFrom('', 'one', 'two', 'three'),
  }),
  { maxLength: 24 },
);

/** The model after the steps, each of which replaces anything in its way. */
export function play(model: Model, played: readonly Step[]): Model {
  const next = new Map(model);
  for (const step of played) {
    for (const path of [...next.keys()]) if (path === step.path || path.startsWith(`${step.path}/`)) next.delete(path);
    if (step.do === 'remove') continue;
    makeParents(next, step.path);
    next.set(step.path, stateAfter(step));
  }
  return next;
}

function stateAfter(step: Step): FileState {
  if (step.do === 'mkdir') return DIR;
  return step.do === 'link'
    ? { ...file(step.text), kind: 'symlink', mode: null }
    : file(step.text, step.text === 'two' ? '755' : '644');
}
