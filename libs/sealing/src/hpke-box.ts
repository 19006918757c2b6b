// SPDX-License-Identifier: Apache-2.0
//
// Values that people give are sealed where they enter and opened where they are stored, so that no message between the
// two contains one in clear: HPKE (RFC 9180), base mode, X25519, HKDF-SHA-256, AES-256-GCM.
import { hkdfSync } from 'node:crypto';
import { Aes256Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from '@hpke/core';

const SEED_BYTES = 32;
/** Length of an encapsulated X25519 key, which precedes the ciphertext. */
const ENC_BYTES = 32;

const suite = (): CipherSuite =>
  new CipherSuite({ kem: new DhkemX25519HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() });
const infoOf = (context: string): ArrayBuffer => plain(Buffer.from(context));
const plain = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;

/**
 * Seals bytes for the holder of the private key. `context` is authenticated, not stored: opening needs the same
 * context.
 */
export async function sealTo(publicKey: Buffer, clear: Uint8Array, context: string): Promise<Buffer> {
  const hpke = suite();
  const recipientPublicKey = await hpke.kem.deserializePublicKey(plain(publicKey));
  const { ct, enc } = await hpke.seal({ recipientPublicKey, info: infoOf(context) }, plain(clear));
  return Buffer.concat([Buffer.from(enc), Buffer.from(ct)]);
}

/**
 * The recipient of sealed values. It opens values sealed to its public key, or to that of a replica whose master key is
 * one of the others. Every replica with the same master key has the same key pair.
 */
export class HpkeBox {
  readonly #keys: readonly [KeyPair, ...KeyPair[]];

  constructor(masterKey: Buffer, ...others: readonly Buffer[]) {
    this.#keys = [keyPairOf(masterKey), ...others.map(keyPairOf)];
  }

  /** Raw X25519. */
  async publicKey(): Promise<Buffer> {
    return Buffer.from(await suite().kem.serializePublicKey((await this.#keys[0]).publicKey));
  }

  /**
   * @throws Error if a byte was changed, or if it was sealed to another key or context. Reveals nothing of the content.
   */
  async open(sealed: Buffer, context: string): Promise<Buffer> {
    const [enc, ct] = [sealed.subarray(0, ENC_BYTES), sealed.subarray(ENC_BYTES)];
    const openBy = async (keys: KeyPair): Promise<Buffer> =>
      Buffer.from(await suite().open({ recipientKey: await keys, enc: plain(enc), info: infoOf(context) }, plain(ct)));
    return await Promise.any(this.#keys.map(openBy)).catch(() => {
      throw new Error('the value is not sealed to this key, or not for this context');
    });
  }
}

type KeyPair = ReturnType<CipherSuite['kem']['deriveKeyPair']>;
const keyPairOf = (masterKey: Buffer): KeyPair =>
  suite().kem.deriveKeyPair(hkdfSync('sha256', masterKey, '', 'writ/value-box/v1', SEED_BYTES));

/** The context of a value that is given to an approval: it doesn't open for another one. */
export const givenValueContext = (tenantId: string, approvalId: string): string =>
  `writ/given-value/v1\n${tenantId}\n${approvalId}`;

/** The context of a value that becomes the tenant's secret of that name. */
export const secretContext = (tenantId: string, name: string): string => `writ/secret-value/v1\n${tenantId}\n${name}`;

/** The context of a secret on its way to the executor that lists the tools of an MCP server. */
export const listingContext = (tenantId: string, resourceId: string, claim: number, name: string): string =>
  `writ/listing-secret/v1\n${tenantId}\n${resourceId}\n${claim}\n${name}`;

/** The context of the code that an authorization server gave a person's browser, by the state that it came with. */
export const consentCodeContext = (state: string): string => `writ/consent-code/v1\n${state}`;

/** The context of a secret on its way to the executor that works at an authorization server. */
export const tokenWorkContext = (tenantId: string, connectionId: string, claim: number, name: string): string =>
  `writ/token-work/v1\n${tenantId}\n${connectionId}\n${claim}\n${name}`;

/** The context of tokens on their way from that executor. */
export const reportedTokensContext = (tenantId: string, connectionId: string, claim: number): string =>
  `writ/reported-tokens/v1\n${tenantId}\n${connectionId}\n${claim}`;

/** The context of a secret on its way to the executor that runs the call. */
export const redeemedContext = (tenantId: string, operationId: string, name: string): string =>
  `writ/redeemed-secret/v1\n${tenantId}\n${operationId}\n${name}`;
