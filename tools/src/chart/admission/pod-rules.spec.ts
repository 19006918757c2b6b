// SPDX-License-Identifier: Apache-2.0
// `pod-mutations.cluster.spec.ts` tests on a real API server that the rules refuse what they should.
import { claimedPodRules } from './claimed-pod-rules.ts';
import { largestPod } from './driver-pod.ts';
import { leaseRules } from './lease-rules.ts';
import { podRules } from './pod-rules.ts';
import { closed, policyText } from './rules.ts';

const MAX = { cpus: 1, memoryBytes: 1024, tmpfsBytes: 512 };
/** Fields that the API server drops where they are false, and so doesn't show to policies. */
const FALSE = ['hostNetwork', 'hostPID', 'hostIPC', 'tty'];

const { variables, validations } = podRules(MAX);
const variable = (name: string): string => variables.find((each) => each.name === name)?.expression ?? '';

test('the policy has each field that the driver sets in a pod, with its value or by another rule', () => {
  const { spec } = largestPod(MAX);
  const [container] = spec?.containers ?? [];
  for (const [object, known] of [
    [spec, variable('specKnown')],
    [container, variable('containerKnown')],
  ] as const)
    for (const name of Object.keys(object ?? {}))
      expect({ name, isKnown: known.includes(`'${name}'`) }).toEqual({ name, isKnown: !FALSE.includes(name) });
  for (const name of ['args', 'image', 'resources'])
    expect(validations.filter(({ expression }) => expression.includes(`variables.container.${name}`))).not.toEqual([]);
});

test.each(['initContainers', 'ephemeralContainers', 'hostNetwork', 'hostAliases', 'imagePullSecrets', 'hostname'])(
  'a pod with `%s` is no sandbox',
  (name) => {
    expect(variable('specKnown')).not.toContain(`'${name}'`);
  },
);

test.each(['envFrom', 'lifecycle', 'livenessProbe', 'ports', 'tty', 'volumeDevices'])(
  'a container with `%s` is no sandbox',
  (name) => {
    expect(variable('containerKnown')).not.toContain(`'${name}'`);
  },
);

test('the largest sandbox bounds every other', () => {
  expect(variable('resourcesMax')).toContain("'memory': '1024'");
  expect(validations.find(({ message }) => message.includes('spec.volumes'))?.expression).toContain("quantity('512')");
});

test('nothing is a limit only where it is more than 0', () => {
  for (const what of ['resources', 'spec.volumes'])
    expect(validations.find(({ message }) => message.includes(what))?.expression).toContain(
      ".isGreaterThan(quantity('0'))",
    );
});

test("a claimed pod equals the driver's, but for its creator, owner, name, arguments and metadata", () => {
  const other = claimedPodRules(MAX);
  const differs = (a: readonly object[], b: readonly object[]): string[] =>
    a
      .filter((each) => !b.some((one) => JSON.stringify(one) === JSON.stringify(each)))
      .map((each) => ('name' in each ? String(each.name) : (each as { readonly message: string }).message));
  expect(differs(other.variables, variables)).toEqual(['labelsKnown', 'ownerPins']);
  expect(differs(other.validations, validations)).toEqual([
    'only the controller of agent-sandbox makes pods here',
    'the controller of agent-sandbox makes pods of one owner, a Sandbox',
    'the controller of agent-sandbox names a pod after its Sandbox',
    'the driver sets other spec.containers[0].args in a template',
    expect.stringContaining('the driver sets no metadata.annotations') as string,
  ]);
});

test('each variable has one definition, and every one that a rule names exists', () => {
  for (const rules of [podRules(MAX), claimedPodRules(MAX), leaseRules()]) {
    const names = rules.variables.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const text = JSON.stringify(rules);
    for (const [, name] of text.matchAll(/variables\.(\w+)/g)) expect(names).toContain(name);
  }
});

test('a closed object is written with one pin on each line, and names what it refuses', () => {
  const rules = closed({ variable: 'spec', place: 'spec', pins: { a: 1, b: 'c' }, free: ['d'], more: 'variables.e' });
  expect(policyText('What may be.', rules)).toBe(`# Made by tools/src/chart from libs/sandbox-k8s; don't edit.
# What may be.
variables:
- name: specKnown
  expression: "['a', 'b', 'd'] + variables.e"
- name: specUnknown
  expression: "variables.spec.filter(k, !(k in variables.specKnown))"
- name: specPins
  expression: |-
    {
      'a': dyn(1),
      'b': dyn('c')
    }
- name: specChanged
  expression: "variables.specPins.filter(k, !(k in variables.spec && variables.spec[k] == variables.specPins[k]))"
validations:
- message: "the driver sets no such field of spec"
  expression: "variables.specUnknown.size() == 0"
  messageExpression: "'the driver sets no spec.' + variables.specUnknown.join(', spec.')"
- message: "the driver sets another value in spec"
  expression: "variables.specChanged.size() == 0"
  messageExpression: "'the driver sets another spec.' + variables.specChanged.join(', spec.')"
`);
});
