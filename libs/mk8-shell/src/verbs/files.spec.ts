// SPDX-License-Identifier: Apache-2.0
import { hostWithFiles, outcomeOf, run, SANDBOX } from '../specs/world.ts';

test('FilePatch replaces every occurrence, and changes nothing where a patch matches nothing', async () => {
  const host = hostWithFiles();
  expect(
    await outcomeOf(
      {
        verb: 'FilePatch',
        args: ['a.txt'],
        patches: [
          { find: 'e', replace: '$&' },
          { find: 'on', replace: 'ON' },
        ],
      },
      host,
    ),
  ).toEqual({ output: 'replaced 4 in a.txt', error: null });
  expect(host.files.text('a.txt')).toBe('ON$&\nthr$&$&\n');
  expect(
    (
      await outcomeOf(
        {
          verb: 'FilePatch',
          args: ['a.txt'],
          patches: [
            { find: 'ON', replace: 'x' },
            { find: 'absent', replace: '' },
          ],
        },
        host,
      )
    ).error,
  ).toBe('patch 1 matches nothing in `a.txt`; no patch was applied');
  expect(host.files.text('a.txt')).toBe('ON$&\nthr$&$&\n');
});

test('FileTemplate replaces the placeholders of its template, and none in their values', async () => {
  const host = hostWithFiles();
  host.files.plant('t', '{{A}} {{ B }} {{ not one }}');
  await outcomeOf(
    { verb: 'FileTemplate', args: ['made/x.txt'], template: { source: 't', values: { A: '{{B}}', B: '2' } } },
    host,
  );
  expect(host.files.text('made/x.txt')).toBe('{{B}} 2 {{ not one }}');
});

test('FileTemplate fails where a placeholder has no value, names it, and writes nothing', async () => {
  const host = hostWithFiles();
  host.files.plant('t', '{{A}} {{ B.c }} {{C}} {{C}}');
  const template = { source: 't', values: { A: '1' } };
  expect((await outcomeOf({ verb: 'FileTemplate', args: ['made.txt'], template }, host)).error).toBe(
    'the template has no value for `{{B.c}}`, `{{C}}`; nothing was written',
  );
  expect(host.files.has('made.txt')).toBe(false);
  host.files.plant('t', Array.from({ length: 20 }, (_, n) => `{{K${n}}}`).join(' '));
  expect((await outcomeOf({ verb: 'FileTemplate', args: ['made.txt'], template }, host)).error).toMatch(
    /`\{\{K7\}\}` and 12 more; nothing was written$/,
  );
});

test('a search shows 500 lines and a notice of further ones', async () => {
  const host = hostWithFiles();
  host.files.plant('long.txt', 'x\n'.repeat(600));
  const { output } = await outcomeOf({ verb: 'FileSearch', args: ['long.txt', 'x'] }, host);
  expect(output.split('\n')).toHaveLength(501);
  expect(output.endsWith('[only the first 500 are shown]')).toBe(true);
});

test('paths are relative to the working directory, and outputs are paths that other verbs accept', async () => {
  const host = hostWithFiles();
  const { steps } = await run(
    {
      operations: [
        { verb: 'FileList', args: ['.'], captureAs: 'FOUND' },
        { verb: 'FileRead', args: ['$FOUND'] },
        { verb: 'FileRead', args: ['$WORKSPACE/a.txt'] },
      ],
    },
    host,
    { ...SANDBOX, cwd: 'src' },
  );
  expect(steps.map(({ output }) => output)).toEqual(['/workspace/src/readme.md', '# Readme\n', 'one\nthree\n']);
});
