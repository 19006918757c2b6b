// SPDX-License-Identifier: Apache-2.0
// Offboards members: whatever they hold, lent or approved ends within a minute (ADR 0150).
//
// INVARIANT (refused first): once the first transaction is committed, nothing that the member holds is accepted, and
// nothing new is made for it. The steps that follow end what was begun.
// INVARIANT (completed by anybody): each step may be repeated. A replica that stops leaves the rest to the sweep of any
// other one, and a step that fails keeps none of the others from being made.
import { Fault, PRINCIPALS_MAX, type Caller, type Id } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';
import type { RevokeKey } from '../../calls/kernel/revoke-key.ts';
import type { Authenticator } from '../../edge/access/authenticator.ts';
import type { MemberRow } from '../../store/members/members.ts';
import type { Offboardings, OpenOffboarding } from '../../store/members/offboardings.ts';

/** Keys that one pass revokes: each waits for the kernel, a few milliseconds. */
const REVOKED_MAX = 200;
/** Keys that may fail in one pass: each can wait for the kernel for seconds. */
const FAILED_MAX = 10;
/** Offboardings that one pass of the sweep completes. */
const SWEPT_MAX = 50;
/**
 * The last pass begins so long after the first transaction, in milliseconds: keys that a replica of the version before
 * was making at that moment are there by then.
 */
const LAST_PASS_MS = 20_000;

/** What one pass ended. */
export interface OffboardingPass {
  readonly revoked: readonly Id<'apiKey'>[];
  readonly paused_jobs: readonly Id<'job'>[];
  readonly delegations: number;
  /** whether something is left that the next pass ends */
  readonly more: boolean;
}

export interface OffboardParts {
  readonly offboardings: Offboardings;
  readonly revokeKey: Pick<RevokeKey, 'run'>;
  readonly authenticator: Pick<Authenticator, 'forgetKeys'>;
  readonly report: (error: unknown) => void;
}

/** Begins and completes offboardings. */
export class Offboard {
  readonly #kernel: Pick<KernelClient, 'ask'>;
  readonly #parts: OffboardParts;

  constructor(kernel: Pick<KernelClient, 'ask'>, parts: OffboardParts) {
    this.#kernel = kernel;
    this.#parts = parts;
  }

  /** Offboards a member, and makes the first pass. Faults: `not_found`, `conflict`. */
  async run(
    caller: Caller,
    memberId: string,
    reason: string,
  ): Promise<{ readonly member: MemberRow; readonly pass: OffboardingPass }> {
    const { offboardings, authenticator } = this.#parts;
    const digest = sha256Hex(canonicalBytes({ member_id: memberId, reason }));
    const member = await offboardings.begin(caller.tenant_id, memberId, caller.api_key_id, async () => {
      await this.#kernel.ask('change.record', caller, { verb: 'member_offboarded', subject: memberId, digest });
    });
    if (member === null) throw new Fault('not_found');
    authenticator.forgetKeys();
    const { tenant_id, api_key_id: begun_by } = caller;
    return { member, pass: await this.#pass({ tenant_id, member_id: member.member_id, begun_by, age_ms: 0 }) };
  }

  /** Completes what goes on, of all tenants. Every replica does so every few seconds. */
  async sweep(): Promise<void> {
    const { offboardings } = this.#parts;
    for (const open of await offboardings.open(SWEPT_MAX))
      await this.#step(async () => {
        await offboardings.tried(open.tenant_id, open.member_id);
        const { more } = await this.#pass(open);
        if (!more && open.age_ms >= LAST_PASS_MS) await offboardings.end(open.tenant_id, open.member_id);
      });
  }

  async #pass({ tenant_id, member_id, begun_by }: OpenOffboarding): Promise<OffboardingPass> {
    const { offboardings } = this.#parts;
    const by: Caller = { tenant_id, api_key_id: begun_by, role: 'admin', agent_id: null };
    const delegations = await this.#step(() => this.#leaveApprovals(by, member_id));
    const revoked = await this.#step(() => this.#revokeKeys(by, member_id));
    const paused = await this.#step(() => offboardings.pauseJobs(tenant_id, member_id));
    return {
      revoked: revoked?.ids ?? [],
      paused_jobs: paused ?? [],
      delegations: delegations ?? 0,
      more: [delegations, revoked, paused].includes(null) || revoked?.more === true,
    };
  }

  /** Null where the step failed: the next pass makes it again. */
  async #step<T>(make: () => Promise<T>): Promise<T | null> {
    try {
      return await make();
    } catch (error) {
      this.#parts.report(error);
      return null;
    }
  }

  async #leaveApprovals(by: Caller, member_id: Id<'member'>): Promise<number> {
    let delegations = 0;
    for (let after: string | null = null, full = true; full;) {
      const page: { after: string | null; limit: number } = { after, limit: PRINCIPALS_MAX };
      const principals = await this.#parts.offboardings.principalsOf(by.tenant_id, member_id, page);
      if (principals.length > 0)
        delegations += (await this.#kernel.ask('person.offboard', by, { member_id, principals })).delegations;
      after = principals.at(-1) ?? null;
      full = principals.length === PRINCIPALS_MAX;
    }
    return delegations;
  }

  /** A key that fails keeps no other one from its end. */
  async #revokeKeys(by: Caller, memberId: string): Promise<{ ids: Id<'apiKey'>[]; more: boolean }> {
    const { offboardings, revokeKey } = this.#parts;
    const found = await offboardings.keysOf(by.tenant_id, memberId, REVOKED_MAX);
    const ids: Id<'apiKey'>[] = [];
    let failed = 0;
    for (const api_key_id of found) {
      if (failed === FAILED_MAX) break;
      const isRevoked = await this.#step(() => revokeKey.run(by, api_key_id).then(() => true));
      if (isRevoked === null) failed += 1;
      else ids.push(api_key_id);
    }
    return { ids, more: failed > 0 || found.length === REVOKED_MAX };
  }
}
