// SPDX-License-Identifier: Apache-2.0
import { X509Certificate } from 'node:crypto';
import { METRICS_API, METRICS_SERVER_NAME, metricsManifest } from './metrics-manifest.ts';
import { newServerCertificate, type ServerCertificate } from './pki.ts';

const NOW = new Date('2026-11-29T00:00:00Z');

let certificate: ServerCertificate;
beforeAll(async () => {
  certificate = await newServerCertificate(METRICS_SERVER_NAME, NOW);
});

const find = (kind: string, made = certificate) =>
  JSON.parse(metricsManifest(made)).items.find((item: { kind: string }) => item.kind === kind);

test('the API server verifies the certificate of metrics-server with its CA', () => {
  const { spec } = find('APIService');
  const authority = new X509Certificate(Buffer.from(spec.caBundle, 'base64'));
  const server = new X509Certificate(find('Secret').stringData['tls.crt']);
  expect(server.verify(authority.publicKey)).toBe(true);
  expect(server.checkHost(`${spec.service.name}.${spec.service.namespace}.svc`)).toBe(METRICS_SERVER_NAME);
  expect(spec).not.toHaveProperty('insecureSkipTLSVerify');
  expect(`${spec.version}.${spec.group}`).toBe(METRICS_API);
});

test('a new certificate restarts metrics-server', async () => {
  const other = await newServerCertificate(METRICS_SERVER_NAME, NOW);
  const template = (made: ServerCertificate) => find('Deployment', made).spec.template;
  expect(template(other)).not.toEqual(template(certificate));
});

test("metrics-server meets the strictest standard for pods, and verifies the kubelet's certificate", () => {
  const [container] = find('Deployment').spec.template.spec.containers;
  expect(container.securityContext).toMatchObject({
    runAsNonRoot: true,
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
    seccompProfile: { type: 'RuntimeDefault' },
  });
  expect(container.args).toContain('--kubelet-preferred-address-types=InternalIP');
  expect(container.args.join(' ')).not.toContain('insecure');
});

test('metrics-server may read only what it measures', () => {
  const { rules } = find('ClusterRole');
  expect(rules).toEqual([
    { apiGroups: [''], resources: ['nodes/metrics'], verbs: ['get'] },
    { apiGroups: [''], resources: ['pods', 'nodes'], verbs: ['get', 'list', 'watch'] },
  ]);
});
