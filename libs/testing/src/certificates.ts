// SPDX-License-Identifier: Apache-2.0
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
  type JsonGeneralNames,
  type X509Certificate,
} from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;

/** A certificate and its key, in PEM. */
export interface ServerCertificate {
  readonly cert: string;
  readonly key: string;
}
export interface CertificateOptions {
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

/** An authority that exists only in this run. */
export interface CertificateAuthority {
  /** its own certificate, in PEM: who trusts it trusts all certificates that it issues */
  readonly cert: string;
  /** Issues a certificate for names in X.509's form, valid from yesterday until tomorrow by default. */
  readonly issue: (names: JsonGeneralNames, options?: CertificateOptions) => Promise<ServerCertificate>;
}

/** Creates an authority for the certificates of a test's servers. */
export async function newCertificateAuthority(): Promise<CertificateAuthority> {
  const keys = await newKeys();
  const own = await X509CertificateGenerator.createSelfSigned(
    {
      ...validity(),
      name: 'CN=an authority of a test',
      keys,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new BasicConstraintsExtension(true, 0, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
      ],
    },
    webcrypto,
  );
  return { cert: own.toString('pem'), issue: (names, options = {}) => issue(own, keys.privateKey, names, options) };
}

async function issue(
  authority: X509Certificate,
  signingKey: webcrypto.CryptoKey,
  names: JsonGeneralNames,
  options: CertificateOptions,
): Promise<ServerCertificate> {
  const keys = await newKeys();
  const made = await X509CertificateGenerator.create(
    {
      ...validity(),
      ...options,
      subject: 'CN=a server of a test',
      issuer: authority.subject,
      publicKey: keys.publicKey,
      signingKey,
      signingAlgorithm: ALGORITHM,
      extensions: [new BasicConstraintsExtension(false, undefined, true), new SubjectAlternativeNameExtension(names)],
    },
    webcrypto,
  );
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return { cert: made.toString('pem'), key: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n` };
}

const newKeys = (): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
const validity = () => ({ notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + DAY_MS) });
