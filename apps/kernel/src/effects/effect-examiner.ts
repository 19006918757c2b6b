// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { Fault, type Delta, type FileState, type TenantId } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import {
  compareContents, examineEffect, historyChanges, newStarters, type ContentFacts, type EffectContents, type EffectExamination, type EffectSettings,
  type FilesBefore, type HistoryAnswer, type HistoryQuestion, type LaterContents, type LaterStarters,
} from '@writ/effect';
import { pacer, yieldNow, type Work } from '@writ/worker-pool';
import { applyDelta, ConflictError, lookup, parsePath, parseSnapshotId, stateOf, walk, withPauses, type NodeReader } from '@writ/workspace';
import type { AttemptFacts } from '../attempts/index.ts';
import type { TenantPool } from '../store/index.ts';
import type { KernelTasks } from '../kernel.worker.ts';
import { EffectSeries } from './effect-series.ts';
import type { CheckedDelta } from './landing.ts';
import { LargeReadings } from './large-readings.ts';
import { rememberedFacts, type Compare } from './remembered-facts.ts';

/** INVARIANT (unread is lost): what cannot be compared within its bounds counts as rewritten, and as nothing that git keeps. */
const INCOMPARABLE: ContentFacts = { binaryBefore: false, binaryAfter: false, generated: false, kept: 0, ordered: 0, alike: 0, blobBefore: '', blobAfter: '' };

/** Two contents, as they are sent to a worker thread. */
export interface ComparedContents {
  readonly before: Uint8Array;
  readonly after: Uint8Array | null;
}

const KEY_BYTES = 32;

/** Contents of this many bytes together take some 4 ms to compare: they are compared on the event loop. */
const INLINE_BYTES_MAX = 64 * 1024;
/** Two contents of `CONTENT_BYTES_MAX` take some two seconds; this is for a busy one, in milliseconds. */
const COMPARE_WALL_MS = 10_000;
/** What one question about a repository may take: its effort is spent in some four seconds of a free processor. This is for a busy one, in milliseconds. */
const GIT_WALL_MS = 20_000;
/** Contents that one statement brings: many small ones, or a few of a megabyte. */
const READ_AT_ONCE = 64;

/** Examines effects by what they do to the files of a workspace: see libs/effect. */
export class EffectExaminer {
  readonly #blobs: BlobStore;
  readonly #series: EffectSeries;
  readonly #work: Work<KernelTasks>;
  readonly #remember = rememberedFacts();
  /** Of this process: nobody else knows which files of a large effect are looked into. */
  readonly #key = randomBytes(KEY_BYTES);
  readonly #large = new LargeReadings(() => performance.now());

  constructor(blobs: BlobStore, tenants: TenantPool, work: Work<KernelTasks>) {
    this.#blobs = blobs;
    this.#series = new EffectSeries(blobs, tenants, work);
    this.#work = work;
  }

