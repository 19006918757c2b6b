// SPDX-License-Identifier: Apache-2.0
//
// The internal certificate authority of the bundled NATS and Postgres. A certificate is made for an existing key: if
// two runs make one at once, either certificate fits the key that stays.
import 'reflect-metadata';
import { createPrivateKey, createPublicKey, generateKeyPairSync, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
  type JsonGeneralNames,
} from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;
/** Long validity, since nothing renews them: replacing the authority requires a restart of every process. */
const VALID_DAYS = 3_650;
/** The clock of another machine may be behind. */
const BEFORE_MS = DAY_MS;

/** A key for TLS, PKCS #8 in PEM. */
export const newPrivateKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** The certificate of an authority that signs the servers' certificates only, in PEM. */
export async function newAuthority(key: string, now: Date): Promise<string> {
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      ...validity(now),
      name: 'CN=Writ internal CA',
      keys: await keyPair(key),
      signingAlgorithm: ALGORITHM,
      extensions: [
        new BasicConstraintsExtension(true, 0, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      ],
    },
    webcrypto,
  );
  return pemOf(certificate);
}

/** The inputs of a server's certificate: PEM, and the names or addresses by which clients reach it. */
export interface CertificateRequest {
  readonly hosts: readonly string[];
  readonly key: string;
  readonly ca: { readonly key: string; readonly cert: string };
}

/** A certificate for a server, in PEM. */
export async function serverCertificate({ hosts, key, ca }: CertificateRequest, now: Date): Promise<string> {
  const [serverKeys, authority] = [await keyPair(key), await keyPair(ca.key)];
  const certificate = await X509CertificateGenerator.create(
    {
      ...validity(now),
      subject: `CN=${hosts[0] ?? ''}`,
      issuer: new X509Certificate(ca.cert).subject,
      publicKey: serverKeys.publicKey,
      signingKey: authority.privateKey,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        new SubjectAlternativeNameExtension(hosts.map(nameOf)),
      ],
    },
    webcrypto,
  );
  return pemOf(certificate);
}

const nameOf = (host: string): JsonGeneralNames[number] => ({ type: isIP(host) === 0 ? 'dns' : 'ip', value: host });
const pemOf = (certificate: X509Certificate): string => `${certificate.toString('pem')}\n`;
const validity = (now: Date) => ({
  notBefore: new Date(now.getTime() - BEFORE_MS),
  notAfter: new Date(now.getTime() + VALID_DAYS * DAY_MS),
});

async function keyPair(pem: string): Promise<webcrypto.CryptoKeyPair> {
  const privateKey = createPrivateKey(pem);
  const publicKey = createPublicKey(privateKey);
  const { subtle } = webcrypto;
  return {
    privateKey: await subtle.importKey('pkcs8', privateKey.export({ type: 'pkcs8', format: 'der' }), ALGORITHM, false, [
      'sign',
    ]),
    publicKey: await subtle.importKey('spki', publicKey.export({ type: 'spki', format: 'der' }), ALGORITHM, true, [
      'verify',
    ]),
  };
}
