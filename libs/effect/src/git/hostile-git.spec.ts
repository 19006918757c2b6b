// SPDX-License-Identifier: Apache-2.0
// The worst files of a repository, for each reader: their cost is bounded, and they prove nothing.
import { GIT_BYTES_MAX } from '../git-directory.ts';
import { gitBlobName } from './git-object.ts';
import { historyChanges, type HistoryQuestion } from './history-changes.ts';
import {
  chainPack,
  copies,
  growingIndex,
  insertions,
  longIndex,
  loopPack,
  looseObject,
  manyNames,
  packIndexOf,
  wideTree,
} from './hostile-git.contract.ts';
import { keptContents, type KeptQuestion } from './kept-contents.ts';

/** Processor time of one query, in milliseconds: far below the limit of its thread, on a slow machine too. */
const CPU_MS_MAX = 10_000;
/** The memory that a query adds to the process, apart from its files. */
const MEMORY_MAX = 512 * 1024 * 1024;
const MIB = 1024 * 1024;
const NOW = Date.UTC(2026, 10, 28);

/** Measures the cost of a call on its own thread, and returns its answer. */
function costOf<T>(call: () => T): { answer: T; ms: number; memory: number } {
  const [began, peak] = [process.threadCpuUsage(), process.resourceUsage().maxRSS];
  const answer = call();
  const { user, system } = process.threadCpuUsage(began);
  return { answer, ms: (user + system) / 1000, memory: (process.resourceUsage().maxRSS - peak) * 1024 };
}

const blob = gitBlobName(Buffer.from('x'));
const nowhere = { loose: new Map<string, Uint8Array>(), packs: [], isComplete: true };
const kept = (question: Partial<KeptQuestion>): KeptQuestion => ({
  index: growingIndex(1, 1),
  references: new Map(),
  objects: nowhere,
  now: NOW,
  taken: Array.from({ length: 256 }, (_, n) => ({
    path: `file${n}`,
    before: n === 0 ? blob : n.toString(16).padStart(40, '0'),
    after: null,
  })),
  ...question,
});
const headOf = (name: string): ReadonlyMap<string, Uint8Array> => new Map([['HEAD', Buffer.from(name)]]);
const line = (n: number): string =>
  `${n.toString(16).padStart(40, '1')} ${n.toString(16).padStart(40, '2')} a <a@b> ${NOW / 1000 - n} +0000\tcommit\n`;
const lines = (count: number): Buffer => Buffer.from(Array.from({ length: count }, (_, n) => line(n)).join(''));
const history = (question: Partial<HistoryQuestion>): HistoryQuestion => ({
  before: new Map(),
  after: new Map(),
  rest: new Map(),
  gone: { loose: [], indexes: [] },
  objects: nowhere,
  now: NOW,
  key: new Uint8Array(32),
  ...question,
});

const QUESTIONS: readonly (readonly [string, () => KeptQuestion])[] = [
  ['an index whose names grow by a byte', () => kept({ index: growingIndex(8_000, 1_000_000) })],
  ['an index whose names are long', () => kept({ index: longIndex(480_000, 4_000) })],
  [
    'a pack of insertions of one byte',
    () =>
      kept({
        references: headOf(blob),
        objects: {
          ...nowhere,
          packs: [chainPack([blob], { levels: 16, size: 8 * MIB - 64, delta: insertions(8 * MIB - 64) })],
        },
      }),
  ],
  [
    'a pack of deltas without end',
    () =>
      kept({
        references: headOf(blob),
        objects: { ...nowhere, packs: [chainPack([blob], { levels: 255, size: 16 * MIB, delta: copies(16 * MIB) })] },
      }),
  ],
  [
    'a pack whose deltas are in a circle',
    () => kept({ references: headOf(blob), objects: { ...nowhere, packs: [loopPack(blob)] } }),
  ],
  [
    'many packs that all list it',
    () => {
      const pack = chainPack([blob], { levels: 8, size: MIB, delta: insertions(MIB) });
      return kept({
        references: headOf(blob),
        objects: { ...nowhere, packs: Array.from({ length: 500 }, () => pack) },
      });
    },
  ],
  [
    'directories without end',
    () => {
      const tree = looseObject('tree', wideTree(800_000));
      return kept({
        references: headOf(tree.name),
        objects: { ...nowhere, loose: new Map([[tree.name, tree.bytes]]) },
      });
    },
  ],
  [
    'a commit of many parents',
    () => {
      const commit = looseObject(
        'commit',
        Buffer.from(
          `tree ${blob}\n${manyNames(600_000)
            .map((name) => `parent ${name}\n`)
            .join('')}\n`,
        ),
      );
      return kept({
        references: headOf(commit.name),
        objects: { ...nowhere, loose: new Map([[commit.name, commit.bytes]]) },
      });
    },
  ],
  [
    'loose objects that inflate a thousandfold',
    () => {
      const { bytes } = looseObject('blob', Buffer.alloc(32 * MIB - 1));
      const names = manyNames(1_000);
      return kept({
        references: new Map([
          ['packed-refs', Buffer.from(names.map((name, n) => `${name} refs/heads/${n}\n`).join(''))],
        ]),
        objects: { ...nowhere, loose: new Map(names.map((name) => [name, bytes])) },
      });
    },
  ],
  ['logs of many lines', () => kept({ references: new Map([['logs/HEAD', lines(250_000)]]) })],
];

it.each(QUESTIONS)('%s costs no more than its bounds, and keeps nothing', (_, make) => {
  const question = make();
  const { answer, ms, memory } = costOf(() => keptContents(question));
  expect(answer).toEqual(question.taken.map(() => false));
  expect(ms).toBeLessThan(CPU_MS_MAX);
  expect(memory).toBeLessThan(MEMORY_MAX);
});

const HISTORIES: readonly (readonly [string, () => HistoryQuestion])[] = [
  ['logs of many lines, gone', () => history({ before: new Map([['logs/HEAD', lines(250_000)]]) })],
  [
    'a log of one line',
    () => history({ before: new Map([['logs/HEAD', Buffer.from(`${line(1).slice(0, 82)}${'> '.repeat(15 * MIB)}`)]]) }),
  ],
  [
    'packed references without end',
    () =>
      history({
        before: new Map([
          [
            'packed-refs',
            Buffer.from(
              manyNames(500_000)
                .map((name, n) => `${name} refs/heads/${n}\n`)
                .join(''),
            ),
          ],
        ]),
      }),
  ],
  [
    'a pack of many objects, gone',
    () => history({ gone: { loose: [], indexes: [packIndexOf(manyNames(400_000), 12)] } }),
  ],
  [
    'a pack of many objects, replaced by an empty one',
    () => {
      const index = packIndexOf(manyNames(400_000), 12);
      return history({
        gone: { loose: [], indexes: [index] },
        objects: { ...nowhere, packs: [{ index, pack: new Uint8Array(12) }] },
      });
    },
  ],
];

it.each(HISTORIES)('of a history, %s costs no more than its bounds', (_, make) => {
  const question = make();
  const { answer, ms, memory } = costOf(() => historyChanges(question));
  expect(answer.wants).toBeNull();
  expect(ms).toBeLessThan(CPU_MS_MAX);
  expect(memory).toBeLessThan(MEMORY_MAX);
});

it('what is sent to a thread at once is bounded', () => {
  expect(GIT_BYTES_MAX).toBeLessThanOrEqual(64 * MIB);
});
