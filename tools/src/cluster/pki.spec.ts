// SPDX-License-Identifier: Apache-2.0
import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { newClusterPki, type CertificateName, type ClusterPki } from './pki.ts';

const NOW = new Date('2026-11-29T00:00:00Z');
const NODE = '10.213.0.2';

let pki: ClusterPki;
beforeAll(async () => {
  pki = await newClusterPki(NODE, NOW);
});

const parsed = (name: CertificateName): X509Certificate => new X509Certificate(pki.issued[name].cert);
const subjectOf = (name: CertificateName): string => parsed(name).subject;

test('each certificate is signed by its authority and fits its key', () => {
  for (const [name, { cert, key }] of Object.entries(pki.issued)) {
    const authority = new X509Certificate(name === 'front-proxy' ? pki.frontCa.cert : pki.ca.cert);
    expect(new X509Certificate(cert).verify(authority.publicKey)).toBe(true);
    expect(new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))).toBe(true);
  }
});

test("the front proxy's CA signs no certificate that the API server accepts for a user", () => {
  expect(parsed('front-proxy').verify(new X509Certificate(pki.ca.cert).publicKey)).toBe(false);
});

test("users and groups are those with Kubernetes' default roles", () => {
  expect(subjectOf('kubelet')).toBe('O=system:nodes\nCN=system:node:node1');
  expect(subjectOf('admin')).toContain('O=system:masters');
  expect(subjectOf('kube-scheduler')).toBe('CN=system:kube-scheduler');
  for (const name of ['kube-scheduler', 'kube-proxy', 'kube-controller-manager', 'kubelet'] as const)
    expect(subjectOf(name)).not.toContain('masters');
});

test("the API server's certificate has the node's address, the service's address and its names", () => {
  const certificate = parsed('apiserver');
  for (const ip of [NODE, '10.96.0.1', '127.0.0.1']) expect(certificate.checkIP(ip)).toBe(ip);
  expect(certificate.checkHost('kubernetes.default.svc')).toBe('kubernetes.default.svc');
  expect(certificate.checkHost('elsewhere.example')).toBeUndefined();
});

test('client certificates are not valid for servers, and the reverse', () => {
  expect(parsed('admin').keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
  expect(parsed('apiserver').keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
});

test('service account tokens are verified with the public key', () => {
  expect(createPublicKey(pki.serviceAccounts.key).export({ type: 'spki', format: 'pem' })).toBe(
    pki.serviceAccounts.cert,
  );
});

test('certificates are valid for a year from now', () => {
  expect(new Date(parsed('admin').validTo).toISOString()).toBe('2027-11-29T00:00:00.000Z');
});
