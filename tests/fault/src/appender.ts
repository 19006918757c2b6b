// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import type { Bus } from '@writ/bus';
import { Fault, formatId, subjectsOf, type AppendReply, type AppendRequest, type TenantId } from '@writ/contract';
import { sealRecord } from '@writ/receipt';
import { decisionRecord, eventually, expectCleanLog, Observer, SHARD, type Stack } from '@writ/stack';

export type Sent = AppendRequest['records'][number];

const APPEND = subjectsOf(SHARD).request('ledger.append');
/** How long a request may take before its sender repeats it, as the kernel does. */
const ANSWER_MS = 3_000;
/** Long enough for a ledger to start and append everything on a slow machine. */
export const LOGGED_MS = 60_000;

export const newTenant = (): TenantId => formatId('tenant', randomBytes(16));

/** No answer in time: the ledger is down, or the machine is slow. The request may have been applied. */
const isSilence = (error: unknown): boolean =>
  error instanceof Fault && (error.code === 'deadline' || error.code === 'bus.unreachable');

/** Repeats the request until there is an answer, good or bad. */
export const untilAnswered = <T>(ask: () => Promise<T>): Promise<NonNullable<T>> =>
  eventually(
    'an answer of the ledger',
    () =>
      ask().catch((error: unknown) => {
        if (isSilence(error)) return null;
        throw error;
      }),
    LOGGED_MS,
  ) as Promise<NonNullable<T>>;

/** Sends requests to the ledger over the bus as the kernel does, and remembers what it acknowledged. */
export class Appender {
  readonly #stack: Stack;
  readonly #bus: Bus;
  /** index of each acknowledged record */
  readonly #acknowledged = new Map<string, number>();
  /** records that a later answer gave another index */
  readonly #moved: string[] = [];

  private constructor(stack: Stack, bus: Bus) {
    this.#stack = stack;
    this.#bus = bus;
  }

  static async of(stack: Stack): Promise<Appender> {
    return new Appender(stack, await stack.busAs('kernel'));
  }

  /** Records as the kernel signs them. */
  sealed(tenant_id: TenantId, count: number): Sent[] {
    const signer = this.#stack.keys.record;
    return Array.from({ length: count }, () => {
      const record = decisionRecord(tenant_id, signer.keyid);
      return { record_id: record.record_id, tenant_id, envelope: sealRecord(record, signer).envelope };
    });
  }

  /** One request. */
  async append(records: readonly Sent[]): Promise<void> {
    const { appended } = (await this.#bus.request(
      APPEND,
      { v: 1, records },
      { deadline: Date.now() + ANSWER_MS },
    )) as AppendReply;
    for (const { record_id, leaf_index, fault } of appended) {
      if (leaf_index === null) throw new Error(`refused: ${fault}`);
      if ((this.#acknowledged.get(record_id) ?? leaf_index) !== leaf_index) this.#moved.push(record_id);
      this.#acknowledged.set(record_id, leaf_index);
    }
  }

  /** Repeats the request until there is an answer. */
  untilLogged(records: readonly Sent[]): Promise<true> {
    return eventually(
      'an answer of the ledger',
      () =>
        this.append(records).then(
          () => true as const,
          () => null,
        ),
      LOGGED_MS,
    );
  }

  /** Repeats the request until it is refused as a whole, and returns the fault. Throws where it is accepted. */
  refusalOf(records: readonly Sent[]): Promise<unknown> {
    return untilAnswered(() =>
      this.append(records).then(
        () => {
          throw new Error('it was taken');
        },
        (error: unknown) => {
          if (isSilence(error)) throw error;
          return error;
        },
      ),
    );
  }

  /**
   * Asserts that each acknowledged record is in the log once, at its acknowledged index. All of these must be
   * acknowledged, and the checker must find nothing.
   */
  async expectConsistent(sent: readonly Sent[]): Promise<void> {
    const rows = await new Observer(this.#stack).rows<{ record_id: string; leaf_index: number; n: number }>(
      'SELECT record_id, min(leaf_index) AS leaf_index, count(*)::int AS n FROM ledger.leaf GROUP BY record_id',
    );
    const stored = new Map(rows.map((row) => [row.record_id, row]));
    for (const [record_id, leaf_index] of this.#acknowledged)
      expect(stored.get(record_id)).toEqual({ record_id, leaf_index, n: 1 });
    expect(this.#moved).toEqual([]);
    expect(sent.filter(({ record_id }) => !this.#acknowledged.has(record_id))).toEqual([]);
    expectCleanLog(this.#stack);
  }

  async close(): Promise<void> {
    await this.#bus.close();
  }
}
