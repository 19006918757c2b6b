// SPDX-License-Identifier: Apache-2.0
import type { KeyEvent } from '@writ/receipt';
import type { KeyRing, SigningKey } from '@writ/signing';

/**
 * How long after a revoked key was closed its revocation is recorded, in milliseconds: what the ledger took in at the
 * last moment is in the log by then, also where its clock is behind. What a verifier finds behind the revocation, no
 * ledger should have taken.
 */
export const CLOSED_MS = 15_000;

/** Something that became of a key, which every log that was there at the time has to have. */
export interface DueEvent {
  readonly event: KeyEvent;
  /** milliseconds since the epoch */
  readonly due: number;
  /** By which of these names a tenant is said to have it: of a revocation one for each key that may say so. */
  readonly names: readonly string[];
}

/**
 * The name by which a tenant is said to have the record of an event. Whose word a revocation is matters: that of a key
 * which is revoked itself counts no more.
 */
export function nameOf({ event, purpose, keyid }: KeyEvent, signedBy: string): string {
  const name = event === 'revoked' ? `${event} ${keyid} ${signedBy}` : `${event} ${keyid}`;
  return purpose === 'record' ? name : `${purpose} ${name}`;
}

/**
 * What became of the keys of records and of checkpoints until `now`, in milliseconds. The key that a ring began with
 * came by no change, and has no introduction: what a log begins with is for its readers to know from elsewhere. Keys of
 * records say all of it: the ledger writes no records.
 */
export function dueEvents(records: KeyRing, now: number, checkpoints: KeyRing | null = null): DueEvent[] {
  const events = [
    ...records.keys.flatMap((key) => eventsOf(key, 'record', records)),
    ...(checkpoints?.keys ?? []).flatMap((key) => eventsOf(key, 'checkpoint', records)),
  ];
  return events.filter(({ due }) => due <= now).sort((a, b) => a.due - b.due);
}

function eventsOf(key: SigningKey, purpose: KeyEvent['purpose'], { keys }: KeyRing): DueEvent[] {
  const {
    keyid,
    jwk: { x },
    not_before,
    signs_from,
    signs_until,
    revoked,
  } = key;
  const eventOf = (event: KeyEvent['event'], from: number): KeyEvent => ({ event, purpose, keyid, x, from });
  if (revoked !== null) {
    const event = eventOf('revoked', revoked.from);
    return [
      {
        event,
        due: revoked.closes_at + CLOSED_MS,
        names: keys.filter((other) => other.revoked === null).map((other) => nameOf(event, other.keyid)),
      },
    ];
  }
  const single = (event: KeyEvent, due: number): DueEvent => ({ event, due, names: [nameOf(event, keyid)] });
  return [
    ...(not_before === null ? [] : [single(eventOf('introduced', signs_from), not_before)]),
    ...(signs_until === null ? [] : [single(eventOf('retired', signs_until), signs_until)]),
  ];
}
