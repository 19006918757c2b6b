// SPDX-License-Identifier: Apache-2.0
// The connections that the chart's policies allow.
import { PROCESSES } from '@writ/contract';
import { describeChart, EXAMPLES, examplePods, objectsOf, PRODUCTION, renderSmall, SMALL } from './chart.contract.ts';
import { elsewhere, end, isOpen, policiesOf, type End } from './network-policies.ts';
import { podsOf, type Pod } from './pods.ts';
import { NAMESPACE, type KubeObject } from './render.ts';

const SANDBOX: End = { namespace: 'writ-sandboxes', labels: { writ: 'w-writ' } };
const STRANGER: End = { namespace: NAMESPACE, labels: { app: 'other' } };
const DNS = elsewhere('kube-system', { 'k8s-app': 'kube-dns' });
const WORLD: End = { address: '93.184.216.34' };
const METADATA: End = { address: '169.254.169.254' };
const SERVING = [...PROCESSES, 'postgres', 'nats'];
const ONES = [...SERVING, 'migrate', 'keys', 'smoke'];
const PORTS = [53, 80, 443, 4222, 5432, 6443, 7480, 9464];

/** All allowed connections between the pods of a release, one line each. */
const flowsOf = (objects: readonly KubeObject[]): string[] =>
  ONES.flatMap((from) =>
    ONES.flatMap((to) =>
      PORTS.filter((port) => isOpen(objects, end(from), end(to), port)).map((port) => `${from} → ${to}:${port}`),
    ),
  );

