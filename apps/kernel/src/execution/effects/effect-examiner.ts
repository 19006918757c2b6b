// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { Fault, type Delta, type FileState, type TenantId } from '@writ/contract';
import { FairTurns } from '@writ/fairness';
import type { BlobStore } from '@writ/blobs';
import {
  compareContents,
  examineEffect,
  historyChanges,
  newStarters,
  type ContentFacts,
  type EffectContents,
  type EffectExamination,
  type EffectSettings,
  type FilesBefore,
  type HistoryAnswer,
  type HistoryQuestion,
  type LaterContents,
  type LaterStarters,
  type PastEffect,
} from '@writ/effect';
import { pacer, yieldNow, type InputOf, type OutputOf, type TaskRunner } from '@writ/worker-pool';
import {
  applyDelta,
  ConflictError,
  lookup,
  parsePath,
  parseSnapshotId,
  stateOf,
  walk,
  withPauses,
  type NodeReader,
} from '@writ/workspace';
import type { AttemptFacts } from '../attempts/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { SeriesRow } from '../../foundation/database/functions/outcomes.ts';
import type { ExecutionTasks } from '../worker-tasks.ts';
import type { ComparedContents } from './compared-contents.ts';
import { EffectSeries, SERIES_CHANGES_MAX } from './effect-series.ts';
import { Effort } from './effort.ts';
import { LARGE_READINGS } from './large-readings.ts';
import type { CheckedDelta } from './effect-applier.ts';
import { cachedComparisons, type Compare } from './cached-comparisons.ts';
import { StoredDeltas } from './stored-deltas.ts';

/**
 * INVARIANT (unread is lost): a content that can't be compared within its bounds counts as rewritten, and as nothing
 * that git keeps.
 */
const INCOMPARABLE: ContentFacts = {
  binaryBefore: false,
  binaryAfter: false,
  generated: false,
  kept: 0,
  ordered: 0,
  alike: 0,
  blobBefore: '',
  blobAfter: '',
};

const KEY_BYTES = 32;

/** Contents of this many bytes together take some 4 ms to compare: they are compared on the event loop. */
const INLINE_BYTES_MAX = 64 * 1024;
/** Two contents of `CONTENT_BYTES_MAX` take some two seconds; this is for a busy one, in milliseconds. */
const COMPARE_WALL_MS = 10_000;
/**
 * The time for one question about a repository, in milliseconds, on a busy processor: a free one spends the effort in
 * some four seconds.
 */
const GIT_WALL_MS = 20_000;
/** How long a worker thread may take for each task of an examination, in milliseconds. */
const WALL_MS = {
  'contents.compare': COMPARE_WALL_MS,
  'contents.starters': COMPARE_WALL_MS,
  'git.history': GIT_WALL_MS,
  'git.kept': GIT_WALL_MS,
  'git.stashes': GIT_WALL_MS,
} as const;
/** Contents that one statement reads: many small ones, or a few of a megabyte. */
const READ_AT_ONCE = 64;

/** The resources that an examiner may share with others, and how much of series it caches. */
export interface ExaminerShare {
  /** readings of much of a workspace, of all examiners of the process together */
  readonly large?: FairTurns;
  readonly seriesChangesMax?: number;
  /** the name under which all its large readings and tasks queue, instead of their tenants */
  readonly queuedAs?: string;
}

/** The conditions under which a committed effect was examined. */
export interface PastExamination {
  readonly settings: EffectSettings;
  /** when it committed, in milliseconds */
  readonly now: number;
  /** the effects of its series at that time: see `ExaminedEffect` */
  readonly past: () => Promise<readonly PastEffect[]>;
  readonly effort: Effort;
}

/** Examines effects by what they do to the files of a workspace: see libs/effect. */
export class EffectExaminer {
  readonly #blobs: BlobStore;
  readonly #series: EffectSeries;
  readonly #work: TaskRunner<ExecutionTasks>;
  readonly #cacheFacts = cachedComparisons();
  /** Of this process alone: callers can't foresee which files of a large effect are examined. */
  readonly #key = randomBytes(KEY_BYTES);
  readonly #large: FairTurns;
  readonly #queuedAs: string | null;

