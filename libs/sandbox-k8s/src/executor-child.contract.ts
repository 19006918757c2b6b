// SPDX-License-Identifier: Apache-2.0
// A process with a waiting pod and a running job, for a test that kills it. Prints the names of its pods.
import { LIMITS, SIZE, runIn, until } from '@writ/sandbox-host/contract';
import { KubeApi } from './kube-api.ts';
import { KubernetesSandbox } from './kubernetes-sandbox.ts';

const [
  kubeconfig = '',
  namespace = '',
  owner = '',
  reference = '',
  image = '',
  host = '',
  port = '',
  command = 'sleep 1000',
] = process.argv.slice(2);
const sandbox = await KubernetesSandbox.open({
  api: await KubeApi.load({ kubeconfig }),
  namespace,
  label: 'test',
  owner,
  pools: [{ image, size: SIZE, count: 1 }],
  referenceOf: () => reference,
  canaries: [{ host, port: Number(port) }],
});
await sandbox.warm();
void runIn(sandbox, image, command, { wallMs: 600_000, cpuMs: LIMITS.cpuMs });
await until('a job runs beside a full pool', () => sandbox.containers.length === 2);
await sandbox.warm();
process.send?.(sandbox.containers);
