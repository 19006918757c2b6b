// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { knownKey, newSigner, newTenant, record } from '../specs/test-ledger.ts';
import { RecordVerifier } from './record-verifier.ts';

const signer = newSigner();
const verified = (over: Parameters<typeof knownKey>[1], recordedAt: number, now = 1_000) =>
  new RecordVerifier(new Map([[signer.keyid, knownKey(signer, over)]]), () => now).verify(record(newTenant(), { recorded_at: recordedAt }, signer));

describe('a record by a key', () => {
  it('that was revoked is taken until the key is closed, and never after, whatever its date', async () => {
    expect(await verified({ closesAt: 1_000 }, 1, 999)).not.toBeInstanceOf(Fault);
    for (const now of [1_000, 5_000]) expect(await verified({ closesAt: 1_000 }, 1, now)).toMatchObject({ code: 'record.invalid', message: expect.stringContaining('revoked') as string });
  });

  it('is taken if it is dated when the key signed: what a verifier would refuse is not appended', async () => {
    const window = { notBefore: 10, notAfter: 20 };
    for (const at of [10, 20]) expect(await verified(window, at)).not.toBeInstanceOf(Fault);
    for (const at of [9, 21]) expect(await verified(window, at)).toMatchObject({ code: 'record.invalid' });
  });
});
