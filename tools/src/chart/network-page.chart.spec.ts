// SPDX-License-Identifier: Apache-2.0
// The table of flows in docs/operations/network.md compared with the policies of the production example, in both
// directions: exactly the flows of the page are allowed.
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { LIMITS, PROCESSES } from '@writ/contract';
import { parse } from 'yaml';
import { checkout } from '../setup.ts';
import { describeChart, examplePods, objectOf, objectsOf, PRODUCTION } from './chart.contract.ts';
import { elsewhere, end, isOpen, type End } from './network-policies.ts';
import { NAMESPACE } from './render.ts';

const JOBS = ['migrate', 'keys', 'rotate-keys', 'smoke'];
const SANDBOX = elsewhere('writ-sandboxes', { writ: 'w-writ' });
const ends = (names: readonly string[]): Record<string, End> =>
  Object.fromEntries(names.map((name) => [name, end(name)]));

/** Both ends of connections: pods of the release, and external ends as the production example names them. */
const SOURCES: Readonly<Record<string, End>> = {
  ...ends([...PROCESSES, ...JOBS]),
  sandboxes: SANDBOX,
  clients: elsewhere('ingress'),
  Prometheus: elsewhere('monitoring'),
  stranger: { namespace: NAMESPACE, labels: { app: 'other' } },
};
const TARGETS: Readonly<Record<string, End>> = {
  ...ends([...PROCESSES, ...JOBS]),
  sandboxes: SANDBOX,
  Postgres: elsewhere('database'),
  NATS: elsewhere('bus'),
  collector: elsewhere('monitoring'),
  DNS: elsewhere('kube-system', { 'k8s-app': 'kube-dns' }),
  'the world': { address: '93.184.216.34' },
  'API server': { address: '10.0.0.1' },
  'a private address': { address: '10.1.2.3' },
  'the metadata of the node': { address: '169.254.169.254' },
};
/** The page's words for several ends, or for one with another name above. */
const MEANT: Readonly<Record<string, readonly string[]>> = {
  services: PROCESSES,
  Jobs: JOBS,
  'migrations Job': ['migrate'],
  'Jobs of keys': ['keys', 'rotate-keys'],
  '`helm test`': ['smoke'],
  // Policies know no DNS names, so a witness is any public address.
  witnesses: ['the world'],
  nothing: [],
};

interface Row {
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly ports: readonly number[];
  /** whether a cluster uses only one of the ports */
  readonly isChoice: boolean;
}

/** The page's layout pads cells. */
const endsNamedBy = (cell: string, known: Readonly<Record<string, End>>): string[] =>
  cell
    .trim()
    .split(', ')
    .flatMap((word) => {
      const names = MEANT[word] ?? [word];
      for (const name of names) if (known[name] === undefined) throw new Error(`nothing is called \`${name}\``);
      return names;
    });

const PAGE = readFileSync(join(checkout, 'docs/operations/network.md'), 'utf8');
const TABLE = PAGE.slice(PAGE.indexOf('## Flows'), PAGE.indexOf('## TLS in front'));
const ROWS: readonly Row[] = [...TABLE.matchAll(/^\| ([^|]+) \| ([^|]+) \| ([^|]*) \|.*\|$/gm)]
  .slice(1)
  .filter(([, from = '']) => !/^-+$/.test(from))
  .map(([, from = '', to = '', ports = '']) => ({
    from: endsNamedBy(from, SOURCES),
    to: endsNamedBy(to, TARGETS),
    ports: [...ports.matchAll(/\d+/g)].map(([port]) => Number(port)),
    isChoice: ports.includes(' or '),
  }));

/** Ports of the page, and others on which something may listen. */
const PORTS = [...new Set([...ROWS.flatMap(({ ports }) => ports), 22, 8080])];
const OURS = new Set([...PROCESSES, ...JOBS, 'sandboxes']);

const flowsOf = ({ from, to, ports }: Pick<Row, 'from' | 'to' | 'ports'>): string[] =>
  from.flatMap((source) => to.flatMap((target) => ports.map((port) => `${source} → ${target}:${port}`)));

describeChart('the flows in docs/operations/network.md', () => {
  const isPassed = (source: string, target: string, port: number): boolean =>
    isOpen(objectsOf(PRODUCTION), SOURCES[source]!, TARGETS[target]!, port);

  test('are read from the table', () => {
    expect(ROWS.length).toBeGreaterThan(10);
    expect(ROWS.flatMap(({ to }) => to)).toContain('the world');
  });

  test.each(ROWS.map((row) => ({ ...row, name: flowsOf(row).join(', ') })).filter(({ name }) => name !== ''))(
    'are allowed in the production example: $name',
    ({ from, to, ports, isChoice }) => {
      for (const source of from)
        for (const target of to) {
          const passed = ports.filter((port) => isPassed(source, target, port));
          if (isChoice) expect(passed).not.toEqual([]);
          else expect(passed).toEqual(ports);
        }
    },
  );

  test('are the only flows allowed in the production example', () => {
    const promised = new Set(ROWS.flatMap(flowsOf));
    const unnamed = Object.keys(SOURCES).flatMap((source) =>
      Object.keys(TARGETS)
        .filter((target) => OURS.has(source) || OURS.has(target))
        .flatMap((target) =>
          PORTS.filter((port) => isPassed(source, target, port)).map((port) => `${source} → ${target}:${port}`),
        ),
    );
    expect(unnamed.filter((flow) => !promised.has(flow))).toEqual([]);
  });
});

describeChart('the Ingress of the production example', () => {
  test('has the annotations that docs/operations/network.md shows', () => {
    const [, block = ''] =
      /With ingress-nginx, as annotations in `ingress\.annotations`:\n\n((?: {4}.*\n)+)/.exec(PAGE) ?? [];
    const shown = parse(block) as Record<string, string>;
    expect(Object.keys(shown)).toContain('nginx.ingress.kubernetes.io/proxy-body-size');
    expect(objectOf(objectsOf(PRODUCTION), 'Ingress', 'w-writ-orchestrator').metadata.annotations).toMatchObject(shown);
  });

  test('lets the largest body of the API through', () => {
    const { annotations = {} } = objectOf(objectsOf(PRODUCTION), 'Ingress', 'w-writ-orchestrator').metadata;
    const MIB = 1024 * 1024;
    expect(annotations['nginx.ingress.kubernetes.io/proxy-body-size']).toBe(`${LIMITS.importBytes.max / MIB}m`);
  });

  test('is trusted to name clients from few addresses, and not from a whole network', () => {
    const { env } = examplePods(PRODUCTION).find(({ component }) => component === 'orchestrator')!.spec.containers[0]!;
    const trusted = env!.find(({ name }) => name === 'WRIT_TRUSTED_PROXIES')!.value!;
    for (const block of trusted.split(',')) {
      const [address = '', bits = isIP(address) === 6 ? '128' : '32'] = block.trim().split('/');
      expect(isIP(address)).not.toBe(0);
      // At most 256 addresses.
      expect(Number(bits)).toBeGreaterThanOrEqual(isIP(address) === 6 ? 120 : 24);
    }
  });
});