  /**
   * Examines a delta whose contents are stored, or came with its report, on the state that its attempt ran on, with the
   * effects of its series.
   *
   * @param bytes RFC 8785 JSON of the delta
   * @param isApproved whether persons approved this very effect
   *
   * @throws Fault as the blob store and the database, `overloaded` where too much of the tenant is compared already
   */
  async examine(
    facts: AttemptFacts, { bytes, ...effect }: CheckedDelta & { readonly bytes: Uint8Array }, settings: EffectSettings,
    isApproved: boolean,
  ): Promise<EffectExamination> {
    const past = await this.#series.join(facts, bytes, { isApproved, windowMs: settings.lost_series.window_ms });
    const contents = this.#contents(facts.operation.tenant_id, effect);
    return await examineEffect({ changes: effect.delta.changes, settings, key: this.#key, now: Date.now(), contents, past });
  }

  /** What the delta says untrue of the state that it claims to change, in words; null where all of it stood there. @throws Fault as the blob store */
  async untrueOf(tenantId: TenantId, delta: Delta): Promise<string | null> {
    try {
      const read = withPauses((sha256) => this.#blobs.get(tenantId, sha256), pacer());
      await applyDelta(read, parseSnapshotId(delta.base), delta);
      return null;
    } catch (error) {
      if (error instanceof ConflictError) return error.message;
      throw error;
    }
  }

  async #compare(tenantId: TenantId, contents: ComparedContents): Promise<ContentFacts> {
    const { before, after } = contents;
    if (before.byteLength + (after?.byteLength ?? 0) <= INLINE_BYTES_MAX) return compareContents(before, after);
    return await orNull(this.#work.run('contents.compare', contents, { tenantId, wallMs: COMPARE_WALL_MS })) ?? INCOMPARABLE;
  }

  /** References alone are lines of text: a few of them are read on the event loop. */
  async #gitHistory(tenantId: TenantId, question: HistoryQuestion): Promise<HistoryAnswer | null> {
    const { before, after, rest, objects, gone } = question;
    const isShort = objects === null && gone.loose.length === 0 && gone.indexes.length === 0
      && bytesOf(before) + bytesOf(after) + bytesOf(rest ?? new Map()) <= INLINE_BYTES_MAX;
    return isShort ? historyChanges(question) : await orNull(this.#work.run('git.history', question, { tenantId, wallMs: GIT_WALL_MS }));
  }

  async #readMany(tenantId: TenantId, contents: CheckedDelta['contents'], sha256s: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const found = new Map<string, Uint8Array>();
    const stored: string[] = [];
    for (const sha256 of new Set(sha256s)) {
      const bytes = contents.get(sha256);
      if (bytes === undefined) stored.push(sha256);
      else found.set(sha256, bytes);
    }
    for (let at = 0; at < stored.length; at += READ_AT_ONCE) {
      for (const [sha256, bytes] of await this.#blobs.getMany(tenantId, stored.slice(at, at + READ_AT_ONCE))) found.set(sha256, bytes);
    }
    return found;
  }

  /** Null where they could not be read within their bounds. */
  async #starters(tenantId: TenantId, contents: LaterContents): Promise<LaterStarters | null> {
    const { before, after } = contents;
    if ((before?.byteLength ?? 0) + after.byteLength <= INLINE_BYTES_MAX) {
      // There may be many: each gives the event loop back.
      await yieldNow();
      return newStarters(contents);
    }
    return await orNull(this.#work.run('contents.starters', contents, { tenantId, wallMs: COMPARE_WALL_MS }));
  }

  #contents(tenantId: TenantId, { delta, contents }: CheckedDelta): EffectContents {
    const root = parseSnapshotId(delta.base);
    const read = withPauses(async (sha256) => contents.get(sha256) ?? await this.#blobs.get(tenantId, sha256), pacer());
    const compare: Compare = async (before, after) =>
      await this.#compare(tenantId, { before: await read(before), after: after === null ? null : await read(after) });
    return {
      read,
      pause: yieldNow,
      compare: this.#remember(tenantId, compare),
      starters: async (reader, before, after) => await this.#starters(tenantId, { reader, before: before === null ? null : await read(before), after: await read(after) }),
      before: async (path): Promise<FileState | null> => stateOf(await lookup(read, root, parsePath(path))),
      readMany: async (sha256s) => await this.#readMany(tenantId, contents, sha256s),
      filesBefore: async (directory, max) => await filesBelow(read, root, directory, max),
      alone: async (run) => await this.#large.run(tenantId, run),
      keptByGit: async (question) => await orNull(this.#work.run('git.kept', question, { tenantId, wallMs: GIT_WALL_MS })),
      gitHistory: async (question) => await this.#gitHistory(tenantId, question),
      count: async (counts, skips) => await countFiles(read, root, counts, skips),
    };
  }
}

/** Beyond its budget a work has no answer; any other fault stays one. */
async function orNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Fault && error.code === 'limit.exceeded') return null;
    throw error;
  }
}

const bytesOf = (files: ReadonlyMap<string, Uint8Array>): number => [...files.values()].reduce((sum, { byteLength }) => sum + byteLength, 0);

async function filesBelow(read: NodeReader, root: string, directory: string, max: number): Promise<FilesBefore> {
  const files: { path: string; state: FileState }[] = [];
  for await (const { path, entry } of walk(read, root, { prefixes: [parsePath(directory)] })) {
    const state = stateOf(entry);
    if (entry.kind === 'dir' || state === null) continue;
    if (files.length === max) return { files, isComplete: false };
    files.push({ path, state });
  }
  return { files, isComplete: true };
}

async function countFiles(
  read: NodeReader, root: string, counts: (path: string, sha256: string) => boolean, skips: (directory: string) => boolean,
): Promise<number> {
  let count = 0;
  for await (const { path, entry } of walk(read, root, { enters: (directory) => !skips(directory) })) {
    if (entry.kind !== 'dir' && counts(path, entry.sha256)) count += 1;
  }
  return count;
}
