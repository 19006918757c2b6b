// SPDX-License-Identifier: Apache-2.0
import type { Id, TenantId } from '@writ/contract';
import type { NewSignIn } from './sign-ins.ts';

/** A device that asks to be signed in. Hashes have 32 bytes. */
export interface NewDevice {
  readonly device_hash: Buffer;
  readonly user_code_hash: Buffer;
  /** how the program calls itself */
  readonly client: string;
  /** where the request came from */
  readonly address: string;
}

/** A device as the person who may approve it sees it. */
export interface AskingDevice {
  readonly client: string;
  readonly address: string;
  readonly created_at: number;
}

/** Who approves a device. */
export interface NewApproval {
  /** the session in which the person approves it */
  readonly approved_by: Id<'signIn'>;
  readonly person_id: Id<'person'>;
  /** all that the device's session needs, encrypted */
  readonly sealed: string;
}

export type DeviceState = 'asked' | 'approved' | 'denied' | 'used';

/** What is stored of a device that asks for its tokens. */
export interface PolledDevice {
  readonly state: DeviceState;
  readonly approval: string | null;
  /** milliseconds until it ends; 0 or less: it is over */
  readonly left_ms: number;
  /** milliseconds since it asked last; null: it asks for the first time */
  readonly polled_ms: number | null;
  readonly interval_ms: number;
}

/** What a device is answered: RFC 8628 §3.5. `unknown` also for codes that were used. */
export type Poll =
  | { readonly answer: 'unknown' | 'pending' | 'slow_down' | 'denied' | 'expired' }
  | { readonly answer: 'approved'; readonly approval: string };

/** How much longer a device must wait each time that it asks too early (RFC 8628 §3.5). */
export const SLOWER_MS = 5_000;

/** What a device is answered, and how long it must wait from then on. */
export function decidePoll(device: PolledDevice): { readonly poll: Poll; readonly interval_ms: number } {
  const { state, approval, left_ms, polled_ms, interval_ms } = device;
  const answer = (poll: Poll, then = interval_ms) => ({ poll, interval_ms: then });
  if (state === 'used') return answer({ answer: 'unknown' });
  if (left_ms <= 0) return answer({ answer: 'expired' });
  if (state === 'denied') return answer({ answer: 'denied' });
  if (polled_ms !== null && polled_ms < interval_ms) return answer({ answer: 'slow_down' }, interval_ms + SLOWER_MS);
  return answer(approval === null ? { answer: 'pending' } : { answer: 'approved', approval });
}

/** Times of a session that an approval begins. */
export interface RedeemTimes {
  readonly signed_in_at: number;
  readonly expires_at: number;
  readonly idleMs: number;
}

/** Devices that ask. Implementations MUST NOT show or change anything of a tenant other than `tenantId`. */
export abstract class DeviceAuthorizations {
  /** Stores a device for so long. False where its code for people is taken. */
  abstract create(
    tenantId: TenantId,
    device: NewDevice,
    times: { readonly lifetimeMs: number; readonly intervalMs: number },
  ): Promise<boolean>;
  /** The device that asks with that code; null where there is none, or it was decided. */
  abstract asking(tenantId: TenantId, userCodeHash: Buffer): Promise<AskingDevice | null>;
  /**
   * Approves the device, or denies it (null). False where it doesn't ask any more, and where the session that approves
   * it isn't in force: implementations MUST decide both in one transaction.
   */
  abstract decide(tenantId: TenantId, userCodeHash: Buffer, approval: NewApproval | null): Promise<boolean>;
  /** What the device of that code and client is answered. */
  abstract poll(tenantId: TenantId, deviceHash: Buffer, client: string): Promise<Poll>;
  /**
   * Uses up the approval, and begins its session in the same transaction. False where the approval was used or is over,
   * and where the session that approved it (`approved_by`) isn't in force: then the approval is used up too.
   * INVARIANT (no longer than its approver): no session begins beside or after the end of the one that approved it.
   * @param times when the person was at the identity provider, when the session expires, and after which time without
   * use the one that approved it has ended
   */
  abstract redeem(tenantId: TenantId, deviceHash: Buffer, session: NewSignIn, times: RedeemTimes): Promise<boolean>;
}
