// SPDX-License-Identifier: Apache-2.0
import type { TenantId } from '@writ/contract';
import { formatKeyEvent } from '@writ/receipt';
import type { KeyRing, LiveSigner } from '@writ/signing';
import type { Changes } from '../changes/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { CrossTenantPool } from '../../foundation/database/pools.ts';
import { dueEvents, eventNameOf, type DueEvent } from './due-events.ts';

/** Tenants of one run, each in its own transaction: a change of keys must not flood the ledger. */
const TENANTS_MAX = 200;
/**
 * How long after an event is due the process looks for tenants that lack it, in milliseconds: a tenant that was being
 * created at that moment may become visible only later.
 */
const SETTLED_MS = 60_000;
const ACTOR = 'kernel';

/** The keys that sign records, and those that sign checkpoints over them. */
export interface RecordingKeys {
  readonly record: Pick<LiveSigner, 'keyid' | 'canSign'>;
  readonly recordRing: KeyRing;
  /** null where the kernel isn't configured with them */
  readonly checkpointRing: KeyRing | null;
}

export interface RecordKeysOptions {
  /** milliseconds since the epoch */
  readonly now: () => number;
  readonly report: (error: unknown) => void;
}

/**
 * Records in every tenant's log the events of the keys that sign it: those of its records and of its checkpoints. It
 * works beside the calls: no admission waits for it. INVARIANT (by another): a revocation is signed by a key that isn't
 * revoked. Where that key is revoked later, another key records the revocation anew.
 */
export class RecordKeys {
  readonly #workers: CrossTenantPool;
  readonly #changes: Changes;
  readonly #keys: RecordingKeys;
  readonly #options: RecordKeysOptions;
  /** The names of the events that every tenant was found to have. */
  #recordedNames = '';

  constructor(workers: CrossTenantPool, changes: Changes, keys: RecordingKeys, options: RecordKeysOptions) {
    this.#workers = workers;
    this.#changes = changes;
    this.#keys = keys;
    this.#options = options;
  }

  /**
   * Records the events that are due and lacking, for some tenants; resolves with how many. Replicas may do so at once:
   * one of them records it.
   */
  async run(): Promise<number> {
    const now = this.#options.now();
    const events = this.#signable(now);
    const names = events.flatMap((event) => event.names).join('\n');
    if (events.length === 0 || names === this.#recordedNames || !this.#keys.record.canSign) return 0;
    const lacking = events.map(({ due, names: accepted }) => ({ due, names: accepted }));
    let recorded = 0;
    for (let after = '', found: TenantId[]; recorded < TENANTS_MAX; after = found.at(-1) ?? '') {
      found = await kernelSql.keysUnrecorded(this.#workers.pool, { events: lacking, after, limit: TENANTS_MAX });
      if (found.length === 0) break;
      for (const tenantId of found) recorded += Number(await this.#recordFor(tenantId, events));
    }
    if (recorded === 0 && (events.at(-1)?.due ?? 0) + SETTLED_MS <= now) this.#recordedNames = names;
    return recorded;
  }

  /** The events that are due and that the present key may sign. */
  #signable(now: number): DueEvent[] {
    const { keyid } = this.#keys.record;
    return dueEvents(this.#keys.recordRing, now, this.#keys.checkpointRing).filter(({ event, names }) =>
      names.includes(eventNameOf(event, keyid)),
    );
  }

  /** A tenant whose record fails holds up no other: the next run tries it again. */
  async #recordFor(tenantId: TenantId, events: readonly DueEvent[]): Promise<boolean> {
    try {
      return await this.#record(tenantId, events);
    } catch (error) {
      this.#options.report(error);
      return false;
    }
  }

  async #record(tenantId: TenantId, events: readonly DueEvent[]): Promise<boolean> {
    return await this.#changes.upkeep(tenantId, async (rows) => {
      const { keyid } = this.#keys.record;
      const row = await rows.tenant.findUniqueOrThrow({
        where: { tenant_id: tenantId },
        select: { created_at: true, keys_recorded: true },
      });
      const lacking = events.filter(
        ({ event, due, names }) =>
          row.created_at <= due &&
          names.includes(eventNameOf(event, keyid)) &&
          !names.some((name) => row.keys_recorded.includes(name)),
      );
      if (lacking.length === 0) return { value: false, records: [] };
      const { count } = await rows.tenant.updateMany({
        where: { tenant_id: tenantId, keys_recorded: { equals: row.keys_recorded } },
        data: { keys_recorded: [...row.keys_recorded, ...lacking.map(({ event }) => eventNameOf(event, keyid))] },
      });
      if (count === 0) return { value: false, records: [] };
      // The noted names contain the key that signs.
      if (this.#keys.record.keyid !== keyid)
        throw new Error('the signing key has just changed: the next run records the events of keys');
      return {
        value: true,
        records: lacking.map(({ event }) => ({ kind: 'key' as const, actor: ACTOR, change: formatKeyEvent(event) })),
      };
    });
  }
}
