// SPDX-License-Identifier: Apache-2.0
// Guarantees for operators on a real cluster: network policies, a drained node, key rotation, and another runtime.
import { setTimeout as sleep } from 'node:timers/promises';
import { closedLoad, eventually, expectNothingLost, makeWorld, PATIENT, receiptOfCall, warmUp } from '@writ/stack';
import { parseKeySet, verifyReceiptFile } from '@writ/receipt';
import { readFileSync } from 'node:fs';
import { ClusterRelease, describeRelease, TWO_OF_EACH } from './cluster-release.ts';

const MINUTE_MS = 60_000;
const NODE_NAME = 'node1';
/** A new pod can be open until its network rules apply. */
const RULES_MS = 3_000;
const TRY_MS = 2_000;

/** Prints for each `host:port` whether a connection was made. */
const PROBE = `
const { connect } = require('node:net');
const attempt = (target) => new Promise((resolve) => {
  const [host, port] = target.split(':');
  const socket = connect({ host, port: Number(port), timeout: ${TRY_MS} });
  const end = (said) => { socket.destroy(); resolve([target, said]); };
  socket.on('connect', () => end('open')).on('timeout', () => end('closed')).on('error', () => end('closed'));
});
setTimeout(async () => {
  console.log(JSON.stringify(Object.fromEntries(await Promise.all(process.argv.slice(1).map(attempt)))));
}, ${RULES_MS});`;

