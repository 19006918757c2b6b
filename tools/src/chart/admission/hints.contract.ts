// SPDX-License-Identifier: Apache-2.0
// Valid values for fields of a pod that the API server validates. A spec fails for a missing one: each field needs a
// value that is admitted without our policy, so that a refusal elsewhere is the policy's.
import type { Exclusive, Hints } from './mutations.contract.ts';

/** Names of objects that the specs make. */
export const OTHER_ACCOUNT = 'other';

const CONTAINER = { name: 'second', image: 'busybox:1' };
const LOCAL = { type: 'Localhost', localhostProfile: 'p' };
const HTTP = { httpGet: { port: 80, host: '169.254.169.254', path: '/latest/meta-data' } };
const EXEC = { exec: { command: ['true'] } };
const CLAIM = { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } };
/** Quantities below and above the maximum of a sandbox. */
const QUANTITIES = ['0', '1', '32Mi', '4Gi'];

export const POD_HINTS: Hints = {
  '*.appArmorProfile': [{ type: 'Unconfined' }, LOCAL],
  '*.limits': [{ cpu: '1', memory: '64Mi' }],
  '*.seccompProfile': [{ type: 'Unconfined' }, LOCAL],
  'metadata.annotations': [
    { 'container.apparmor.security.beta.kubernetes.io/sandbox': 'unconfined' },
    { 'k8s.v1.cni.cncf.io/networks': 'other' },
  ],
  'metadata.creationTimestamp': ['2020-01-01T00:00:00Z'],
  'metadata.deletionTimestamp': ['2020-01-01T00:00:00Z'],
  'metadata.finalizers': [['example.com/keep']],
  'metadata.generateName': ['more-'],
  'metadata.labels.example.com/more': ['a'],
  'metadata.labels.writ.role': ['other'],
  'metadata.name': ['writ-exe-1-abcdef0123', 'writ-exe-2-abcdef0123', 'writ-exe-1', 'other', 'writ-exe-1-abcdef012g'],
  'metadata.ownerReferences': [[{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u2' }]],
  'metadata.ownerReferences.apiVersion': ['v1'],
  'metadata.ownerReferences.kind': ['Deployment'],
  'metadata.ownerReferences.name': ['writ-exe-2'],
  'spec.affinity': [{ podAntiAffinity: {} }, { nodeAffinity: {} }],
  'spec.containers': [[CONTAINER]],
  'spec.containers.args': [['--other']],
  'spec.containers.args.more': ['--refused-at=10.0.0.2:80', '--refused-at=example.com:80', '--refused-at=', '-c'],
  'spec.containers.command.more': ['-c'],
  'spec.containers.env': [[{ name: 'LD_PRELOAD', value: '/tmp/x.so' }]],
  'spec.containers.env.valueFrom': [
    { secretKeyRef: { name: 's', key: 'k' } },
    { configMapKeyRef: { name: 's', key: 'k' } },
    { fieldRef: { fieldPath: 'spec.nodeName' } },
  ],
  'spec.containers.envFrom': [[{ secretRef: { name: 's' } }], [{ configMapRef: { name: 's' } }]],
  'spec.containers.image': ['busybox:1', 'docker.io/library/writ-sandbox:0.1.0'],
  'spec.containers.lifecycle': [
    { postStart: HTTP },
    { preStop: HTTP },
    { postStart: EXEC },
    { preStop: { sleep: { seconds: 1 } } },
    { preStop: { tcpSocket: { port: 80, host: '169.254.169.254' } } },
  ],
  'spec.containers.livenessProbe': [HTTP, EXEC, { tcpSocket: { port: 80, host: '10.0.0.1' } }, { grpc: { port: 80 } }],
  'spec.containers.ports': [[{ containerPort: 80 }], [{ containerPort: 80, hostPort: 80 }]],
  'spec.containers.readinessProbe': [HTTP, EXEC],
  'spec.containers.resizePolicy': [[{ resourceName: 'cpu', restartPolicy: 'NotRequired' }]],
  'spec.containers.resources.limits': [{ cpu: '1', memory: '64Mi' }],
  'spec.containers.resources.limits.cpu': ['0', '500m', '2'],
  'spec.containers.resources.limits.example.com/more': ['1'],
  'spec.containers.resources.limits.memory': ['0', '64Mi', '2Gi'],
  'spec.containers.resources.limits.ephemeral-storage': ['0', '64Mi', '1Gi'],
  'spec.containers.resources.requests.cpu': ['0', '50m', '500m'],
  'spec.containers.resources.requests.memory': ['0', '32Mi', '512Mi'],
  'spec.containers.resources.requests.ephemeral-storage': ['64Mi'],
  'spec.containers.restartPolicy': ['Always', 'OnFailure'],
  'spec.containers.securityContext.capabilities.add': [['NET_RAW'], ['SYS_ADMIN']],
  'spec.containers.securityContext.capabilities.drop': [['NET_RAW']],
  'spec.containers.securityContext.procMount': ['Default', 'Unmasked'],
  'spec.containers.securityContext.runAsUser': [0, 10_002],
  'spec.containers.securityContext.runAsGroup': [0],
  'spec.containers.startupProbe': [HTTP, EXEC],
  'spec.containers.volumeMounts': [[{ name: 'tmp', mountPath: '/opt/writ' }]],
  'spec.containers.volumeMounts.mountPath': ['/opt/writ', '/etc'],
  'spec.containers.volumeMounts.mountPropagation': ['HostToContainer'],
  'spec.containers.volumeMounts.name': ['workspace', 'tmp'],
  'spec.containers.volumeMounts.recursiveReadOnly': ['Disabled'],
  'spec.dnsConfig.nameservers': [['8.8.8.8']],
  'spec.dnsConfig.nameservers.0': ['8.8.8.8'],
  'spec.hostAliases': [[{ ip: '127.0.0.1', hostnames: ['a'] }]],
  'spec.initContainers': [[CONTAINER], [{ ...CONTAINER, restartPolicy: 'Always' }]],
  'spec.nodeSelector': [{ 'kubernetes.io/hostname': 'a' }],
  'spec.os': [{ name: 'linux' }],
  'spec.priority': [0, 1],
  'spec.preemptionPolicy': ['PreemptLowerPriority', 'Never'],
  'spec.priorityClassName': ['system-node-critical', 'system-cluster-critical'],
  'spec.readinessGates': [[{ conditionType: 'example.com/ready' }]],
  'spec.resourceClaims': [[{ name: 'a', resourceClaimTemplateName: 'a' }]],
  'spec.resources': [{ limits: { cpu: '2', memory: '2Gi' } }],
  'spec.schedulerName': ['other'],
  'spec.schedulingGates': [[{ name: 'example.com/wait' }]],
  'spec.securityContext.runAsUser': [0, 10_002],
  'spec.securityContext.runAsGroup': [0],
  'spec.securityContext.seLinuxChangePolicy': ['Recursive'],
  'spec.securityContext.seLinuxOptions': [{ type: 'spc_t' }],
  'spec.securityContext.sysctls': [[{ name: 'net.ipv4.ip_unprivileged_port_start', value: '0' }]],
  'spec.securityContext.windowsOptions': [{ runAsUserName: 'a' }],
  'spec.serviceAccount': [OTHER_ACCOUNT],
  'spec.serviceAccountName': [OTHER_ACCOUNT],
  'spec.tolerations': [
    [{ operator: 'Exists' }],
    [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' }],
    [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }],
    [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 1_000_000 }],
    [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' }],
  ],
  'spec.topologySpreadConstraints': [
    [{ maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'DoNotSchedule' }],
  ],
  'spec.volumes': [
    [{ name: 'third', hostPath: { path: '/' } }],
    [{ name: 'third', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } }],
  ],
  'spec.volumes.azureDisk': [{ diskName: 'a', diskURI: 'https://a.blob.core.windows.net/a/a.vhd' }],
  'spec.volumes.configMap': [{ name: 'a' }],
  'spec.volumes.downwardAPI': [{ items: [{ path: 'a', fieldRef: { fieldPath: 'metadata.name' } }] }],
  'spec.volumes.emptyDir.medium': ['', 'HugePages'],
  'spec.volumes.emptyDir.sizeLimit': QUANTITIES,
  'spec.volumes.ephemeral': [{ volumeClaimTemplate: CLAIM }],
  'spec.volumes.fc': [{ wwids: ['a'] }],
  'spec.volumes.hostPath': [{ path: '/' }, { path: '/var/run/containerd/containerd.sock', type: 'Socket' }],
  'spec.volumes.image': [{ reference: 'busybox:1' }],
  'spec.volumes.iscsi': [{ targetPortal: 'a', iqn: 'iqn.2001-04.com.example:a', lun: 1 }],
  'spec.volumes.nfs': [{ server: 'a', path: '/' }],
  'spec.volumes.projected': [
    { sources: [{ serviceAccountToken: { path: 't' } }] },
    { sources: [{ secret: { name: 's' } }] },
  ],
  'spec.volumes.quobyte': [{ registry: 'a:1', volume: 'a' }],
  'spec.volumes.scaleIO': [{ gateway: 'a', system: 'a', volumeName: 'a', secretRef: { name: 'a' } }],
  'spec.volumes.secret': [{ secretName: 's' }],
  'spec.volumes.storageos': [{ volumeName: 'a' }],
};

/** A volume has one kind, and a variable has one source. */
export const POD_EXCLUSIVE: Exclusive = { 'spec.volumes': 'emptyDir', 'spec.containers.env': 'value' };
