// SPDX-License-Identifier: Apache-2.0
import { Fault, type Caller } from '@writ/contract';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { cancelCalls } from './cancel-calls.ts';

type Row = { operation_id: string; state: string; provenance: { run_id: string } };
const row = (operation_id: string, state: string, run_id = 'run_1'): Row => ({
  operation_id,
  state,
  provenance: { run_id },
});

/** A kernel whose list has the given pages, and which records cancelled calls. */
function kernelOf(pages: readonly (readonly Row[])[], conflicts: readonly string[] = []) {
  const cancelled: string[] = [];
  const ask = (
    subject: string,
    _caller: Caller,
    of: { page?: { cursor: string | null }; operation_id?: string },
  ): Promise<unknown> => {
    if (subject === 'operation.list') {
      const at = Number(of.page?.cursor ?? 0);
      return Promise.resolve({ items: pages[at], next_cursor: at + 1 < pages.length ? String(at + 1) : null });
    }
    if (conflicts.includes(of.operation_id ?? '')) return Promise.reject(new Fault('conflict'));
    cancelled.push(of.operation_id ?? '');
    return Promise.resolve({});
  };
  return { cancelled, kernel: { ask } as unknown as Pick<KernelClient, 'ask'> };
}

test('unfinished calls of the run are cancelled on all pages, and no others', async () => {
  const { kernel, cancelled } = kernelOf([
    [row('a', 'held'), row('b', 'committed')],
    [row('c', 'held', 'run_2')],
    [row('d', 'admitted')],
  ]);
  await cancelCalls(kernel, {} as Caller, 'ses_1', 'run_1');
  expect(cancelled).toEqual(['a', 'd']);
});

test('a call that ended meanwhile is skipped, and the rest is cancelled', async () => {
  const { kernel, cancelled } = kernelOf([[row('a', 'held'), row('b', 'held')]], ['a']);
  await cancelCalls(kernel, {} as Caller, 'ses_1', 'run_1');
  expect(cancelled).toEqual(['b']);
});
