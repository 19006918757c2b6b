// SPDX-License-Identifier: Apache-2.0
import { Fault, formatId, type RenewReply } from '@writ/contract';
import { keepLease } from './keep-lease.ts';
import { Lease } from './lease.ts';

const LEASE_MS = 120;
const speaker = {
  tenant_id: formatId('tenant', new Uint8Array(16).fill(1)),
  operation_id: formatId('operation', new Uint8Array(16).fill(4)),
  attempt: 1,
  mode: 'run',
  executor_id: formatId('executor', new Uint8Array(16).fill(2)),
  nonce: '0'.repeat(32),
} as const;
const granted: RenewReply = { v: 1, lease_until: 0, stop: false };

/**
 * Keeps a lease whose clock stands still, so that the machine's own haste decides nothing, until `times` renewals were
 * sent.
 */
async function kept(times: number, answer: (time: number) => Promise<RenewReply>): Promise<Lease> {
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
    speaker,
    lease,
    () => 0,
    done.signal,
  );
  return lease;
}

it('sends another renewal while one is never answered, and takes what it is told then', async () => {
  expect((await kept(3, (time) => (time === 1 ? new Promise(() => undefined) : Promise.resolve(granted)))).left).toBe(
    LEASE_MS,
  );
});

it('goes on after renewals that failed, and ends the lease when one is refused', async () => {
  expect((await kept(3, () => Promise.reject(new Fault('bus.unreachable')))).left).toBe(LEASE_MS);
  const refused = new Lease(() => 0, 0, LEASE_MS);
  await keepLease(
    { renew: () => Promise.reject(new Fault('attempt.fenced')) },
    speaker,
    refused,
    () => 0,
    new AbortController().signal,
  );
  expect(refused.signal.aborted).toBe(true);
});

it('ends a lease that is past', async () => {
  let now = 0;
  const lease = new Lease(() => now, 0, LEASE_MS);
  now = LEASE_MS;
  await keepLease({ renew: () => Promise.resolve(granted) }, speaker, lease, () => now, new AbortController().signal);
  expect(lease.signal.aborted).toBe(true);
});
