// SPDX-License-Identifier: Apache-2.0
import { NETWORKS } from './address.ts';
import { SECOND_HANDLER } from './configuration.ts';
import { COREDNS_IMAGE } from './images.ts';
import { storageClass } from './volumes.ts';

const NAMESPACE = 'kube-system';
const NAME = 'coredns';

/** Above the privileged ports. */
const PORT = 1053;

const COREFILE = `.:${PORT} {
  errors
  health :8080
  ready :8181
  kubernetes cluster.local in-addr.arpa ip6.arpa {
    pods insecure
    ttl 5
  }
  cache 5
  reload
}
`;

const meta = { name: NAME, namespace: NAMESPACE };
const labels = { 'k8s-app': 'kube-dns' };

const RIGHTS = [
  { apiGroups: [''], resources: ['endpoints', 'services', 'pods', 'namespaces'], verbs: ['list', 'watch'] },
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
];

const CONTAINER = {
  name: NAME,
  image: COREDNS_IMAGE,
  args: ['-conf', '/etc/coredns/Corefile'],
  volumeMounts: [{ name: 'configuration', mountPath: '/etc/coredns' }],
  ports: [
    { name: 'dns', containerPort: PORT, protocol: 'UDP' },
    { name: 'dns-tcp', containerPort: PORT, protocol: 'TCP' },
  ],
  readinessProbe: { httpGet: { path: '/ready', port: 8181 }, periodSeconds: 1 },
  resources: { requests: { cpu: '20m', memory: '40Mi' }, limits: { memory: '128Mi' } },
  securityContext: {
    runAsNonRoot: true,
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
    seccompProfile: { type: 'RuntimeDefault' },
  },
};

const POD = {
  metadata: { labels },
  spec: {
    serviceAccountName: NAME,
    priorityClassName: 'system-cluster-critical',
    dnsPolicy: 'Default',
    containers: [CONTAINER],
    volumes: [{ name: 'configuration', configMap: { name: NAME } }],
  },
};

/** Objects of every cluster beyond Kubernetes' own: a name server, a second RuntimeClass and a StorageClass. */
export const clusterManifest = (): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'List',
    items: [
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: meta },
      { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: NAME }, rules: RIGHTS },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: NAME },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: NAME },
        subjects: [{ kind: 'ServiceAccount', ...meta }],
      },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: meta, data: { Corefile: COREFILE } },
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: meta,
        spec: { selector: { matchLabels: labels }, template: POD },
      },
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'kube-dns', namespace: NAMESPACE },
        spec: {
          clusterIP: NETWORKS.dnsService,
          selector: labels,
          ports: [
            { name: 'dns', port: 53, targetPort: 'dns', protocol: 'UDP' },
            { name: 'dns-tcp', port: 53, targetPort: 'dns-tcp', protocol: 'TCP' },
          ],
        },
      },
      {
        apiVersion: 'node.k8s.io/v1',
        kind: 'RuntimeClass',
        metadata: { name: SECOND_HANDLER },
        handler: SECOND_HANDLER,
      },
      storageClass(),
    ],
  });

/** Workloads for `kubectl rollout status`. */
export const NAME_SERVER = `deployment/${NAME}`;
export const NAME_SERVER_NAMESPACE = NAMESPACE;
