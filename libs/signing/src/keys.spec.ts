// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync } from 'node:crypto';
import { keyidOf, parseSigner, parseVerifier, publicJwkOf } from './keys.ts';
import { RFC8032_PEM, RFC8037_JWK, reasonOf } from './vectors.contract.ts';

const bytes = (text: string) => Buffer.from(text, 'utf8');

describe('keyidOf', () => {
  it('gives the thumbprint of RFC 8037 A.3', () => {
    expect(keyidOf(RFC8037_JWK)).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
  });
});

describe('a signer', () => {
  const signer = parseSigner(RFC8032_PEM);

  it('gives the signature of RFC 8032 §7.1, test 1', () => {
    expect(Buffer.from(signer.sign(new Uint8Array(0))).toString('hex')).toBe(
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
    );
  });

  it('has its public half', () => {
    expect(signer.publicJwk).toEqual(RFC8037_JWK);
    expect(signer.keyid).toBe(keyidOf(RFC8037_JWK));
    expect(publicJwkOf(signer.publicKey)).toEqual(RFC8037_JWK);
  });

  it('is refused from anything but an Ed25519 private key', () => {
    const pem = (type: 'ec' | 'x25519') =>
      (type === 'ec'
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
        : generateKeyPairSync('x25519')
      ).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    const publicPem = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }) as string;
    for (const text of ['', 'nothing', RFC8032_PEM.slice(0, 60), pem('ec'), pem('x25519'), publicPem]) {
      expect(reasonOf(() => parseSigner(text))).toBe('malformed_key');
    }
  });
});

describe('a verifier', () => {
  const signer = parseSigner(RFC8032_PEM);
  const verifier = parseVerifier({ ...RFC8037_JWK, kid: 'any', use: 'sig' });

  it('accepts what its signer signed and nothing else', () => {
    const signature = signer.sign(bytes('one'));
    expect(verifier.keyid).toBe(signer.keyid);
    verifier.verify(bytes('one'), signature);
    expect(
      reasonOf(() => {
        verifier.verify(bytes('two'), signature);
      }),
    ).toBe('bad_signature');
    expect(
      reasonOf(() => {
        verifier.verify(bytes('one'), signature.subarray(1));
      }),
    ).toBe('bad_signature');
    expect(
      reasonOf(() => {
        verifier.verify(bytes('one'), new Uint8Array(0));
      }),
    ).toBe('bad_signature');
  });

  it('refuses a signature whose scalar was moved by the group order (RFC 8032 §5.1.7)', () => {
    const signature = signer.sign(bytes('one'));
    const order = (1n << 252n) + 27742317777372353535851937790883648493n;
    let scalar = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString('hex')}`) + order;
    const moved = Uint8Array.from([
      ...signature.subarray(0, 32),
      ...Array.from({ length: 32 }, () => {
        const byte = Number(scalar & 255n);
        scalar >>= 8n;
        return byte;
      }),
    ]);
    expect(
      reasonOf(() => {
        verifier.verify(bytes('one'), moved);
      }),
    ).toBe('bad_signature');
  });

  it.each([
    null,
    'text',
    {},
    [],
    { ...RFC8037_JWK, kty: 'EC' },
    { ...RFC8037_JWK, crv: 'X25519' },
    { ...RFC8037_JWK, x: 7 },
    { ...RFC8037_JWK, x: 'AA' },
    { ...RFC8037_JWK, x: `${RFC8037_JWK.x}=` },
    { ...RFC8037_JWK, x: `${RFC8037_JWK.x.slice(0, -1)}p` },
  ])('is refused from %j', (jwk) => {
    expect(reasonOf(() => parseVerifier(jwk))).toBe('malformed_key');
  });

  it('is refused from a JWK with its private half, which must not be published', () => {
    expect(reasonOf(() => parseVerifier({ ...RFC8037_JWK, d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A' }))).toBe(
      'malformed_key',
    );
  });

  it('is refused from a raw key of another length', () => {
    expect(reasonOf(() => publicJwkOf(new Uint8Array(31)))).toBe('malformed_key');
  });
});
