// SPDX-License-Identifier: Apache-2.0
import type { Receipt } from '@writ/contract';
import { cosign, formatCosignerKey, formatNoteKey, verifyNote } from '@writ/signing';
import {
  DEPLOYMENT,
  KEYS,
  LOG_ID,
  LOG_SIGNER,
  OTHER_SIGNER,
  PUBLISHED,
  RECEIPT,
  RECORDED_AT,
  RECORD_SIGNER,
  failedCheckOf,
  signerOf,
} from './sample.contract.ts';
import { deploymentOfOrigin, parseTrustPolicy } from './trust-policy.ts';
import { verifyReceipt } from './verify.ts';

const NOW = RECORDED_AT + 3_600_000;
const WITNESSES = [1, 2, 3].map((n) => ({ name: `witness.example/w${String(n)}`, signer: signerOf(10 + n) }));
const KEY_TEXTS = WITNESSES.map(({ name, signer }) => formatCosignerKey(name, signer.publicKey));
const { text } = verifyNote(RECEIPT.inclusion.checkpoint, KEYS.logKeys);

interface Asked {
  quorum?: number;
  checkpoint_age_max_ms?: number;
}
const deployment = (more: object = {}) => ({ name: DEPLOYMENT, ...PUBLISHED, ...more });
const policyOf = (...deployments: object[]) => parseTrustPolicy(JSON.stringify({ v: 1, deployments }));
const refused = (...deployments: object[]) => failedCheckOf(() => policyOf(...deployments));

/** The receipt with cosignatures of the witnesses of these numbers, made that many milliseconds before now. */
const cosigned = (ages: Readonly<Record<number, number>>): Receipt => {
  const lines = Object.entries(ages).map(([n, age]) => cosign(text, WITNESSES[Number(n)]!, (NOW - age) / 1000));
  return { ...RECEIPT, inclusion: { ...RECEIPT.inclusion, checkpoint: RECEIPT.inclusion.checkpoint + lines.join('') } };
};
const verify = (receipt: Receipt, witnesses: Asked) => {
  const [found] = [...policyOf(deployment({ witnesses: { keys: KEY_TEXTS, quorum: 2, ...witnesses } })).values()];
  return verifyReceipt(receipt, found!.keys, {}, { terms: found!.witnesses!, now: NOW });
};
const check = (receipt: Receipt, witnesses: Asked = {}) => failedCheckOf(() => verify(receipt, witnesses));

describe('a quorum of witnesses', () => {
  it('is reached by as many as the policy requires, whichever they are', () => {
    expect(check(cosigned({ 0: 0, 1: 0 }))).toBe('none');
    expect(check(cosigned({ 2: 0, 1: 0 }))).toBe('none');
    expect(check(cosigned({ 0: 0, 1: 0, 2: 0 }), { quorum: 3 })).toBe('none');
    expect(verify(cosigned({ 0: 0, 1: 0 }), {}).checks.map(({ name }) => name)).toContain('witnesses');
  });

  it('is not reached by fewer, and the error names the missing ones', () => {
    expect(check(RECEIPT)).toBe('witnesses');
    expect(check(cosigned({ 0: 0, 1: 0 }), { quorum: 3 })).toBe('witnesses');
    expect(() => verify(cosigned({ 1: 0 }), {})).toThrow(
      '1 of 2 witnesses that are needed cosigned the checkpoint; missing: `witness.example/w1`, `witness.example/w3`',
    );
  });

  it('is not reached by one witness that cosigned twice, nor by unknown witnesses', () => {
    const twice = cosigned({ 0: 0 });
    const again = {
      ...twice,
      inclusion: {
        ...twice.inclusion,
        checkpoint: twice.inclusion.checkpoint + cosign(text, WITNESSES[0]!, NOW / 1000 - 7),
      },
    };
    expect(check(again)).toBe('witnesses');
    const stranger = {
      ...again,
      inclusion: {
        ...again.inclusion,
        checkpoint:
          again.inclusion.checkpoint + cosign(text, { name: 'witness.example/w2', signer: OTHER_SIGNER }, NOW / 1000),
      },
    };
    expect(check(stranger)).toBe('witnesses');
  });

  it('is not reached by cosignatures from the future', () => {
    expect(check(cosigned({ 0: 0, 1: -300_000 }))).toBe('none');
    expect(check(cosigned({ 0: 0, 1: -301_000 }))).toBe('witnesses');
  });

  it('is void if one cosignature was tampered with: the whole note is refused', () => {
    const good = cosigned({ 0: 0, 1: 0, 2: 0 });
    const lines = good.inclusion.checkpoint.split('\n');
    const last = lines.at(-2)!;
    const bad = [...lines.slice(0, -2), last.replace(/.{4}$/, last.endsWith('AAA=') ? 'BBB=' : 'AAA='), ''].join('\n');
    expect(check({ ...good, inclusion: { ...good.inclusion, checkpoint: bad } })).toBe('witnesses');
  });
});

