// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { pae, sealEnvelope, verifyEnvelope, verifyEnvelopeOnThread } from './dsse.ts';
import { parseSigner, parseVerifier } from './keys.ts';
import { RFC8032_PEM, reasonOf } from './vectors.contract.ts';

const TYPE = 'application/vnd.in-toto+json';
const signer = parseSigner(RFC8032_PEM);
const verifier = parseVerifier(signer.publicJwk);
const known = new Map([[verifier.keyid, verifier]]);
const payload = Buffer.from('{"a":1}');
const sealed = sealEnvelope(TYPE, payload, signer);
const [signature] = sealed.signatures;

describe('pae', () => {
  it('gives the example of the DSSE protocol', () => {
    expect(Buffer.from(pae('http://example.com/HelloWorld', Buffer.from('hello world'))).toString()).toBe(
      'DSSEv1 29 http://example.com/HelloWorld 11 hello world',
    );
  });

  it('counts bytes, not characters', () => {
    expect(Buffer.from(pae('é', Buffer.from('ö'))).toString()).toBe('DSSEv1 2 é 2 ö');
  });
});

describe('an envelope', () => {
  it('returns exactly the sealed bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(verifyEnvelope(JSON.parse(JSON.stringify(sealEnvelope(TYPE, bytes, signer))), known, TYPE)).toEqual(
          bytes,
        );
      }),
      { numRuns: 50 },
    );
  });

  it.each<[string, unknown, string]>([
    ['another payload', { ...sealed, payload: Buffer.from('{"a":2}').toString('base64') }, 'bad_signature'],
    ['another type', { ...sealed, payloadType: 'text/plain' }, 'wrong_payload_type'],
    ['a payload in another spelling', { ...sealed, payload: sealed.payload.replace(/=+$/, '') }, 'malformed_envelope'],
    ['a signature that is no base64', { ...sealed, signatures: [{ ...signature, sig: '%' }] }, 'malformed_envelope'],
    ['a cut signature', { ...sealed, signatures: [{ ...signature, sig: 'AAAA' }] }, 'bad_signature'],
    ['an unknown key', { ...sealed, signatures: [{ ...signature, keyid: 'other' }] }, 'unknown_key'],
    ['no signature', { ...sealed, signatures: [] }, 'malformed_envelope'],
    ['two signatures', { ...sealed, signatures: [signature, signature] }, 'malformed_envelope'],
    ['a further member', { ...sealed, more: 1 }, 'malformed_envelope'],
    [
      'a member of another name',
      { payloadType: TYPE, payload: sealed.payload, signature: sealed.signatures },
      'malformed_envelope',
    ],
    [
      'a further member of the signature',
      { ...sealed, signatures: [{ ...signature, cert: '' }] },
      'malformed_envelope',
    ],
    ['a payload of another type', { ...sealed, payload: 1 }, 'malformed_envelope'],
    ['a payload type of another type', { ...sealed, payloadType: null }, 'malformed_envelope'],
    ['signatures of another type', { ...sealed, signatures: 'no' }, 'malformed_envelope'],
    ['a key id of another type', { ...sealed, signatures: [{ ...signature, keyid: 1 }] }, 'malformed_envelope'],
    ['a signature of another type', { ...sealed, signatures: [{ ...signature, sig: 1 }] }, 'malformed_envelope'],
    ['a signature that is no object', { ...sealed, signatures: [null] }, 'malformed_envelope'],
    ['no object at all', 'envelope', 'malformed_envelope'],
  ])('with %s is refused', async (_, envelope, reason) => {
    expect(reasonOf(() => verifyEnvelope(envelope, known, TYPE))).toBe(reason);
    await expect(verifyEnvelopeOnThread(envelope, known, TYPE)).rejects.toMatchObject({ reason });
  });

  it('verifies on another thread as it does on the event loop', async () => {
    expect(await verifyEnvelopeOnThread(sealed, known, TYPE)).toEqual(new Uint8Array(payload));
  });

  it("by another key under the known key's name is refused", () => {
    const other = parseSigner(
      generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    );
    const forged = sealEnvelope(TYPE, payload, { ...other, keyid: signer.keyid });
    expect(reasonOf(() => verifyEnvelope(forged, known, TYPE))).toBe('bad_signature');
  });

  it('signed as one type cannot be passed off as another', () => {
    const permit = sealEnvelope('application/vnd.writ.permit.v1+json', payload, signer);
    expect(reasonOf(() => verifyEnvelope({ ...permit, payloadType: TYPE }, known, TYPE))).toBe('bad_signature');
  });

  it('of any shape results in a SignatureError', () => {
    const part = fc.oneof(fc.jsonValue(), fc.constantFrom(TYPE, sealed.payload, sealed.signatures, signature));
    const envelope = fc.oneof(
      part,
      fc.record({
        payloadType: part,
        payload: part,
        signatures: fc.oneof(part, fc.array(fc.oneof(part, fc.record({ keyid: part, sig: part })))),
      }),
    );
    fc.assert(
      fc.property(envelope, (value) => {
        reasonOf(() => verifyEnvelope(value, known, TYPE));
      }),
      { numRuns: 1000 },
    );
  });
});
