// SPDX-License-Identifier: Apache-2.0
import { Fault, formatId, type RenewReply } from '@writ/contract';
import { keepLease } from './keep-lease.ts';
import { Lease } from './lease.ts';

const LEASE_MS = 120;
const credentials = {
  tenant_id: formatId('tenant', new Uint8Array(16).fill(1)),
  operation_id: formatId('operation', new Uint8Array(16).fill(4)),
  attempt: 1,
  mode: 'run',
  executor_id: formatId('executor', new Uint8Array(16).fill(2)),
  nonce: '0'.repeat(32),
} as const;
const granted: RenewReply = { v: 1, lease_until: 0, stop: false };

/**
 * Keeps a lease until `times` renewals were sent. Its clock does not advance, so the speed of the machine decides
 * nothing.
 */
async function renewedLease(times: number, answer: (time: number) => Promise<RenewReply>): Promise<Lease> {
  const lease = new Lease(() => 0, 0, LEASE_MS);
  const done = new AbortController();
  let sent = 0;
  await keepLease(
    {
      renew: () => {
        sent += 1;
        if (sent === times) done.abort();
        return answer(sent);
      },
    },
    credentials,
    lease,
    () => 0,
    done.signal,
  );
  return lease;
}

it('a renewal that is never answered is followed by another, whose answer extends the lease', async () => {
  expect(
    (await renewedLease(3, (time) => (time === 1 ? new Promise(() => undefined) : Promise.resolve(granted)))).left,
  ).toBe(LEASE_MS);
});

it('renewal continues after failures and ends the lease when the kernel refuses', async () => {
  expect((await renewedLease(3, () => Promise.reject(new Fault('bus.unreachable')))).left).toBe(LEASE_MS);
  const refused = new Lease(() => 0, 0, LEASE_MS);
  await keepLease(
    { renew: () => Promise.reject(new Fault('attempt.fenced')) },
    credentials,
    refused,
    () => 0,
    new AbortController().signal,
  );
  expect(refused.signal.aborted).toBe(true);
});

it('keepLease ends a lease that has expired', async () => {
  let now = 0;
  const lease = new Lease(() => now, 0, LEASE_MS);
  now = LEASE_MS;
  await keepLease(
    { renew: () => Promise.resolve(granted) },
    credentials,
    lease,
    () => now,
    new AbortController().signal,
  );
  expect(lease.signal.aborted).toBe(true);
});