describeChart('network policies of the chart', () => {
  const objects = (): KubeObject[] => objectsOf(SMALL);

  test('every pod of every example is under a policy that closes both directions', () => {
    const open = EXAMPLES.flatMap((example) =>
      examplePods(example).flatMap((pod: Pod) => {
        const types = policiesOf(objectsOf(example), { namespace: NAMESPACE, labels: pod.labels }).flatMap(
          ({ policyTypes }) => policyTypes,
        );
        return types.includes('Ingress') && types.includes('Egress') ? [] : [`${example}: ${pod.owner}`];
      }),
    );
    expect(open).toEqual([]);
  });

  test('between the pods of a release exactly the needed connections are allowed', () => {
    const expected = [
      ...PROCESSES.flatMap((from) => PROCESSES.map((to) => `${from} → ${to}:9464`)),
      ...PROCESSES.flatMap((from) => [`${from} → postgres:5432`, `${from} → nats:4222`]),
      'migrate → postgres:5432',
      'smoke → orchestrator:7480',
    ];
    expect(flowsOf(objects()).sort()).toEqual(expected.sort());
  });

  test('another pod in the namespace reaches only the API', () => {
    expect(
      SERVING.flatMap((to) =>
        PORTS.filter((port) => isOpen(objects(), STRANGER, end(to), port)).map((port) => `${to}:${port}`),
      ),
    ).toEqual(['orchestrator:7480']);
  });

  test('Prometheus reaches the ops ports of the services', () => {
    for (const to of PROCESSES) {
      expect(isOpen(objects(), elsewhere('monitoring'), end(to), 9464)).toBe(true);
      expect(isOpen(objects(), elsewhere('default'), end(to), 9464)).toBe(false);
    }
  });

  test('the API is closed to all but the namespace of the gateway where a value says so', () => {
    expect(isOpen(objectsOf(PRODUCTION), elsewhere('ingress'), end('orchestrator'), 7480)).toBe(true);
    expect(isOpen(objectsOf(PRODUCTION), elsewhere('default'), end('orchestrator'), 7480)).toBe(false);
  });

  test("executors and orchestrators reach public web servers, and of private addresses only the API server's", () => {
    for (const from of ['executor', 'orchestrator']) {
      expect(isOpen(objectsOf(PRODUCTION), end(from), WORLD, 443)).toBe(true);
      expect(isOpen(objectsOf(PRODUCTION), end(from), WORLD, 22)).toBe(false);
      for (const address of [
        '10.1.2.3',
        '127.0.0.1',
        '172.20.0.1',
        '192.168.1.1',
        '100.64.0.1',
        '169.254.169.254',
        'fd00::1',
        'fe80::1',
      ]) {
        expect([address, isOpen(objectsOf(PRODUCTION), end(from), { address }, 443)]).toEqual([address, false]);
      }
    }
    const apiServer: End = { address: '10.0.0.1' };
    expect(isOpen(objectsOf(PRODUCTION), end('executor'), apiServer, 6443)).toBe(true);
    expect(isOpen(objectsOf(PRODUCTION), end('orchestrator'), apiServer, 6443)).toBe(false);
  });

  test('ledgers without witnesses, kernels, Jobs, Postgres and NATS reach no external address', () => {
    for (const from of ['ledger', 'kernel', 'migrate', 'smoke', 'postgres', 'nats']) {
      expect([
        from,
        PORTS.filter(
          (port) => isOpen(objects(), end(from), WORLD, port) || isOpen(objects(), end(from), METADATA, port),
        ),
      ]).toEqual([from, []]);
    }
  });

  test("a ledger with witnesses reaches only public addresses, on the witnesses' ports", () => {
    const urls = ['https://a.example', 'http://b.example:7490/x', 'https://[2606:2800::1]'];
    const witnessed = renderSmall({ ledger: { witnesses: urls.map((url) => ({ url, key: 'k' })) } });
    const reached = (address: string): number[] =>
      [22, 80, 443, 7490].filter((port) => isOpen(witnessed, end('ledger'), { address }, port));
    expect(reached('93.184.216.34')).toEqual([443, 7490]);
    expect(reached('2606:2800::1')).toEqual([443, 7490]);
    expect(reached('10.1.2.3')).toEqual([]);
    expect(reached('169.254.169.254')).toEqual([]);
    expect(isOpen(witnessed, end('kernel'), WORLD, 443)).toBe(false);
  });

  test('a ledger with witnesses reaches no external address where egress is disabled', () => {
    const closed = renderSmall({
      ledger: { witnesses: [{ url: 'https://a.example', key: 'k' }] },
      networkPolicy: { world: { enabled: false } },
    });
    expect(isOpen(closed, end('ledger'), WORLD, 443)).toBe(false);
  });

  test('an air-gapped installation reaches its proxy, and no public address even from executors', () => {
    for (const from of PROCESSES) {
      expect(isOpen(objectsOf('air-gapped-values.yaml'), end(from), { address: '10.20.30.40' }, 3128)).toBe(true);
      expect(isOpen(objectsOf('air-gapped-values.yaml'), end(from), WORLD, 80)).toBe(false);
    }
  });

  test('pods that resolve names may reach DNS', () => {
    for (const from of [...PROCESSES, 'migrate', 'keys', 'smoke'])
      for (const protocol of ['TCP', 'UDP'])
        expect([from, isOpen(objects(), end(from), DNS, 53, protocol)]).toEqual([from, true]);
  });

  test('a sandbox reaches nothing, and nothing reaches it', () => {
    for (const port of PORTS) {
      for (const to of [...ONES.map(end), DNS, WORLD, METADATA, SANDBOX, STRANGER]) {
        expect(isOpen(objects(), SANDBOX, to, port)).toBe(false);
        if (!('address' in to)) expect(isOpen(objects(), to, SANDBOX, port)).toBe(false);
      }
    }
  });

  test("without its own policy a sandbox reaches its canary, the executor's ops port", () => {
    const without = objects().filter(({ metadata }) => metadata.namespace !== 'writ-sandboxes');
    expect(isOpen(without, SANDBOX, end('executor'), 9464)).toBe(true);
    expect(isOpen(without, SANDBOX, end('kernel'), 9464)).toBe(false);
  });

  test("sandboxes that share the release's namespace are isolated by their labels", () => {
    const shared = renderSmall({
      sandbox: { namespace: { name: NAMESPACE, create: false, shared: true }, admissionPolicy: { enabled: false } },
    });
    const sandbox: End = { namespace: NAMESPACE, labels: { writ: 'w-writ' } };
    for (const port of PORTS)
      for (const to of [...ONES.map(end), DNS, WORLD]) expect(isOpen(shared, sandbox, to, port)).toBe(false);
    expect(podsOf(shared).filter(({ component }) => component === 'sandboxes')).toEqual([]);
  });

  test('with policies disabled none is rendered', () => {
    expect(renderSmall({ networkPolicy: { enabled: false } }).filter(({ kind }) => kind === 'NetworkPolicy')).toEqual(
      [],
    );
  });
});