  constructor(blobs: BlobStore, tenants: TenantPool, work: TaskRunner<ExecutionTasks>, share: ExaminerShare = {}) {
    const { large, seriesChangesMax = SERIES_CHANGES_MAX, queuedAs = null } = share;
    this.#blobs = blobs;
    this.#series = new EffectSeries(new StoredDeltas(blobs, work, queuedAs), blobs, tenants, seriesChangesMax);
    this.#work = work;
    this.#queuedAs = queuedAs;
    this.#large = large ?? new FairTurns(LARGE_READINGS, () => performance.now());
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
    facts: AttemptFacts,
    { bytes, ...effect }: CheckedDelta & { readonly bytes: Uint8Array },
    settings: EffectSettings,
    isApproved: boolean,
  ): Promise<EffectExamination> {
    const past = await this.#series.join(facts, bytes, { isApproved, windowMs: settings.lost_series.window_ms });
    const how = { settings, now: Date.now(), past, effort: Effort.unbounded() };
    return await this.#examined(facts.operation.tenant_id, effect, how);
  }

  /**
   * Examines a delta that has committed, on its base, as it was examined then. Nothing is written.
   *
   * @throws BeyondEffort; Fault `blob.missing` where a content that the rules need was collected, others as `examine`
   */
  async examineCommitted(tenantId: TenantId, delta: Delta, then: PastExamination): Promise<EffectExamination> {
    return await this.#examined(tenantId, { delta, contents: new Map() }, then);
  }

  /** Reads effects that have committed. @throws BeyondEffort; Fault as the blob store */
  async readSeries(tenantId: TenantId, rows: readonly SeriesRow[], effort: Effort): Promise<readonly PastEffect[]> {
    return await this.#series.read(tenantId, rows, effort);
  }

