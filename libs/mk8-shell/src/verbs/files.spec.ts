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

test('FileTemplate fills in what it has values for, once', async () => {
  const host = hostWithFiles();
  host.files.plant('t', '{{A}} {{ B }} {{C}}');
  await outcomeOf(
    { verb: 'FileTemplate', args: ['made/x.txt'], template: { source: 't', values: { A: '{{B}}', B: '2' } } },
    host,
  );
  expect(host.files.text('made/x.txt')).toBe('{{B}} 2 {{C}}');
});

test('a search shows 500 lines and says that there are more', async () => {
  const host = hostWithFiles();
  host.files.plant('long.txt', 'x\n'.repeat(600));
  const { output } = await outcomeOf({ verb: 'FileSearch', args: ['long.txt', 'x'] }, host);
  expect(output.split('\n')).toHaveLength(501);
  expect(output.endsWith('[only the first 500 are shown]')).toBe(true);
});

test('paths of a working directory are relative to it, and answers name what other verbs take', async () => {
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
