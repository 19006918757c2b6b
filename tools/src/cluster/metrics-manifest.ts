// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { METRICS_IMAGE } from './images.ts';
import type { ServerCertificate } from './pki.ts';

export const METRICS_NAMESPACE = 'kube-system';
const NAME = 'metrics-server';

/** The API that the API server forwards to it. */
export const METRICS_API = 'v1beta1.metrics.k8s.io';
/** The workload for `kubectl rollout status`. */
export const METRICS_SERVER = `deployment/${NAME}`;
/** The name in its certificate, which the API server verifies. */
export const METRICS_SERVER_NAME = `${NAME}.${METRICS_NAMESPACE}.svc`;

const PORT = 10_250;

/** The shortest interval it supports, so that an autoscaler soon sees load. */
const RESOLUTION = '10s';
/** It doesn't start with more than nine tenths of the interval. */
const KUBELET_TIMEOUT = '8s';

const RBAC = 'rbac.authorization.k8s.io';
const HASH_HEX = 12;

const meta = { name: NAME, namespace: METRICS_NAMESPACE };
const labels = { 'k8s-app': NAME };
const subjects = [{ kind: 'ServiceAccount', ...meta }];

/** Rights to read its measurements; the standard roles below let it authenticate its callers at the API server. */
const RIGHTS = [
  { apiGroups: [''], resources: ['nodes/metrics'], verbs: ['get'] },
  { apiGroups: [''], resources: ['pods', 'nodes'], verbs: ['get', 'list', 'watch'] },
];

const CONTAINER = {
  name: NAME,
  image: METRICS_IMAGE,
  args: [
    `--secure-port=${PORT}`,
    '--tls-cert-file=/certificate/tls.crt',
    '--tls-private-key-file=/certificate/tls.key',
    // No resolver has the node's name. The cluster's CA verifies the kubelet's certificate.
    '--kubelet-preferred-address-types=InternalIP',
    `--metric-resolution=${RESOLUTION}`,
    `--kubelet-request-timeout=${KUBELET_TIMEOUT}`,
  ],
  volumeMounts: [{ name: 'certificate', mountPath: '/certificate', readOnly: true }],
  ports: [{ name: 'https', containerPort: PORT, protocol: 'TCP' }],
  // It is ready after two measurements.
  readinessProbe: { httpGet: { path: '/readyz', port: 'https', scheme: 'HTTPS' }, periodSeconds: 2 },
  resources: { requests: { cpu: '20m', memory: '64Mi' }, limits: { memory: '192Mi' } },
  securityContext: {
    runAsNonRoot: true,
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
    seccompProfile: { type: 'RuntimeDefault' },
  },
};

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, HASH_HEX);

const podOf = (certificate: ServerCertificate) => ({
  // A new certificate makes a new pod: the API server gets the new CA at once.
  metadata: { labels, annotations: { 'writ.local/certificate': hashOf(certificate.cert) } },
  spec: {
    serviceAccountName: NAME,
    priorityClassName: 'system-cluster-critical',
    securityContext: { fsGroup: 65_532 },
    containers: [CONTAINER],
    volumes: [{ name: 'certificate', secret: { secretName: NAME, defaultMode: 0o440 } }],
  },
});

const bound = (
  kind: 'RoleBinding' | 'ClusterRoleBinding',
  name: string,
  roleRef: { readonly kind: string; readonly name: string },
) => ({
  apiVersion: `${RBAC}/v1`,
  kind,
  metadata: { name, ...(kind === 'RoleBinding' ? { namespace: METRICS_NAMESPACE } : {}) },
  roleRef: { apiGroup: RBAC, ...roleRef },
  subjects,
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const rights = () => [
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: meta },
  { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: { name: `system:${NAME}` }, rules: RIGHTS },
  bound('ClusterRoleBinding', `system:${NAME}`, { kind: 'ClusterRole', name: `system:${NAME}` }),
  bound('ClusterRoleBinding', `${NAME}:system:auth-delegator`, { kind: 'ClusterRole', name: 'system:auth-delegator' }),
  bound('RoleBinding', `${NAME}-auth-reader`, { kind: 'Role', name: 'extension-apiserver-authentication-reader' }),
];

/** metrics-server, and the API that the API server forwards to it over verified TLS. */
export const metricsManifest = (certificate: ServerCertificate): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'List',
    items: [
      ...rights(),
      {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'kubernetes.io/tls',
        metadata: meta,
        stringData: { 'tls.crt': certificate.cert, 'tls.key': certificate.key },
      },
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: meta,
        spec: { selector: { matchLabels: labels }, template: podOf(certificate) },
      },
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: meta,
        spec: { selector: labels, ports: [{ name: 'https', port: 443, targetPort: 'https', protocol: 'TCP' }] },
      },
      {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: { name: METRICS_API },
        spec: {
          group: 'metrics.k8s.io',
          version: 'v1beta1',
          service: meta,
          caBundle: base64(certificate.ca),
          groupPriorityMinimum: 100,
          versionPriority: 100,
        },
      },
    ],
  });