describe('the age of a checkpoint', () => {
  const bound = { checkpoint_age_max_ms: 60_000 };

  it('is that at which a whole quorum had seen it', () => {
    expect(check(cosigned({ 0: 60_000, 1: 1000 }), bound)).toBe('none');
    expect(check(cosigned({ 0: 61_000, 1: 1000 }), bound)).toBe('freshness');
    expect(check(cosigned({ 0: 61_000, 1: 1000, 2: 2000 }), bound)).toBe('none');
    expect(
      verify(cosigned({ 0: 60_000, 1: -1000 }), bound).checks.find(({ name }) => name === 'freshness')?.detail,
    ).toBe('60 s of 60 s');
    expect(
      verify(cosigned({ 0: -1000, 1: -1000 }), bound).checks.find(({ name }) => name === 'freshness')?.detail,
    ).toBe('0 s of 60 s');
  });
});

describe('a trust policy', () => {
  it('keeps deployments apart by the origins of their logs', () => {
    const policy = policyOf(deployment(), { ...deployment(), name: 'other.example/eu', log_keys: [] });
    expect(deploymentOfOrigin(policy, `${DEPLOYMENT}/${LOG_ID}`)?.name).toBe(DEPLOYMENT);
    expect(deploymentOfOrigin(policy, `other.example/eu/${LOG_ID}`)?.name).toBe('other.example/eu');
    expect(deploymentOfOrigin(policy, `third.example/${LOG_ID}`)).toBeUndefined();
    expect(deploymentOfOrigin(policy, DEPLOYMENT)).toBeUndefined();
    expect(deploymentOfOrigin(policy, `${DEPLOYMENT}/${LOG_ID}`)?.witnesses).toBeNull();
  });

  it('refuses records of a key that it names as revoked', () => {
    const [found] = [
      ...policyOf(
        deployment({ revoked_keys: [{ keyid: RECORD_SIGNER.keyid, revoked_at: RECORDED_AT + 500 }] }),
      ).values(),
    ];
    expect(found?.keys.recordKeys.get(RECORD_SIGNER.keyid)?.revokedAt).toBe(RECORDED_AT + 500);
    expect(failedCheckOf(() => verifyReceipt(RECEIPT, found!.keys))).toBe('key_validity');
  });

  it.each<[string, object[]]>([
    ['without deployments', []],
    ['that names a deployment twice', [deployment(), deployment()]],
    ['with a member that it does not know', [deployment({ trust_everything: true })]],
    [
      'with a checkpoint key of another name',
      [deployment({ log_keys: [formatNoteKey('other.example', LOG_SIGNER.publicKey)] })],
    ],
    [
      'with a revoked checkpoint key of another name',
      [deployment({ revoked_log_keys: [formatNoteKey('other.example', OTHER_SIGNER.publicKey)] })],
    ],
    ['with a quorum that can not be reached', [deployment({ witnesses: { keys: KEY_TEXTS, quorum: 4 } })]],
    ['with a quorum of none', [deployment({ witnesses: { keys: KEY_TEXTS, quorum: 0 } })]],
    [
      'with one witness under two names',
      [
        deployment({
          witnesses: {
            keys: [KEY_TEXTS[0], formatCosignerKey('w.example', WITNESSES[0]!.signer.publicKey)],
            quorum: 1,
          },
        }),
      ],
    ],
    [
      'with the log as its own witness',
      [deployment({ witnesses: { keys: [formatCosignerKey('w.example', LOG_SIGNER.publicKey)], quorum: 1 } })],
    ],
    [
      "with a witness's key that signs notes",
      [deployment({ witnesses: { keys: [formatNoteKey('w.example', OTHER_SIGNER.publicKey)], quorum: 1 } })],
    ],
    ['with an age and no witness that could tell it', [deployment({ checkpoint_age_max_ms: 1000 })]],
    [
      'that revokes a key that it does not have',
      [deployment({ revoked_keys: [{ keyid: OTHER_SIGNER.keyid, revoked_at: 1 }] })],
    ],
  ])('%s is refused', (_what, deployments) => {
    expect(refused(...deployments)).toBe('keys');
  });

  it('of another version, or that is no JSON, is refused', () => {
    expect(failedCheckOf(() => parseTrustPolicy(JSON.stringify({ v: 2, deployments: [deployment()] })))).toBe('keys');
    expect(failedCheckOf(() => parseTrustPolicy('{'))).toBe('keys');
  });
});
