// SPDX-License-Identifier: Apache-2.0
import { memoryBlobs } from '@writ/blobs';
import { Fault, formatId, type Caller, type Change, type Delta, type FileState } from '@writ/contract';
import { snapshotIdOf } from '@writ/workspace';
import { inlineTasks } from '../../specs/inline-tasks.ts';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { WorkerTasks } from '../../edge/work/worker-tasks.ts';
import { ShowDiff } from './show-diff.ts';

const tenant_id = formatId('tenant', new Uint8Array(16).fill(1));
const caller: Caller = {
  tenant_id,
  api_key_id: formatId('apiKey', new Uint8Array(16).fill(2)),
  role: 'operator',
  agent_id: null,
};
const blobs = memoryBlobs();
const base = snapshotIdOf('0'.repeat(64));

const fileOf = async (content: string | Uint8Array | null, mode: '644' | '755' = '644'): Promise<FileState | null> => {
  if (content === null) return null;
  const { sha256, size } = await blobs.put(tenant_id, Buffer.from(content));
  return { kind: 'file', mode, sha256, size };
};
const change = async (
  path: string,
  before: string | Uint8Array | null,
  after: string | Uint8Array | null,
): Promise<Change> => ({ path, before: await fileOf(before), after: await fileOf(after) });
/** The diff of an effect that the kernel names, by value or by reference. */
async function shown(changes: readonly Change[], byReference = false, tasks = inlineTasks) {
  const delta: Delta = { v: 1, base, changes: [...changes] };
  const ref = byReference ? await blobs.put(tenant_id, Buffer.from(JSON.stringify(delta))) : null;
  const kernel = {
    ask: () => Promise.resolve({ effect_digest: '6'.repeat(64), delta: ref === null ? delta : null, delta_ref: ref }),
  } as unknown as KernelClient;
  return await new ShowDiff(kernel, { blobs, tasks }).run(caller, 'apr');
}

test('a changed text is shown as a unified diff with its lines counted', async () => {
  const { files, effect_digest, base_snapshot_id } = await shown([
    await change('a.txt', 'one\ntwo\n', 'one\n2\nthree\n'),
  ]);
  expect({ effect_digest, base_snapshot_id }).toEqual({ effect_digest: '6'.repeat(64), base_snapshot_id: base });
  expect(files).toMatchObject([
    { path: 'a.txt', change: 'modified', added_lines: 2, removed_lines: 1, why_no_text: null },
  ]);
  expect(files[0]?.text).toContain('--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,3 @@\n one\n-two\n+2\n+three\n');
});

test('a new and a deleted file are shown completely', async () => {
  const { files } = await shown([await change('gone.txt', 'g\n', null), await change('new.txt', null, 'n\n')]);
  expect(files).toMatchObject([
    { change: 'deleted', removed_lines: 1, added_lines: 0 },
    { change: 'added', added_lines: 1, removed_lines: 0 },
  ]);
});

test('a binary, a too long file and a directory are listed without text', async () => {
  const dir: FileState = { kind: 'dir', mode: null, sha256: null, size: 0 };
  const { files } = await shown([
    await change('b.bin', null, new Uint8Array([0, 1])),
    { path: 'd', before: null, after: dir },
    await change('l.txt', null, 'x'.repeat(256 * 1024 + 1)),
  ]);
  expect(files.map(({ why_no_text, text }) => [why_no_text, text])).toEqual([
    ['binary', null],
    ['not_a_file', null],
    ['too_long', null],
  ]);
});

test('files beyond the byte limit of one response are listed without text', async () => {
  const long = 'line\n'.repeat(50_000);
  const { files, files_total } = await shown(
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        change(`f${String(index).padStart(2, '0')}.txt`, null, `${long}${index}`),
      ),
    ),
  );
  expect([files.length, files_total]).toEqual([12, 12]);
  expect(files.map(({ text }) => text !== null)).toEqual([
    ...Array<boolean>(8).fill(true),
    ...Array<boolean>(4).fill(false),
  ]);
});

test('a long delta is read by its reference', async () => {
  expect((await shown([await change('a.txt', null, 'n\n')], true)).files).toHaveLength(1);
});

test('texts that take too long to compare are listed without text, and the page is still returned', async () => {
  const refusing = new WorkerTasks({ run: () => Promise.reject(new Fault('limit.exceeded')) });
  expect((await shown([await change('a.txt', 'one\n', 'two\n')], false, refusing)).files).toMatchObject([
    { path: 'a.txt', change: 'modified', text: null, why_no_text: 'too_long' },
  ]);
  const full = new WorkerTasks({ run: () => Promise.reject(new Fault('overloaded')) });
  await expect(shown([await change('a.txt', 'one\n', 'two\n')], false, full)).rejects.toMatchObject({
    code: 'overloaded',
  });
});
