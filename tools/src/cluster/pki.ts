// SPDX-License-Identifier: Apache-2.0
import 'reflect-metadata';
import { generateKeyPairSync, webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
  type JsonGeneralNames,
  type X509Certificate,
} from '@peculiar/x509';
import { NETWORKS } from './address.ts';

/** A certificate and its key, in PEM. */
export interface Credentials {
  readonly cert: string;
  readonly key: string;
}

/** All certificates and keys of a cluster's processes. */
export interface ClusterPki {
  /** Signs all certificates but the front proxy's. */
  readonly ca: Credentials;
  /** Signs the certificate of the API server for requests to aggregated APIs. */
  readonly frontCa: Credentials;
  readonly issued: Readonly<Record<CertificateName, Credentials>>;
  /** Signs service account tokens; the public key is in `cert`. */
  readonly serviceAccounts: Credentials;
}

interface Wanted {
  readonly authority: 'ca' | 'frontCa';
  readonly subject: string;
  /** Names of a server. A certificate without names is a client's. */
  readonly names?: JsonGeneralNames;
}

export const NODE_NAME = 'node1';

const MASTERS = 'O=system:masters';

/** The API server's names for pods and this machine. */
const apiServerNames = (nodeIp: string): JsonGeneralNames => [
  ...[
    'localhost',
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
  ].map((value) => ({ type: 'dns' as const, value })),
  ...['127.0.0.1', nodeIp, NETWORKS.apiService].map((value) => ({ type: 'ip' as const, value })),
];

/** The certificates of a cluster: Kubernetes reads a user from the common name and groups from the organizations. */
const certificates = (nodeIp: string) =>
  ({
    apiserver: { authority: 'ca', subject: 'CN=kube-apiserver', names: apiServerNames(nodeIp) },
    'kubelet-server': {
      authority: 'ca',
      subject: `CN=${NODE_NAME}`,
      names: [
        { type: 'ip', value: nodeIp },
        { type: 'dns', value: NODE_NAME },
      ],
    },
    'apiserver-kubelet': { authority: 'ca', subject: `${MASTERS},CN=apiserver-kubelet` },
    'front-proxy': { authority: 'frontCa', subject: 'CN=front-proxy' },
    admin: { authority: 'ca', subject: `${MASTERS},CN=admin` },
    kubelet: { authority: 'ca', subject: `O=system:nodes,CN=system:node:${NODE_NAME}` },
    'kube-controller-manager': { authority: 'ca', subject: 'CN=system:kube-controller-manager' },
    'kube-scheduler': { authority: 'ca', subject: 'CN=system:kube-scheduler' },
    'kube-proxy': { authority: 'ca', subject: 'CN=system:kube-proxy' },
  }) as const satisfies Record<string, Wanted>;

export type CertificateName = keyof ReturnType<typeof certificates>;

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;

/** A cluster for trials and tests never runs for a year. */
const VALID_DAYS = 365;

/** RSA, because every library for service account tokens supports it. */
const SERVICE_ACCOUNT_BITS = 2048;

/** Clocks of pods and containers may be a little behind. */
const validity = (now: Date) => ({
  notBefore: new Date(now.getTime() - DAY_MS),
  notAfter: new Date(now.getTime() + VALID_DAYS * DAY_MS),
});

const newKeys = (): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

const exportKey = async (key: webcrypto.CryptoKey): Promise<string> => {
  const text = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key)).toString('base64');
  return `-----BEGIN PRIVATE KEY-----\n${text.replace(/.{64}(?=.)/g, '$&\n')}\n-----END PRIVATE KEY-----\n`;
};

const pem = (certificate: X509Certificate): string => `${certificate.toString('pem').trimEnd()}\n`;

interface Authority extends Credentials {
  readonly issue: (wanted: Omit<Wanted, 'authority'>) => Promise<Credentials>;
}

const newAuthority = async (name: string, now: Date): Promise<Authority> => {
  const keys = await newKeys();
  const own = await X509CertificateGenerator.createSelfSigned(
    {
      ...validity(now),
      name: `CN=${name}`,
      keys,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new BasicConstraintsExtension(true, 0, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.digitalSignature, true),
      ],
    },
    webcrypto,
  );
  const issue = async ({ subject, names }: Omit<Wanted, 'authority'>): Promise<Credentials> => {
    const { publicKey, privateKey } = await newKeys();
    const usage = names === undefined ? ExtendedKeyUsage.clientAuth : ExtendedKeyUsage.serverAuth;
    const made = await X509CertificateGenerator.create(
      {
        ...validity(now),
        subject,
        issuer: own.subject,
        publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: ALGORITHM,
        extensions: [
          new BasicConstraintsExtension(false, undefined, true),
          new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
          new ExtendedKeyUsageExtension([usage]),
          ...(names === undefined ? [] : [new SubjectAlternativeNameExtension(names)]),
        ],
      },
      webcrypto,
    );
    return { cert: pem(made), key: await exportKey(privateKey) };
  };
  return { cert: pem(own), key: await exportKey(keys.privateKey), issue };
};

const newServiceAccountKeys = (): Credentials => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: SERVICE_ACCOUNT_BITS,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { cert: publicKey, key: privateKey };
};

/**
 * Makes two CAs and all certificates of a cluster whose only node has this address.
 *
 * @param now certificates are valid from a day before
 */
export const newClusterPki = async (nodeIp: string, now: Date): Promise<ClusterPki> => {
  const authorities = {
    ca: await newAuthority('writ-cluster', now),
    frontCa: await newAuthority('writ-cluster-front-proxy', now),
  };
  const issued = await Promise.all(
    Object.entries<Wanted>(certificates(nodeIp)).map(
      async ([name, wanted]) => [name, await authorities[wanted.authority].issue(wanted)] as const,
    ),
  );
  return {
    ...authorities,
    issued: Object.fromEntries(issued) as ClusterPki['issued'],
    serviceAccounts: newServiceAccountKeys(),
  };
};

/** A server's certificate, with the CA that signed only it. */
export interface ServerCertificate extends Credentials {
  readonly ca: string;
}

/**
 * Makes a certificate for a service of the cluster, with its own CA for the client: only the node has the cluster's CA
 * key.
 *
 * @param name the client's name for it, such as `metrics-server.kube-system.svc`
 */
export const newServerCertificate = async (name: string, now: Date): Promise<ServerCertificate> => {
  const { cert: ca, issue } = await newAuthority(`${name} authority`, now);
  return { ca, ...(await issue({ subject: `CN=${name}`, names: [{ type: 'dns', value: name }] })) };
};
