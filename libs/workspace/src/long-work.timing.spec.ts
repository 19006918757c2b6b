// SPDX-License-Identifier: Apache-2.0
// Trees with large directories: work on them makes pauses, with little work between two of them.
import type { Change, FileState } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import {
  applyDelta,
  deltaId,
  deltaOf,
  diff,
  encodeNode,
  encodingDelta,
  list,
  loadNode,
  parsePath,
  rebase,
  runAtOnce,
  sizeOf,
  snapshotIdOf,
  walk,
  withBlobs,
  withPauses,
  type NodeEntry,
  type NodeReader,
} from './index.ts';

const FILES = 20_000;
/**
 * Limit on the processor time between two pauses, in milliseconds. The services yield the event loop after 4 ms. Of
 * three runs the best counts, since a collection of garbage falls into one of them.
 */
const WORK_MS_MAX = 40;
const RUNS = 3;
const HASH = 'a'.repeat(64);

const state = (size: number): FileState => ({ kind: 'file', mode: '644', sha256: HASH, size });
const change = (path: string, before: FileState | null, after: FileState | null): Change => ({ path, before, after });
const nameOf = (n: number): string => `a rather long name ${String((n * 7_919) % FILES)} é.txt`;
const entries: readonly NodeEntry[] = Array.from({ length: FILES }, (_, n) => ({
  kind: 'file',
  mode: '644',
  name: nameOf(n),
  sha256: HASH,
  size: 1,
}));
const flat = encodeNode(entries);
const root = encodeNode([{ kind: 'dir', name: 'd', sha256: flat.sha256, size: 0 }]);
const empty = encodeNode([]);
const stored = withBlobs(() => Promise.reject(new Error('there is no such node')), [flat, root, empty]);

/** A reader that measures the processor time of this thread between its pauses. */
class Pauses {
  count = 0;
  longestMs = 0;
  #last = usedMs();

  readonly reader: NodeReader = withPauses(stored, async () => {
    const now = usedMs();
    this.count += 1;
    this.longestMs = Math.max(this.longestMs, now - this.#last);
    this.#last = now;
  });
}

function usedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Does the work once to have its code compiled, as in a service that has run for a while, and then measures it. */
async function pausesOf(
  work: (reader: NodeReader, run: number) => Promise<unknown>,
): Promise<{ count: number; longestMs: number }> {
  await work(stored, 0);
  const runs: Pauses[] = [];
  for (let run = 1; run <= RUNS; run++) {
    const pauses = new Pauses();
    await work(pauses.reader, run);
    runs.push(pauses);
  }
  return {
    count: Math.min(...runs.map((pauses) => pauses.count)),
    longestMs: Math.min(...runs.map((pauses) => pauses.longestMs)),
  };
}

const all = Array.from({ length: FILES }, (_, n) => change(`d/${nameOf(n)}`, state(1), state(2)));
// Made before the measurement, which must not include it.
const changed = deltaOf(snapshotIdOf(root.sha256), all);
const made = deltaOf(snapshotIdOf(empty.sha256), [
  change('d', null, { kind: 'dir', mode: null, sha256: null, size: 0 }),
  ...Array.from({ length: FILES }, (_, n) => change(`d/${nameOf(n)}`, null, state(1))),
]);

/** How many of the entries the last tree left out. */
let left = 0;

describe('work on a directory of 20,000 files makes pauses:', () => {
  const cases: Record<string, (reader: NodeReader) => Promise<unknown>> = {
    'applying a delta that changes all of them': (reader) => applyDelta(reader, root.sha256, changed),
    'applying a delta that makes all of them': async (reader) =>
      expect((await applyDelta(reader, empty.sha256, made)).root).toBe(root.sha256),
    'comparing it with none': async (reader) => expect(await diff(reader, empty.sha256, root.sha256)).toEqual(made),
    'walking over them': async (reader) => {
      let count = 0;
      for await (const _ of walk(reader, root.sha256)) count += 1;
      expect(count).toBe(FILES + 1);
    },
    'counting them': async (reader) =>
      expect(await sizeOf(reader, root.sha256)).toEqual({ files: FILES + 1, bytes: FILES }),
    'listing them': async (reader) =>
      expect(await list(reader, root.sha256, parsePath('d'), Infinity)).toHaveLength(FILES),
    'moving a delta to another head': async (reader) =>
      expect(await rebase(reader, made, empty.sha256, root.sha256)).toHaveProperty('conflicts'),
  };

  it.each(Object.entries(cases))('%s', async (_name, work) => {
    const pauses = await pausesOf(work);
    expect(pauses.count).toBeGreaterThan(FILES / 256);
    expect(pauses.longestMs).toBeLessThan(WORK_MS_MAX);
  });

  it('reading it', async () => {
    // A node is read once and then remembered, so each run, also that of a second try, reads another one.
    const others = Array.from({ length: RUNS + 1 }, () => encodeNode(entries.slice(++left)));
    const pauses = await pausesOf(async (reader, run) => {
      const other = others[run];
      if (other !== undefined) await loadNode(withBlobs(reader, [other]), other.sha256);
    });
    expect(pauses.count).toBeGreaterThan(50);
    expect(pauses.longestMs).toBeLessThan(WORK_MS_MAX);
  });
});

it('encoding a delta in parts gives the same bytes as at once', () => {
  for (const delta of [
    made,
    deltaOf('snap_x', []),
    deltaOf('snap_x', all.slice(0, 128)),
    deltaOf('snap_x', all.slice(0, 129)),
  ]) {
    const { id, bytes } = runAtOnce(encodingDelta(delta));
    expect(sha256Hex(bytes)).toBe(sha256Hex(canonicalBytes(delta)));
    expect(id).toBe(deltaId(delta));
  }
});
