// SPDX-License-Identifier: Apache-2.0
import type { FileState } from '@writ/contract';
import {
  byName,
  loadNode,
  runWithPauses,
  segmentsOf,
  stateOf,
  type NodeEntry,
  type NodeReader,
  type WorkspacePath,
} from '@writ/workspace';

type Entries = ReadonlyMap<string, NodeEntry>;
const NOTHING: Promise<Entries> = Promise.resolve(new Map());

/** A tree for many lookups. Each directory on the way is read once. */
export class CachedTree {
  readonly #reader: NodeReader;
  readonly #root: string;
  readonly #read = new Map<string, Promise<Entries>>();

  constructor(reader: NodeReader, root: string) {
    this.#reader = reader;
    this.#root = root;
  }

  /** The state at the path; null where there is none. Links aren't followed. */
  async at(path: WorkspacePath): Promise<FileState | null> {
    let entries = await this.#entries(this.#root);
    let entry: NodeEntry | null = null;
    for (const name of segmentsOf(path)) {
      entry = entries.get(name) ?? null;
      if (entry === null) return null;
      entries = await (entry.kind === 'dir' ? this.#entries(entry.sha256) : NOTHING);
    }
    return stateOf(entry);
  }

  #entries(sha256: string): Promise<Entries> {
    let entries = this.#read.get(sha256);
    if (entries === undefined) {
      entries = this.#load(sha256);
      this.#read.set(sha256, entries);
    }
    return entries;
  }

  async #load(sha256: string): Promise<Entries> {
    return await runWithPauses(byName(await loadNode(this.#reader, sha256)), this.#reader.pause);
  }
}
