// SPDX-License-Identifier: Apache-2.0
import { podOf } from './pod-shape.ts';

const MIB = 1024 * 1024;
const LABELS = { writ: 'writ', 'writ.role': 'sandbox', 'writ.owner': 'exe_1' };
const OPTIONS = {
  name: 'writ-exe-1-0',
  namespace: 'sandboxes',
  image: 'registry.example/sandbox:1',
  labels: LABELS,
  size: { memoryBytes: 256 * MIB, cpus: 1, pids: 64, tmpfsBytes: 64 * MIB },
  owner: { name: 'writ-exe-1', uid: 'u' },
  refusedAt: ['10.0.0.1:80', '10.96.0.1:443'],
  runtimeClass: 'gvisor',
};

test("the setting of a pod's user namespace changes only that field", () => {
  const { spec, ...rest } = podOf(OPTIONS);
  expect(spec).not.toHaveProperty('hostUsers');
  for (const hostUsers of [false, true])
    expect(podOf({ ...OPTIONS, hostUsers })).toEqual({ ...rest, spec: { ...spec, hostUsers } });
});

test("a sandbox's pod has one shape, which is the only one that the chart's admission policy admits", () => {
  const pod = podOf(OPTIONS);
  expect(pod).toEqual({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'writ-exe-1-0',
      namespace: 'sandboxes',
      labels: { writ: 'writ', 'writ.role': 'sandbox', 'writ.owner': 'exe_1' },
      ownerReferences: [
        {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          name: 'writ-exe-1',
          uid: 'u',
          controller: true,
          blockOwnerDeletion: false,
        },
      ],
    },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      shareProcessNamespace: true,
      hostNetwork: false,
      hostPID: false,
      hostIPC: false,
      dnsPolicy: 'None',
      dnsConfig: { nameservers: ['127.0.0.1'] },
      terminationGracePeriodSeconds: 1,
      activeDeadlineSeconds: 86_400,
      runtimeClassName: 'gvisor',
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 10_001,
        runAsGroup: 10_001,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [
        {
          name: 'sandbox',
          image: 'registry.example/sandbox:1',
          imagePullPolicy: 'IfNotPresent',
          command: ['/opt/writ/agent'],
          args: ['--wait-for-greeting', '--tell-usage', '--refused-at=10.0.0.1:80', '--refused-at=10.96.0.1:443'],
          env: [
            { name: 'BUN_JSC_useConcurrentJIT', value: '0' },
            { name: 'BUN_JSC_useConcurrentGC', value: '0' },
            { name: 'BUN_JSC_numberOfGCMarkers', value: '1' },
          ],
          workingDir: '/workspace',
          stdin: true,
          stdinOnce: true,
          tty: false,
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            privileged: false,
            capabilities: { drop: ['ALL'] },
          },
          resources: {
            limits: { cpu: '1000m', memory: '268435456', 'ephemeral-storage': '536870912' },
            requests: { cpu: '100m', memory: '67108864', 'ephemeral-storage': '0' },
          },
          volumeMounts: [
            { name: 'workspace', mountPath: '/workspace' },
            { name: 'tmp', mountPath: '/tmp' },
          ],
        },
      ],
      volumes: [
        { name: 'workspace', emptyDir: { medium: 'Memory', sizeLimit: '67108864' } },
        { name: 'tmp', emptyDir: { medium: 'Memory', sizeLimit: '67108864' } },
      ],
    },
  });
});

test('podOf permits the labels of jobs and refuses all labels that the admission policy would refuse', () => {
  expect(podOf({ ...OPTIONS, labels: { ...LABELS, 'writ.operation': 'op_1' } }).metadata?.labels).toMatchObject({
    'writ.operation': 'op_1',
  });
  expect(() => podOf({ ...OPTIONS, labels: { ...LABELS, app: 'a' } })).toThrow('a sandbox has no label `app`');
});
