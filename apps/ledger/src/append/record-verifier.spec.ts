// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { formatKeyEvent } from '@writ/receipt';
import { knownKey, newSigner, newTenant, record } from '../specs/test-ledger.ts';
import { RecordVerifier } from './record-verifier.ts';

const signer = newSigner();
const verified = (over: Parameters<typeof knownKey>[1], recordedAt: number, now = 1_000) =>
  new RecordVerifier(new Map([[signer.keyid, knownKey(signer, over)]]), () => now).verify(
    record(newTenant(), { recorded_at: recordedAt }, signer),
    'worker',
  );

it.each(['worker', 'inline'] as const)('a signature is verified %s', async (where) => {
  const verifier = new RecordVerifier(new Map([[signer.keyid, knownKey(signer)]]), () => 1_000);
  const sent = record(newTenant(), {}, signer);
  expect(await verifier.verify(sent, where)).toMatchObject({ recordId: sent.record_id });
  const forged = {
    ...sent,
    envelope: { ...sent.envelope, signatures: [{ keyid: signer.keyid, sig: Buffer.alloc(64, 1).toString('base64') }] },
  };
  expect(await verifier.verify(forged, where)).toMatchObject({ code: 'record.invalid' });
});

describe("a record of a key's revocation", () => {
  const lost = newSigner();
  const change = formatKeyEvent({
    event: 'revoked',
    purpose: 'record',
    keyid: lost.keyid,
    x: lost.publicJwk.x,
    from: 1,
  });
  const verifiedRevocation = (over: Parameters<typeof knownKey>[1], now: number, keyChange = change) =>
    new RecordVerifier(
      new Map([
        [signer.keyid, knownKey(signer)],
        [lost.keyid, knownKey(lost, over)],
      ]),
      () => now,
    ).verify(record(newTenant(), { kind: 'key', change: keyChange }, signer), 'worker');

  it('is refused while the key is accepted, so that no later record by the key follows it', async () => {
    for (const over of [{}, { closesAt: 1_001 }])
      expect(await verifiedRevocation(over, 1_000)).toMatchObject({
        code: 'record.invalid',
        message: expect.stringContaining('still accepted') as string,
      });
    expect(await verifiedRevocation({ closesAt: 1_000 }, 1_000)).not.toBeInstanceOf(Fault);
  });

  it('is the only key event that is refused for this reason', async () => {
    for (const event of ['introduced', 'retired'] as const)
      expect(
        await verifiedRevocation(
          {},
          1_000,
          formatKeyEvent({ event, purpose: 'record', keyid: lost.keyid, x: lost.publicJwk.x, from: 1 }),
        ),
      ).not.toBeInstanceOf(Fault);
    expect(
      await verifiedRevocation(
        {},
        1_000,
        formatKeyEvent({ event: 'revoked', purpose: 'checkpoint', keyid: lost.keyid, x: lost.publicJwk.x, from: 1 }),
      ),
    ).not.toBeInstanceOf(Fault);
  });
});

describe('a record by a key', () => {
  it('that was revoked is accepted until the key closes, and never afterwards, whatever its date', async () => {
    expect(await verified({ closesAt: 1_000 }, 1, 999)).not.toBeInstanceOf(Fault);
    for (const now of [1_000, 5_000])
      expect(await verified({ closesAt: 1_000 }, 1, now)).toMatchObject({
        code: 'record.invalid',
        message: expect.stringContaining('revoked') as string,
      });
  });

  it("is accepted only if its date is within the key's validity", async () => {
    const window = { notBefore: 10, notAfter: 20 };
    for (const at of [10, 20]) expect(await verified(window, at)).not.toBeInstanceOf(Fault);
    for (const at of [9, 21]) expect(await verified(window, at)).toMatchObject({ code: 'record.invalid' });
  });
});