  async #examined(
    tenantId: TenantId,
    effect: CheckedDelta,
    { settings, now, past, effort }: PastExamination,
  ): Promise<EffectExamination> {
    const contents = this.#contents(tenantId, effect, effort);
    return await examineEffect({ changes: effect.delta.changes, settings, key: this.#key, now, contents, past });
  }

  /**
   * Where the delta misstates the state that it claims to change, in words; null where it doesn't.
   * @throws Fault as the blob store
   */
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

  /** Runs a task in a worker thread. Null where the answer is beyond the bounds of its task. */
  async #runTask<K extends keyof typeof WALL_MS>(
    task: K,
    input: InputOf<ExecutionTasks, K>,
    tenantId: TenantId,
    effort: Effort,
  ): Promise<OutputOf<ExecutionTasks, K> | null> {
    const options = { tenantId: this.#queuedAs ?? tenantId, wallMs: effort.atMost(WALL_MS[task]) };
    return await orNull(this.#work.run(task, input, options), effort);
  }

  async #compare(tenantId: TenantId, contents: ComparedContents, effort: Effort): Promise<ContentFacts> {
    const { before, after } = contents;
    if (before.byteLength + (after?.byteLength ?? 0) <= INLINE_BYTES_MAX) return compareContents(before, after);
    return (await this.#runTask('contents.compare', contents, tenantId, effort)) ?? INCOMPARABLE;
  }

  /** References alone are lines of text: a few of them are read on the event loop. */
  async #gitHistory(tenantId: TenantId, question: HistoryQuestion, effort: Effort): Promise<HistoryAnswer | null> {
    const { before, after, rest, objects, gone } = question;
    const isShort =
      objects === null &&
      gone.loose.length === 0 &&
      gone.indexes.length === 0 &&
      bytesOf(before) + bytesOf(after) + bytesOf(rest ?? new Map()) <= INLINE_BYTES_MAX;
    return isShort ? historyChanges(question) : await this.#runTask('git.history', question, tenantId, effort);
  }

  async #readMany(
    tenantId: TenantId,
    contents: CheckedDelta['contents'],
    sha256s: readonly string[],
    effort: Effort,
  ): Promise<ReadonlyMap<string, Uint8Array>> {
    const found = new Map<string, Uint8Array>();
    const stored: string[] = [];
    for (const sha256 of new Set(sha256s)) {
      const bytes = contents.get(sha256);
      if (bytes === undefined) stored.push(sha256);
      else found.set(sha256, bytes);
    }
    for (let at = 0; at < stored.length; at += READ_AT_ONCE) {
      for (const [sha256, bytes] of await this.#blobs.getMany(tenantId, stored.slice(at, at + READ_AT_ONCE))) {
        effort.countRead(bytes.byteLength);
        found.set(sha256, bytes);
      }
    }
    return found;
  }

  /** Null where they could not be read within their bounds. */
  async #starters(tenantId: TenantId, contents: LaterContents, effort: Effort): Promise<LaterStarters | null> {
    const { before, after } = contents;
    if ((before?.byteLength ?? 0) + after.byteLength <= INLINE_BYTES_MAX) {
      // There may be many: each yields to the event loop.
      await yieldNow();
      return newStarters(contents);
    }
    return await this.#runTask('contents.starters', contents, tenantId, effort);
  }

  #contents(tenantId: TenantId, { delta, contents }: CheckedDelta, effort: Effort): EffectContents {
    const root = parseSnapshotId(delta.base);
    const stored = async (sha256: string): Promise<Uint8Array> => {
      const bytes = await this.#blobs.get(tenantId, sha256);
      effort.countRead(bytes.byteLength);
      return bytes;
    };
    const read = withPauses(async (sha256) => contents.get(sha256) ?? (await stored(sha256)), pacer());
    const readOrNull = async (sha256: string | null) => (sha256 === null ? null : await read(sha256));
    const compare: Compare = async (before, after) =>
      await this.#compare(tenantId, { before: await read(before), after: await readOrNull(after) }, effort);
    return {
      read,
      pause: yieldNow,
      compare: this.#cacheFacts(tenantId, compare),
      starters: async (reader, before, after) =>
        await this.#starters(tenantId, { reader, before: await readOrNull(before), after: await read(after) }, effort),
      before: async (path): Promise<FileState | null> => stateOf(await lookup(read, root, parsePath(path))),
      readMany: async (sha256s) => await this.#readMany(tenantId, contents, sha256s, effort),
      filesBefore: async (directory, max) => await filesBelow(read, root, directory, max),
      alone: async (run) =>
        await this.#large.run(this.#queuedAs ?? tenantId, async () => {
          effort.verify();
          return await run();
        }),
      keptByGit: async (question) => await this.#runTask('git.kept', question, tenantId, effort),
      gitHistory: async (question) => await this.#gitHistory(tenantId, question, effort),
      droppedStashes: async (question) => await this.#runTask('git.stashes', question, tenantId, effort),
      count: async (counts, skips) => await countFiles(read, root, counts, skips),
    };
  }
}

/**
 * Null for a task that exceeds its budget; any other fault is thrown.
 *
 * @throws BeyondEffort where the effort's end caused it
 */
async function orNull<T>(work: Promise<T>, effort: Effort): Promise<T | null> {
  try {
    return await effort.ended(work);
  } catch (error) {
    if (error instanceof Fault && error.code === 'limit.exceeded') return null;
    throw error;
  }
}

const bytesOf = (files: ReadonlyMap<string, Uint8Array>): number =>
  [...files.values()].reduce((sum, { byteLength }) => sum + byteLength, 0);

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
  read: NodeReader,
  root: string,
  counts: (path: string, sha256: string) => boolean,
  skips: (directory: string) => boolean,
): Promise<number> {
  let count = 0;
  for await (const { path, entry } of walk(read, root, { shouldEnter: (directory) => !skips(directory) })) {
    if (entry.kind !== 'dir' && counts(path, entry.sha256)) count += 1;
  }
  return count;
}
