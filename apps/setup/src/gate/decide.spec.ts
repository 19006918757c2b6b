// SPDX-License-Identifier: Apache-2.0
import { reasonsToWait, type QueriedPod, type PodAnswer } from './decide.ts';
import { compareVersions } from './version.ts';

const terms = { version: '1.2.0', silentMs: 20_000 };
const runs = (version: string): PodAnswer => ({ kind: 'runs', version });
const pod = (side: QueriedPod['side'], answer: PodAnswer): QueriedPod => ({
  component: 'ledger',
  side,
  address: '10.0.0.7',
  answer,
});
const waits = (side: QueriedPod['side'], answer: PodAnswer): boolean =>
  reasonsToWait([pod(side, answer)], terms).length > 0;

test.each<[string, QueriedPod['side'], PodAnswer, boolean]>([
  ['an earlier pod of this version', 'earlier', runs('1.2.0'), false],
  ['an earlier pod of a newer version', 'earlier', runs('1.3.0'), false],
  ['an earlier pod of an older version', 'earlier', runs('1.1.9'), true],
  ['an earlier pod without a version', 'earlier', runs(''), true],
  ['a later pod of this version', 'later', runs('1.2.0'), false],
  ['a later pod of an older version', 'later', runs('1.1.0'), false],
  ['a later pod of a newer version', 'later', runs('1.3.0'), true],
  ['a later pod without a version', 'later', runs(''), false],
  ['an earlier pod at its gate', 'earlier', { kind: 'waits' }, false],
  ['a later pod at its gate', 'later', { kind: 'waits' }, false],
  ['a pod that has just fallen silent', 'earlier', { kind: 'silent', sinceMs: 19_999 }, true],
  ['a pod that has been silent for long', 'earlier', { kind: 'silent', sinceMs: 20_000 }, false],
])('gate: %s (%s)', (_what, side, answer, expected) => {
  expect(waits(side, answer)).toBe(expected);
});

test('gate: a process without other pods may start', () => {
  expect(reasonsToWait([], terms)).toEqual([]);
});

test('gate: a reason names component, address and version', () => {
  expect(reasonsToWait([pod('earlier', runs('1.1.0')), pod('later', runs('1.2.0'))], terms)).toEqual([
    'ledger at 10.0.0.7 runs 1.1.0',
  ]);
});

/** A rollout as gates see it: each component has one pod, of the old version until it is updated. */
test.each<[string, string, readonly string[]]>([
  ['an update', '2.0.0', ['ledger', 'kernel', 'executor', 'orchestrator']],
  ['a rollback', '1.0.0', ['orchestrator', 'executor', 'kernel', 'ledger']],
])('gate: %s updates the components one by one in order', (_what, to, order) => {
  const COMPONENTS = ['ledger', 'kernel', 'executor', 'orchestrator'];
  const at = new Map(COMPONENTS.map((component) => [component, to === '2.0.0' ? '1.0.0' : '2.0.0']));
  const started: string[] = [];
  for (let round = 0; round < COMPONENTS.length; round += 1) {
    const free = COMPONENTS.filter(
      (component, place) =>
        at.get(component) !== to &&
        reasonsToWait(
          COMPONENTS.flatMap((other, index) =>
            index === place
              ? []
              : [
                  {
                    component: other,
                    side: index < place ? ('earlier' as const) : ('later' as const),
                    address: other,
                    answer: runs(at.get(other)!),
                  },
                ],
          ),
          { version: to, silentMs: 1 },
        ).length === 0,
    );
    expect(free).toHaveLength(1);
    for (const component of free) at.set(component, to);
    started.push(...free);
  }
  expect(started).toEqual(order);
});

test.each([
  ['1.2.3', '1.2.3', 0],
  ['1.2.3', '1.2.4', -1],
  ['1.10.0', '1.9.9', 1],
  ['2.0.0', '1.9.9', 1],
  ['1.0.0-rc.1', '1.0.0', -1],
  ['1.0.0-rc.2', '1.0.0-rc.10', -1],
  ['1.0.0-alpha', '1.0.0-beta', -1],
  ['1.0.0-1', '1.0.0-a', -1],
  ['1.0.0-a.1', '1.0.0-a', 1],
  ['1.0.0+build', '1.0.0', 0],
  ['', '0.0.1', -1],
  ['later', '', 0],
  ['0.0.1', 'unknown', 1],
] as const)('versions: %s compared with %s', (a, b, order) => {
  expect(Math.sign(compareVersions(a, b))).toBe(order);
  expect(Math.sign(compareVersions(b, a))).toBe(order === 0 ? 0 : -order);
});
