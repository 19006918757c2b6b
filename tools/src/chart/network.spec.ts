// SPDX-License-Identifier: Apache-2.0
// What the policies of the chart let through, by Kubernetes' own rules: a connection passes where the policies of both
// ends allow it.
import { BlockList, isIP } from 'node:net';
import { PROCESSES } from '@writ/contract';
import { describeChart, EXAMPLES, examplePods, objectsOf, PRODUCTION, renderSmall, SMALL } from './chart.contract.ts';
import { podsOf, type Pod } from './pods.ts';
import { NAMESPACE, type KubeObject, type Labels } from './render.ts';

interface Selector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values: readonly string[];
  }[];
}
interface Peer {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
}
interface Rule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports?: readonly { readonly port: number; readonly protocol: string }[];
}
interface Policy {
  readonly podSelector: Selector;
  readonly policyTypes: readonly string[];
  readonly ingress?: readonly Rule[];
  readonly egress?: readonly Rule[];
}

/** An end of a connection: a pod, or an address outside. */
type End = { readonly namespace: string; readonly labels: Labels } | { readonly address: string };

const chooses = ({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean =>
  Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
  matchExpressions.every(({ key, operator, values }) => operator === 'In' && values.includes(labels[key] ?? ''));

const isWithin = (cidr: string, address: string): boolean => {
  const [net = '', bits] = cidr.split('/');
  const family = isIP(net) === 6 ? 'ipv6' : 'ipv4';
  if (isIP(address) !== isIP(net)) return false;
  const list = new BlockList();
  list.addSubnet(net, Number(bits), family);
  return list.check(address, family);
};

const isPeer = ({ podSelector, namespaceSelector, ipBlock }: Peer, end: End): boolean => {
  if ('address' in end)
    return (
      ipBlock !== undefined &&
      isWithin(ipBlock.cidr, end.address) &&
      !(ipBlock.except ?? []).some((cidr) => isWithin(cidr, end.address))
    );
  if (ipBlock !== undefined) return false;
  const inNamespace =
    namespaceSelector === undefined
      ? end.namespace === NAMESPACE
      : chooses(namespaceSelector, { 'kubernetes.io/metadata.name': end.namespace });
  return inNamespace && chooses(podSelector ?? {}, end.labels);
};

const policiesOf = (objects: readonly KubeObject[], end: End): Policy[] =>
  'address' in end
    ? []
    : objects
        .filter(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.namespace === end.namespace)
        .map((object) => object['spec'] as Policy)
        .filter(({ podSelector }) => chooses(podSelector, end.labels));

const passes = (rules: readonly Rule[] | undefined, other: End, port: number, protocol: string): boolean =>
  (rules ?? []).some(
    ({ from, to, ports }) =>
      (from ?? to ?? [{ namespaceSelector: {} }, { ipBlock: { cidr: '0.0.0.0/0' } }]).some((peer) =>
        isPeer(peer, other),
      ) &&
      (ports === undefined || ports.some((each) => each.port === port && each.protocol === protocol)),
  );

/** Whether a connection from one end to the other passes the policies of both. */
function isOpen(objects: readonly KubeObject[], from: End, to: End, port: number, protocol = 'TCP'): boolean {
  const out = policiesOf(objects, from).filter(({ policyTypes }) => policyTypes.includes('Egress'));
  const into = policiesOf(objects, to).filter(({ policyTypes }) => policyTypes.includes('Ingress'));
  return (
    (out.length === 0 || out.some(({ egress }) => passes(egress, to, port, protocol))) &&
    (into.length === 0 || into.some(({ ingress }) => passes(ingress, from, port, protocol)))
  );
}

const end = (component: string): End => ({
  namespace: NAMESPACE,
  labels: {
    'app.kubernetes.io/name': 'writ',
    'app.kubernetes.io/instance': 'w',
    'app.kubernetes.io/component': component,
  },
});
const SANDBOX: End = {
  namespace: 'writ-sandboxes',
  labels: { writ: 'w-writ' },
};
const STRANGER: End = { namespace: NAMESPACE, labels: { app: 'other' } };
const elsewhere = (namespace: string, labels: Labels = {}): End => ({ namespace, labels });
const DNS = elsewhere('kube-system', { 'k8s-app': 'kube-dns' });
const WORLD: End = { address: '93.184.216.34' };
const METADATA: End = { address: '169.254.169.254' };
const SERVING = [...PROCESSES, 'postgres', 'nats'];
const ONES = [...SERVING, 'migrate', 'keys', 'smoke'];
const PORTS = [53, 80, 443, 4222, 5432, 6443, 7480, 9464];

/** All that is open between the pods of a release, by one line each. */
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

  test('between the pods of a release exactly what their work needs is open', () => {
    const expected = [
      ...PROCESSES.flatMap((from) => PROCESSES.map((to) => `${from} → ${to}:9464`)),
      ...PROCESSES.flatMap((from) => [`${from} → postgres:5432`, `${from} → nats:4222`]),
      'migrate → postgres:5432',
      'smoke → orchestrator:7480',
    ];
    expect(flowsOf(objects()).sort()).toEqual(expected.sort());
  });

  test('a stranger in the namespace reaches the API and nothing else', () => {
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

  test("executors and orchestrators reach the world's web servers, and no address that isn't public but the API server's", () => {
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

  test('ledgers, kernels, Jobs, Postgres and NATS reach nothing outside', () => {
    for (const from of ['ledger', 'kernel', 'migrate', 'smoke', 'postgres', 'nats']) {
      expect([
        from,
        PORTS.filter(
          (port) => isOpen(objects(), end(from), WORLD, port) || isOpen(objects(), end(from), METADATA, port),
        ),
      ]).toEqual([from, []]);
    }
  });

  test('an air-gapped installation reaches its proxy, and the world not even from executors', () => {
    for (const from of PROCESSES) {
      expect(isOpen(objectsOf('air-gapped-values.yaml'), end(from), { address: '10.20.30.40' }, 3128)).toBe(true);
      expect(isOpen(objectsOf('air-gapped-values.yaml'), end(from), WORLD, 80)).toBe(false);
    }
  });

  test('whoever resolves names may', () => {
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

  test("only its own policy keeps a sandbox from its canary, the executor's ops port", () => {
    const without = objects().filter(({ metadata }) => metadata.namespace !== 'writ-sandboxes');
    expect(isOpen(without, SANDBOX, end('executor'), 9464)).toBe(true);
    expect(isOpen(without, SANDBOX, end('kernel'), 9464)).toBe(false);
  });

  test("sandboxes that share the release's namespace are closed off by their labels", () => {
    const shared = renderSmall({
      sandbox: { namespace: { name: NAMESPACE, create: false, shared: true }, admissionPolicy: { enabled: false } },
    });
    const sandbox: End = { namespace: NAMESPACE, labels: { writ: 'w-writ' } };
    for (const port of PORTS)
      for (const to of [...ONES.map(end), DNS, WORLD]) expect(isOpen(shared, sandbox, to, port)).toBe(false);
    expect(podsOf(shared).filter(({ component }) => component === 'sandboxes')).toEqual([]);
  });

  test('without policies nothing of them is rendered', () => {
    expect(renderSmall({ networkPolicy: { enabled: false } }).filter(({ kind }) => kind === 'NetworkPolicy')).toEqual(
      [],
    );
  });
});
