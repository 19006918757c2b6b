// SPDX-License-Identifier: Apache-2.0
import type { KeyEvent } from '@writ/receipt';
import type { KeyRing, SigningKey } from '@writ/signing';

/**
 * How long after a revoked key's closing its revocation is recorded, in milliseconds. By then the log has all records
 * that the ledger accepted at the last moment, also where its clock is behind. No ledger should have accepted what a
 * verifier finds after the revocation.
 */
export const CLOSED_MS = 15_000;

/** An event of a key that every log existing at that time has to contain. */
export interface DueEvent {
  readonly event: KeyEvent;
  /** milliseconds since the epoch */
  readonly due: number;
  /** Names under which a tenant's row may note the event: for a revocation one for each key that may sign it. */
  readonly names: readonly string[];
}

/**
 * The name under which a tenant's row notes the record of an event. A revocation's name contains the key that signed
 * the record: the signature of a key that is revoked itself counts no more.
 */
export function eventNameOf({ event, purpose, keyid }: KeyEvent, signedBy: string): string {
  const name = event === 'revoked' ? `${event} ${keyid} ${signedBy}` : `${event} ${keyid}`;
  return purpose === 'record' ? name : `${purpose} ${name}`;
}

/**
 * The events of the keys of records and of checkpoints until `now`, in milliseconds. The first key of a ring was not
 * introduced by a change: readers of the log must have it from elsewhere. Keys of records sign all these events, since
 * the ledger writes no records.
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
        names: keys.filter((other) => other.revoked === null).map((other) => eventNameOf(event, other.keyid)),
      },
    ];
  }
  const single = (event: KeyEvent, due: number): DueEvent => ({ event, due, names: [eventNameOf(event, keyid)] });
  return [
    ...(not_before === null ? [] : [single(eventOf('introduced', signs_from), not_before)]),
    ...(signs_until === null ? [] : [single(eventOf('retired', signs_until), signs_until)]),
  ];
}