describeRelease('an installation', () => {
  let cluster: ClusterRelease;
  const values = { ...TWO_OF_EACH, keys: { rotation: { enabled: true, overlap: '2m' } } };
  beforeAll(async () => {
    cluster = await ClusterRelease.install('writ-operations', { values });
  }, 15 * MINUTE_MS);
  afterAll(() => cluster.remove(), 5 * MINUTE_MS);

  /** The addresses that a pod with these labels reaches. */
  const reached = async (
    name: string,
    labels: Readonly<Record<string, string>>,
    targets: Readonly<Record<string, string>>,
  ): Promise<Record<string, string>> => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, labels },
      spec: {
        restartPolicy: 'Never',
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
        containers: [
          {
            name: 'probe',
            image: cluster.node.nodeImage,
            command: ['/usr/local/bin/node', '-e', PROBE, ...Object.values(targets)],
            resources: { limits: { cpu: '500m', memory: '128Mi' } },
            securityContext: {
              allowPrivilegeEscalation: false,
              capabilities: { drop: ['ALL'] },
              readOnlyRootFilesystem: true,
            },
          },
        ],
      },
    };
    await cluster.release.kubectl(['apply', '-f', '-'], JSON.stringify(pod));
    await eventually(
      `the end of the pod ${name}`,
      async () =>
        /Succeeded|Failed/.test(await cluster.release.kubectl(['get', 'pod', name, '-o', 'jsonpath={.status.phase}'])),
      MINUTE_MS,
    );
    const output = JSON.parse(await cluster.release.kubectl(['logs', name])) as Record<string, string>;
    await cluster.release.kubectl(['delete', 'pod', name, '--wait=false']);
    return Object.fromEntries(
      Object.entries(targets).map(([what, target]) => [what, output[target] ?? 'nothing said']),
    );
  };

  it(
    'lets each pod reach only what it needs',
    async () => {
      const ip = async (service: string, namespace = cluster.release.namespace): Promise<string> =>
        cluster.node.run(['--namespace', namespace, 'get', 'service', service, '-o', 'jsonpath={.spec.clusterIP}']);
      const [ledger = ''] = await cluster.pods('ledger');
      const ledgerIp = await cluster.release.kubectl(['get', 'pod', ledger, '-o', 'jsonpath={.status.podIP}']);
      const targets = {
        postgres: `${await ip('writ-postgres')}:5432`,
        nats: `${await ip('writ-nats')}:4222`,
        'API server': `${await ip('kubernetes', 'default')}:443`,
        'ops port of a ledger': `${ledgerIp}:9464`,
      };
      const as = (component: string) => ({
        'app.kubernetes.io/name': 'writ',
        'app.kubernetes.io/instance': 'writ',
        'app.kubernetes.io/component': component,
      });
      const closed = { postgres: 'closed', nats: 'closed', 'API server': 'closed', 'ops port of a ledger': 'closed' };
      expect(await reached('stranger', { app: 'stranger' }, targets)).toEqual({
        // No policy of the chart applies to a foreign pod: the targets' policies refuse it.
        ...closed,
        'API server': 'open',
      });
      expect(await reached('as-kernel', as('kernel'), targets)).toEqual({
        ...closed,
        postgres: 'open',
        nats: 'open',
        'ops port of a ledger': 'open',
      });
      expect(await reached('as-executor', as('executor'), targets)).toEqual({
        ...closed,
        postgres: 'open',
        nats: 'open',
        'API server': 'open',
        'ops port of a ledger': 'open',
      });
      expect(await reached('as-postgres', as('postgres'), targets)).toEqual(closed);
    },
    5 * MINUTE_MS,
  );

  it(
    'uses a new signing key, and earlier receipts still verify',
    async () => {
      const world = await makeWorld(await cluster.apiUrl(), await cluster.release.platformKey(), {
        files: { 'a.txt': 'one\n' },
      });
      const before = await receiptOfCall(world, MINUTE_MS);
      const oldKeys = (await cluster.checked()).keys;
      const keysOf = (file: string): string[] => [...parseKeySet(readFileSync(file)).recordKeys.keys()];
      const known = keysOf(oldKeys.publicKeysFile);
      await cluster.release.kubectl(['create', 'job', 'rotate-now', '--from=cronjob/writ-rotate-record']);
      await cluster.release.kubectl(['wait', '--for=condition=complete', 'job/rotate-now', '--timeout=300s']);
      const { publicKeysFile } = (await cluster.checked()).keys;
      const added = keysOf(publicKeysFile).filter((kid) => !known.includes(kid));
      expect(added).toHaveLength(1);
      // The new key signs once the overlap is over and the mounted Secret was updated.
      const after = await eventually(
        'a receipt by the new key',
        async () => {
          const { file } = await receiptOfCall(world, MINUTE_MS);
          return file.includes(added[0] as string) ? file : null;
        },
        6 * MINUTE_MS,
      );
      const keys = parseKeySet(readFileSync(publicKeysFile));
      for (const file of [before.file, after]) await verifyReceiptFile(file, keys);
    },
    12 * MINUTE_MS,
  );

  it(
    'runs commands under the configured RuntimeClass',
    async () => {
      await cluster.release.install({ values: { ...values, sandbox: { runtimeClassName: 'strict' } } });
      const found = await cluster.node.run([
        '--namespace',
        cluster.release.sandboxes,
        'get',
        'pods',
        '-o',
        'jsonpath={.items[*].spec.runtimeClassName}',
      ]);
      expect(new Set(found.split(' ').filter(Boolean))).toEqual(new Set(['strict']));
      expect(await cluster.release.test()).toContain('verified');
    },
    10 * MINUTE_MS,
  );

  it(
    'recovers after its node was drained, with every call ended once',
    async () => {
      const world = await makeWorld(await cluster.apiUrl(), await cluster.release.platformKey(), {
        files: { 'a.txt': 'one\n' },
      });
      await warmUp(world);
      const load = closedLoad(world, ['fs.write', 'shell.run'], PATIENT);
      const drain = (...flags: string[]): Promise<string> =>
        cluster.node.run([
          'drain',
          NODE_NAME,
          '--ignore-daemonsets',
          '--delete-emptydir-data',
          '--force',
          '--pod-selector',
          'app.kubernetes.io/instance=writ',
          ...flags,
        ]);
      try {
        // One of two may be evicted; the next one waits for a replacement, which no node accepts.
        await expect(drain('--timeout=20s')).rejects.toThrow(/drain/);
        expect((await cluster.pods('kernel')).length).toBeGreaterThan(0);
        await drain('--disable-eviction', '--timeout=120s');
      } finally {
        await cluster.node.run(['uncordon', NODE_NAME]);
      }
      for (const workload of [
        'statefulset/writ-postgres',
        'statefulset/writ-nats',
        'statefulset/writ-ledger',
        'deployment/writ-kernel',
        'deployment/writ-executor',
        'deployment/writ-orchestrator',
      ])
        await cluster.rolledOut(workload);
      await sleep(5_000);
      const ends = await load.stop();
      expect(ends.filter(({ outcome, code }) => outcome !== 'committed' && code !== 'attempts.exhausted')).toEqual([]);
      expect(ends.length).toBeGreaterThan(2);
      await expectNothingLost(await cluster.checked(), world, ends, 2 * MINUTE_MS);
    },
    15 * MINUTE_MS,
  );
});
