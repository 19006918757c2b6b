// SPDX-License-Identifier: Apache-2.0
import { parse, render } from '../dialects.ts';
import { listInstead } from './list-instead.ts';

const failed = (code: string) => ({ error: { code, message: '`src` is a directory' } });
const read = { tool_id: 'fs.read', args: { path: 'src' } };

it('a read of a directory is followed by a call that lists it', () => {
  expect(listInstead('tools-xml', read, failed('file.kind'))).toEqual({ tool_id: 'fs.list', args: { path: 'src' } });
});

it.each([
  ['in other dialects', listInstead('yips', read, failed('file.kind'))],
  ['for native calls', listInstead(null, read, failed('file.kind'))],
  ['after another fault', listInstead('tools-xml', read, failed('file.not_found'))],
  ['without a fault', listInstead('tools-xml', read, { error: null })],
  ['of a range of lines', listInstead('tools-xml', { ...read, args: { path: 'a', limit: 1 } }, failed('file.kind'))],
  ['for another tool', listInstead('tools-xml', { ...read, tool_id: 'fs.edit' }, failed('file.kind'))],
])('nothing follows a read %s', (_what, call) => {
  expect(call).toBeNull();
});

it('its answer is the list, in the element of the read', () => {
  const output = parse('tools-xml', '<tools><read><file src="src"/></read></tools>');
  const entries = [
    { path: 'src/a', kind: 'dir', size: 0 },
    { path: 'src/b', kind: 'file', size: 1 },
  ];
  const outcome = { standing: 'completed', result: { path: 'src', entries, truncated: false }, error: null } as const;
  expect(render('tools-xml', output, new Map([['t1.1', outcome]]))[0]?.['content']).toContain(
    '<read id="t1.1" part="file" status="ok"><output><![CDATA[src/a/\nsrc/b]]></output></read>',
  );
});
