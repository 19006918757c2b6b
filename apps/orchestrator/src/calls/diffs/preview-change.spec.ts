// SPDX-License-Identifier: Apache-2.0
import { COMPARED_BYTES_MAX, previewChange, type StagedText } from './preview-change.ts';

const preview = (old: string | null, change: StagedText['change']) =>
  previewChange({ path: 'a.txt', old, change }, { eachMs: 250, allMs: 250 }, () => 0);

it('a write and an edit show their effect', () => {
  expect(preview(null, { content: 'one\n' })).toEqual({
    diff: expect.stringContaining('--- /dev/null\n+++ b/a.txt\n'),
  });
  expect(preview('one\n', { edits: [{ find: 'one', replace: 'two' }] })).toEqual({
    diff: expect.stringContaining('-one\n+two\n'),
  });
});

it('an edit that does not apply fails with the fault of the tool', () => {
  expect(preview('one\n', { edits: [{ find: 'none', replace: '' }] })).toMatchObject({
    failed: { code: 'edit.no_match', hint: expect.any(String) },
  });
  expect(preview('aa', { edits: [{ find: 'a', replace: '' }] })).toMatchObject({ failed: { code: 'edit.ambiguous' } });
});

it('a text that is too long to compare has no diff, and an edit cannot exceed the size limit of files', () => {
  expect(preview('a', { edits: [{ find: 'a', replace: 'x'.repeat(COMPARED_BYTES_MAX + 1) }] })).toEqual({ diff: null });
  const growing = { find: 'a', replace: 'x'.repeat(8 * 1024 * 1024), count: 'all' as const };
  expect(preview('a'.repeat(9), { edits: [growing] })).toMatchObject({ failed: { code: 'file.too_large' } });
});
