// SPDX-License-Identifier: Apache-2.0
import type { TenantId } from '@writ/contract';
import { formatKeyEvent } from '@writ/receipt';
import type { KeyRing, LiveSigner } from '@writ/signing';
import type { Changes } from '../changes/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { CrossTenantPool } from '../../foundation/database/pools.ts';
import { dueEvents, nameOf, type DueEvent } from './due-events.ts';

/** Tenants of one run, each a transaction of its own: a change of keys is no flood for the ledger. */
const TENANTS_MAX = 200;
/**
 * For how long after an event is due it is looked for tenants that lack it, in milliseconds: one that was being made at
 * that moment may be seen only later.
 */
const SETTLED_MS = 60_000;
const ACTOR = 'kernel';

/** The keys that sign records, and those whose checkpoints stand over them. */
export interface RecordingKeys {
  readonly record: Pick<LiveSigner, 'keyid' | 'isAble'>;
  readonly recordRing: KeyRing;
  /** null where the kernel isn't told of them */
  readonly checkpointRing: KeyRing | null;
}

export interface RecordKeysOptions {
  /** milliseconds since the epoch */
  readonly now: () => number;
  readonly report: (error: unknown) => void;
}

/**
 * Records in every tenant's log what becomes of the keys that sign it: its records and its checkpoints. Beside the
 * calls: no admission asks for it or waits. INVARIANT (by another): a revocation is signed by a key that isn't revoked;
 * where that one is revoked later, the revocation is recorded anew by another.
 */
export class RecordKeys {
  readonly #workers: CrossTenantPool;
  readonly #changes: Changes;
  readonly #keys: RecordingKeys;
  readonly #options: RecordKeysOptions;
  /** The names of the events that every tenant was found to have. */
  #done = '';

  constructor(workers: CrossTenantPool, changes: Changes, keys: RecordingKeys, options: RecordKeysOptions) {
    this.#workers = workers;
    this.#changes = changes;
    this.#keys = keys;
    this.#options = options;
  }

  /**
   * Records what is due and lacking, for some tenants; resolves with how many. Replicas may do so at once: one of them
   * records it.
   */
  async run(): Promise<number> {
    const now = this.#options.now();
    const events = this.#sayable(now);
    const names = events.flatMap((event) => event.names).join('\n');
    if (events.length === 0 || names === this.#done || !this.#keys.record.isAble) return 0;
    const lacking = events.map(({ due, names: accepted }) => ({ due, names: accepted }));
    let recorded = 0;
    for (let after = '', found: TenantId[]; recorded < TENANTS_MAX; after = found.at(-1) ?? '') {
      found = await kernelSql.keysUnrecorded(this.#workers.pool, { events: lacking, after, limit: TENANTS_MAX });
      if (found.length === 0) break;
      for (const tenantId of found) recorded += Number(await this.#recordFor(tenantId, events));
    }
    if (recorded === 0 && (events.at(-1)?.due ?? 0) + SETTLED_MS <= now) this.#done = names;
    return recorded;
  }

  /** What is due and may be said by the key that signs now. */
  #sayable(now: number): DueEvent[] {
    const { keyid } = this.#keys.record;
    return dueEvents(this.#keys.recordRing, now, this.#keys.checkpointRing).filter(({ event, names }) =>
      names.includes(nameOf(event, keyid)),
    );
  }

  /** One tenant that can't be recorded for holds up no other: the next run tries it again. */
  async #recordFor(tenantId: TenantId, events: readonly DueEvent[]): Promise<boolean> {
    try {
      return await this.#record(tenantId, events);
    } catch (error) {
      this.#options.report(error);
      return false;
    }
  }

  async #record(tenantId: TenantId, events: readonly DueEvent[]): Promise<boolean> {
    return await this.#changes.make(tenantId, async (rows) => {
      const { keyid } = this.#keys.record;
      const row = await rows.tenant.findUniqueOrThrow({
        where: { tenant_id: tenantId },
        select: { created_at: true, keys_recorded: true },
      });
      const lacking = events.filter(
        ({ event, due, names }) =>
          row.created_at <= due &&
          names.includes(nameOf(event, keyid)) &&
          !names.some((name) => row.keys_recorded.includes(name)),
      );
      if (lacking.length === 0) return { value: false, records: [] };
      const { count } = await rows.tenant.updateMany({
        where: { tenant_id: tenantId, keys_recorded: { equals: row.keys_recorded } },
        data: { keys_recorded: [...row.keys_recorded, ...lacking.map(({ event }) => nameOf(event, keyid))] },
      });
      if (count === 0) return { value: false, records: [] };
      // What was noted names the key that signs.
      if (this.#keys.record.keyid !== keyid)
        throw new Error('another key signs since a moment: what became of keys is recorded with the next run');
      return {
        value: true,
        records: lacking.map(({ event }) => ({ kind: 'key' as const, actor: ACTOR, change: formatKeyEvent(event) })),
      };
    });
  }
}
