// SPDX-License-Identifier: Apache-2.0
// False reports of an executor, each with the fault that ends the call.
import { createHash, randomUUID } from 'node:crypto';
import type { Change, Delta, FaultCode } from '@writ/contract';
import type { Report } from '@writ/stack';

/** The result of a successful command. */
export const OUTPUT = { exit_code: 0, signal: null, output: '', truncated_bytes: 0, wall_ms: 1 };

export const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');
export const file = (text: string): Change['after'] => ({
  kind: 'file',
  mode: '644',
  sha256: sha256(text),
  size: Buffer.byteLength(text),
});
export const created = (path: string, text = 'new\n'): Change => ({ path, before: null, after: file(text) });
const ONE = file('one\n');

export const delta = (base: string, changes: readonly Change[]): Delta => ({ v: 1, base, changes: [...changes] });

/** What a false report is made from. */
export interface FalseReportContext {
  /** the snapshot that the call works on */
  readonly base: string;
  /** stores bytes for the call's tenant and returns their hash */
  readonly store: (bytes: Uint8Array) => Promise<string>;
  /** stores a value as a delta, and reports it by reference */
  readonly byBlob: (value: unknown) => Promise<Partial<Report>>;
}

export type FalseReport = (
  context: FalseReportContext,
) => Partial<Report> | Record<string, unknown> | Promise<Partial<Report> | Record<string, unknown>>;

