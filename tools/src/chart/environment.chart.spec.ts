// SPDX-License-Identifier: Apache-2.0
import { PROCESSES, type Process } from '@writ/contract';
import { checkout } from '../setup.ts';
import { describeChart, EXAMPLES, examplePods, renderSmall } from './chart.contract.ts';
import { podsOf, type EnvVariable, type Pod } from './pods.ts';
import { CHART_SETS, NOT_OFFERED, settingsOf, variablesOfProcess } from './settings.ts';

/** Variables that no schema of a process has: Node.js reads them, or another variable refers to them. */
const BESIDE = /^(POD_IP|NODE_EXTRA_CA_CERTS)$/;

const envOf = (pods: readonly Pod[], process: Process): readonly EnvVariable[] =>
  pods.find(({ component }) => component === process)!.spec.containers[0]!.env ?? [];

const read = Object.fromEntries(
  await Promise.all(PROCESSES.map(async (process) => [process, await variablesOfProcess(checkout, process)] as const)),
);
const settings = await settingsOf(checkout);

test.each(PROCESSES)(
  'every variable of the %s is set by the chart, allowed in `settings`, or left out for a reason',
  (process) => {
    const named = [...CHART_SETS[process], ...Object.keys(settings[process]), ...Object.keys(NOT_OFFERED)];
    expect(Object.keys(read[process]!).filter((name) => !named.includes(name))).toEqual([]);
    expect(CHART_SETS[process].filter((name) => !Object.hasOwn(read[process]!, name))).toEqual([]);
  },
);

test('no variable is left out that no process has', () => {
  const all = new Set(PROCESSES.flatMap((process) => Object.keys(read[process]!)));
  expect(Object.keys(NOT_OFFERED).filter((name) => !all.has(name))).toEqual([]);
});

describeChart("environment of the chart's services", () => {
  const variants = (): Pod[][] => [
    ...EXAMPLES.map(examplePods),
    podsOf(
      renderSmall({
        extraCa: { configMap: 'ca' },
        proxy: { url: 'http://proxy:1' },
        otlpEndpoint: 'http://otlp:4318',
        sandbox: { runtimeClassName: 'kata', hostUsers: false, agentSandbox: { enabled: true } },
      }),
    ),
  ];

  test.each(PROCESSES)("the %s gets no variable that it doesn't know", (process) => {
    for (const pods of variants()) {
      const names = envOf(pods, process).map(({ name }) => name);
      expect(names.filter((name) => !BESIDE.test(name) && !Object.hasOwn(read[process]!, name))).toEqual([]);
      expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    }
  });

  test.each(PROCESSES)("the %s gets every variable that it can't start without", (process) => {
    const required = Object.entries(read[process]!)
      .filter(([, variable]) => !('default' in variable) && !isOptional(variable))
      .map(([name]) => name);
    expect(required.length).toBeGreaterThan(1);
    for (const pods of variants())
      expect(envOf(pods, process).map(({ name }) => name)).toEqual(expect.arrayContaining(required));
  });

  test.each(PROCESSES)('the chart sets every variable of the %s that is listed as set', (process) => {
    const set = new Set(variants().flatMap((pods) => envOf(pods, process).map(({ name }) => name)));
    expect(CHART_SETS[process].filter((name) => !set.has(name))).toEqual([]);
  });

  test.each(PROCESSES)("the chart's variables of the %s match the process's own patterns", (process) => {
    for (const pods of variants()) {
      for (const { name, value } of envOf(pods, process)) {
        const { pattern } = (read[process]![name] ?? {}) as { pattern?: string };
        // A variable with a reference is complete only in the cluster.
        if (pattern !== undefined && value !== undefined)
          expect(value.replaceAll(/\$\(\w+\)/g, 'x')).toMatch(new RegExp(pattern));
      }
    }
  });

  test('a numeric setting reaches its process unchanged', () => {
    const pods = podsOf(
      renderSmall({
        kernel: { settings: { WRIT_COLLECT_MS: 2_592_000_000 } },
        ledger: { settings: { WRIT_RECORD_INDEX: 'off' } },
      }),
    );
    expect(envOf(pods, 'kernel')).toContainEqual({ name: 'WRIT_COLLECT_MS', value: '2592000000' });
    expect(envOf(pods, 'ledger')).toContainEqual({ name: 'WRIT_RECORD_INDEX', value: 'off' });
  });

  test('a file that a variable names lies below a mount', () => {
    for (const pods of variants()) {
      for (const process of PROCESSES) {
        const { volumeMounts = [] } = pods.find(({ component }) => component === process)!.spec.containers[0]!;
        const files = envOf(pods, process)
          .filter(({ name }) => /_(FILE|DIR)$/.test(name))
          .map(({ value }) => value ?? '');
        expect(
          files.filter(
            (file) => !volumeMounts.some(({ mountPath }) => file === mountPath || file.startsWith(`${mountPath}/`)),
          ),
        ).toEqual([]);
      }
    }
  });
});

/** TypeBox marks optional properties by a member that JSON doesn't show. */
function isOptional(variable: Readonly<Record<string, unknown>>): boolean {
  return Reflect.get(variable, '~optional') === true;
}
