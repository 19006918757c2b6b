// SPDX-License-Identifier: Apache-2.0
import type { BlockCache } from './block-cache.ts';
import type { FromThread, ToThread } from './scan-messages.ts';
import { TopHits, type VectorBlock } from './top-hits.ts';

interface Job {
  readonly key: string;
  readonly hits: TopHits;
  /** what it has read so far, to be cached; null if it doesn't cache, or no longer */
  kept: VectorBlock[] | null;
}

/** Cached blocks that are scored in one go: some milliseconds. Others get their turn in between. */
const BLOCKS_PER_SLICE = 8;

/** The thread's side of the scans: scores pages as they come, or those that are cached. */
export class ScanJobs {
  readonly #cache: BlockCache;
  readonly #send: (message: FromThread) => void;
  readonly #jobs = new Map<number, Job>();

  constructor(cache: BlockCache, send: (message: FromThread) => void) {
    this.#cache = cache;
    this.#send = send;
  }

  receive(message: ToThread): void {
    if (message.type === 'open') return this.#open(message);
    const job = this.#jobs.get(message.job);
    // Cancelled meanwhile.
    if (job === undefined) return;
    if (message.type === 'page') {
      job.hits.add(message);
      this.#keep(job, { ids: message.ids, vectors: message.vectors });
      return this.#send({ type: 'more', job: message.job });
    }
    if (message.type === 'end') {
      if (job.kept !== null) this.#cache.set(job.key, job.kept);
      return this.#finish(message.job, job);
    }
    this.#drop(job);
    this.#jobs.delete(message.job);
  }

  #open({ job: id, key, keeps, query, most, only }: ToThread & { readonly type: 'open' }): void {
    const blocks = this.#cache.get(key);
    const job: Job = { key, hits: new TopHits(query, most, only), kept: keeps && blocks === null ? [] : null };
    this.#jobs.set(id, job);
    if (blocks === null) this.#send({ type: 'more', job: id });
    else this.#scan(id, job, blocks, 0);
  }

  #scan(id: number, job: Job, blocks: readonly VectorBlock[], from: number): void {
    if (this.#jobs.get(id) !== job) return;
    for (const block of blocks.slice(from, from + BLOCKS_PER_SLICE)) job.hits.add(block);
    if (from + BLOCKS_PER_SLICE >= blocks.length) this.#finish(id, job);
    else setImmediate(() => this.#scan(id, job, blocks, from + BLOCKS_PER_SLICE));
  }

  #keep(job: Job, block: VectorBlock): void {
    if (job.kept === null) return;
    if (this.#cache.reserve(block)) job.kept.push(block);
    else this.#drop(job);
  }

  #drop(job: Job): void {
    if (job.kept !== null) this.#cache.release(job.kept);
    job.kept = null;
  }

  #finish(id: number, { hits }: Job): void {
    this.#jobs.delete(id);
    this.#send({ type: 'result', job: id, ranking: hits.ranking() });
  }
}