const TWICE = created('src/twice.txt');
export const FALSE_REPORTS: Readonly<Record<string, readonly [FaultCode, FalseReport]>> = {
  'a path outside the write roots': [
    'effect.out_of_scope',
    ({ base }) => ({ delta: delta(base, [created('docs/new.txt')]) }),
  ],
  'one path outside beside one inside': [
    'effect.out_of_scope',
    ({ base }) => ({ delta: delta(base, [created('other.txt'), created('src/new.txt')]) }),
  ],
  'a name that only begins like a write root': [
    'effect.out_of_scope',
    ({ base }) => ({ delta: delta(base, [created('src-evil/new.txt')]) }),
  ],
  'a path within the write roots that the settings of the tenant deny': [
    'effect.out_of_scope',
    ({ base }) => ({ delta: delta(base, [created('src/.ssh')]) }),
  ],
  'a deletion of the write root itself': [
    'effect.invalid',
    ({ base }) => ({
      delta: delta(base, [{ path: 'src', before: { kind: 'dir', mode: null, sha256: null, size: 0 }, after: null }]),
    }),
  ],
  '`..`': ['effect.invalid', ({ base }) => ({ delta: delta(base, [created('src/../docs/new.txt')]) })],
  '`..` at the start': ['effect.invalid', ({ base }) => ({ delta: delta(base, [created('../new.txt')]) })],
  'an absolute path': ['effect.invalid', ({ base }) => ({ delta: delta(base, [created('/src/new.txt')]) })],
  'an absolute path into the workspace': [
    'effect.invalid',
    ({ base }) => ({ delta: delta(base, [created('/workspace/src/new.txt')]) }),
  ],
  'a path with NUL': ['effect.invalid', ({ base }) => ({ delta: delta(base, [created('src/a\0b')]) })],
  'an empty segment': ['effect.invalid', ({ base }) => ({ delta: delta(base, [created('src//new.txt')]) })],
  'a dot': ['effect.invalid', ({ base }) => ({ delta: delta(base, [created('src/./new.txt')]) })],
  'a lone surrogate': [
    'effect.invalid',
    async ({ base, store }) => {
      // As an escape in the bytes: `canonicalBytes` would refuse the surrogate.
      const bytes = Buffer.from(JSON.stringify(delta(base, [created('src/\ud800')])));
      return { delta_ref: { sha256: await store(bytes), size: bytes.length } };
    },
  ],
  'the same path twice': ['effect.invalid', ({ base }) => ({ delta: delta(base, [TWICE, TWICE]) })],
  'paths out of order': [
    'effect.invalid',
    ({ base }) => ({ delta: delta(base, [created('src/z.txt'), created('src/b.txt')]) }),
  ],
  'a file with something below it': [
    'effect.invalid',
    ({ base }) => ({ delta: delta(base, [created('src/node'), created('src/node/below')]) }),
  ],
  'something below an existing file': [
    'effect.invalid',
    ({ base }) => ({ delta: delta(base, [created('src/a.txt/below')]) }),
  ],
  'a device': [
    'effect.invalid',
    async ({ base, byBlob }) =>
      byBlob({
        ...delta(base, []),
        changes: [
          { path: 'src/dev', before: null, after: { kind: 'device', mode: '644', sha256: sha256('new\n'), size: 4 } },
        ],
      }),
  ],
  'a set-uid mode': [
    'effect.invalid',
    async ({ base, byBlob }) =>
      byBlob({
        ...delta(base, []),
        changes: [{ path: 'src/suid', before: null, after: { ...file('new\n'), mode: '4755' } }],
      }),
  ],
  'a directory with content': [
    'effect.invalid',
    ({ base }) => ({
      delta: delta(base, [
        { path: 'src/dir', before: null, after: { kind: 'dir', mode: null, sha256: sha256('new\n'), size: 4 } },
      ]),
    }),
  ],
  'a symlink with a mode': [
    'effect.invalid',
    ({ base }) => ({
      delta: delta(base, [
        { path: 'src/link', before: null, after: { kind: 'symlink', mode: '755', sha256: sha256('new\n'), size: 4 } },
      ]),
    }),
  ],
  'a change that changes nothing': [
    'effect.invalid',
    ({ base }) => ({ delta: delta(base, [{ path: 'src/a.txt', before: ONE, after: ONE }]) }),
  ],
  'a `before` that differs from the base': [
    'effect.invalid',
    ({ base }) => ({ delta: delta(base, [{ path: 'src/a.txt', before: file('other\n'), after: file('new\n') }]) }),
  ],
  'a `before` for a path without a file': [
    'effect.invalid',
    ({ base }) => ({ delta: delta(base, [{ path: 'src/none.txt', before: ONE, after: file('new\n') }]) }),
  ],
  'no `before` for a path that existed': [
    'effect.invalid',
    ({ base }) => ({ delta: delta(base, [created('src/a.txt')]) }),
  ],
  'another base': ['effect.invalid', () => ({ delta: delta(`snap_${'a'.repeat(64)}`, [created('src/new.txt')]) })],
  'a content that was never stored': [
    'effect.invalid',
    ({ base }) => ({ delta: delta(base, [created('src/new.txt', randomUUID())]) }),
  ],
  "another tenant's content by its hash": [
    'effect.invalid',
    ({ base }) => ({ delta: delta(base, [created('src/stolen.txt', "the victim's secret\n")]) }),
  ],
  'another size than the content has': [
    'effect.invalid',
    ({ base }) => ({
      delta: delta(base, [{ path: 'src/new.txt', before: null, after: { ...file('new\n')!, size: 5 } }]),
    }),
  ],
  'another hash than the result has': [
    'effect.invalid',
    ({ base }) => ({ delta: delta(base, [created('src/new.txt')]), result_hash: 'b'.repeat(64) }),
  ],
  'a result of another form': [
    'effect.invalid',
    ({ base }) => ({ delta: delta(base, [created('src/new.txt')]), result: { fine: true } }),
  ],
  'no result': ['effect.invalid', ({ base }) => ({ delta: delta(base, [created('src/new.txt')]), result: null })],
  'a result by reference that is not stored': [
    'effect.invalid',
    ({ base }) => ({
      delta: delta(base, [created('src/new.txt')]),
      result: null,
      result_ref: { sha256: 'c'.repeat(64), size: 4 },
      result_hash: 'c'.repeat(64),
    }),
  ],
  'a delta by value and by reference': [
    'effect.invalid',
    async ({ base, byBlob }) => ({
      ...(await byBlob(delta(base, [created('src/new.txt')]))),
      delta: delta(base, [created('src/new.txt')]),
    }),
  ],
  'a delta that is not stored': ['effect.invalid', () => ({ delta_ref: { sha256: 'd'.repeat(64), size: 10 } })],
  'a delta of another size than stated': [
    'effect.invalid',
    async ({ base, byBlob }) =>
      byBlob(delta(base, [created('src/new.txt')])).then((ref) => ({ delta_ref: { ...ref.delta_ref!, size: 1 } })),
  ],
  'a delta that is not JSON': [
    'effect.invalid',
    async ({ store }) => ({
      delta_ref: { sha256: await store(Buffer.from('not json')).then(() => sha256('not json')), size: 8 },
    }),
  ],
  '24,001 changes': [
    'limit.exceeded',
    async ({ base, byBlob }) =>
      byBlob(
        delta(
          base,
          Array.from({ length: 24_001 }, (_, i) => created(`src/many/${String(i).padStart(6, '0')}`)),
        ),
      ),
  ],
  'more bytes than a call may write': [
    'limit.exceeded',
    ({ base }) => ({
      delta: delta(base, [{ path: 'src/big', before: null, after: { ...file('new\n')!, size: 257 * 1024 * 1024 } }]),
    }),
  ],
  'success of a command that failed': [
    'command.failed',
    ({ base }) => ({ delta: delta(base, [created('src/new.txt')]), exit_code: 1, result: { ...OUTPUT, exit_code: 1 } }),
  ],
  'a change by a command that was killed': [
    'command.killed',
    ({ base }) => ({ delta: delta(base, [created('src/new.txt')]), ended: 'killed', exit_code: null }),
  ],
  "a failure by a code that isn't one": [
    'effect.invalid',
    () => ({ ended: 'failed', error: { code: 'no.such_code', message: 'x', hint: null }, result: null }),
  ],
};
