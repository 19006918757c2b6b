// SPDX-License-Identifier: Apache-2.0
import { isPublicAddress } from '@writ/egress';
import fc from 'fast-check';
import { compileScript, compileText } from './compile/compile.ts';
import { VERBS } from './registry/registry.ts';
import { hostWithFiles, SANDBOX } from './specs/world.ts';
import { runProgram } from './run/run-program.ts';

const HOSTILE = [
  '',
  '.',
  '..',
  '../x',
  'a/../../x',
  '/etc/passwd',
  '/workspace/a.txt',
  '/workspace/../etc',
  '$WORKSPACE',
  '$WORKSPACE/a.txt',
  '$WORKSPACE/../x',
  '$CWD/x',
  '$PREV',
  '$C0',
  '$C1',
  '$ITEM',
  '.git/config',
  '.git',
  'link/x',
  'link',
  'out',
  'up/..',
  'a.zip',
  'src',
  'a.txt',
  'x.sh',
  'Makefile',
  'http://127.0.0.1/',
  'http://rebind.example.com/',
  'https://example.com/',
  'https://example.com:22/',
  'http://[::1]/',
  'rebind.example.com',
  'example.com',
  'localhost',
  '10.0.0.1',
  '80',
  '22',
  '0',
  '1',
  '-1',
  '(a*)*',
  '[',
  '{}',
  '[1]',
  '$..*',
  '*',
  '**/*',
  '\0',
  '\ud800',
  ';rm -rf /',
  'git',
  'switch',
  'main',
  '--upload-pack=x',
  '-c',
  'status',
];
const verb = fc.constantFrom(...VERBS.keys());
const text = fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...HOSTILE) }, { weight: 1, arbitrary: fc.string() });
const plain = fc.record({
  verb,
  args: fc.array(text, { maxLength: 4 }),
  captureAs: fc.option(fc.constantFrom('C0', 'C1', 'PREV'), { nil: undefined }),
});
const fitting = verb.chain((name) => {
  const { min, max, pairs } = VERBS.get(name)!;
  return fc.record({
    verb: fc.constant(name),
    args: fc.array(text, { minLength: min, maxLength: Math.min(max, pairs ? 2 : min + 2) }),
  });
});
const controlled = fc.oneof(
  fc.record({
    verb: fc.constant('ForEach'),
    forEach: fc.record({ items: fc.array(text, { minLength: 1, maxLength: 3 }), body: fitting }),
  }),
  fc.record({
    verb: fc.constant('If'),
    if: fc.record({
      predicate: fc.record({
        kind: fc.constantFrom('FileExists', 'PrevContains', 'DirExists', 'PrevMatch'),
        args: fc.array(text, { minLength: 1, maxLength: 1 }),
      }),
      then: fitting,
    }),
  }),
  fc.record({
    verb: fc.constantFrom('FileTemplate'),
    args: fc.tuple(text),
    template: fc.record({ source: text, values: fc.dictionary(fc.constantFrom('A', 'B'), text) }),
  }),
);
const operation = fc.oneof(
  { weight: 6, arbitrary: fitting },
  { weight: 1, arbitrary: plain },
  { weight: 2, arbitrary: controlled },
);
/** The output of a step may be the path or host of the next one. */
const chained = fc.tuple(text, fitting).map(([value, next]) => [
  { verb: 'Echo', args: [value], captureAs: 'C0' },
  { ...next, args: next.args.map((arg, n) => (n === 0 ? '$C0' : arg)) },
]);
const script = fc
  .oneof(fc.array(operation, { minLength: 1, maxLength: 3 }), chained)
  .map((operations) => ({
    operations,
    options: { failureMode: 'ContinueOnError', pipeStepOutput: true, stepTimeout: '00:00:30' },
  }));

function trappedHost(): ReturnType<typeof hostWithFiles> {
  const host = hostWithFiles();
  host.files.link('link', '../outside');
  host.files.link('out', '/etc');
  host.files.plant('.git/config', '[core]\n\tbare = false\n');
  host.files.plant('.git/HEAD', 'ref: refs/heads/main\n');
  host.net.names.set('rebind.example.com', ['93.184.216.34', '127.0.0.1']);
  return host;
}

test('no script makes the host touch a path outside the workspace, write into `.git`, start what fits no template, or connect where it may not', async () => {
  let ran = 0;
  await fc.assert(
    fc.asyncProperty(script, async (source) => {
      const { program } = compileScript(source, SANDBOX);
      if (program === null) return;
      ran++;
      const host = trappedHost();
      await runProgram(program, SANDBOX, host);
      expect(host.files.escapes).toEqual([]);
      for (const { how, path } of host.files.touched) {
        expect(path.split('/')).not.toContain('..');
        if (how === 'write' || how === 'remove') expect(path).not.toMatch(/(?:^|\/)\.git(?:\/|$)/);
        if (how === 'write') expect(path).not.toMatch(/(?:^|\/)Makefile$|\.sh$/);
      }
      for (const { address, port } of host.net.connected)
        expect([isPublicAddress(address), port >= 0]).toEqual([true, true]);
      for (const { argv } of host.process.commands)
        expect(argv[0]).toMatch(
          /^(?:git|cat|wc|ls|sort|uniq|head|tail|grep|diff|cmp|stat|du|file|sha256sum|sha512sum|md5sum|npm|node|dotnet|tar|zip|unzip)$/,
        );
      expect(host.process.commands.some(({ argv }) => argv.includes('main'))).toBe(false);
    }),
    { numRuns: 800 },
  );
  expect(ran).toBeGreaterThan(100);
});

test('the compiler answers any value, and never throws', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const { program, problems } = compileScript(value, SANDBOX);
      expect(program === null).toBe(problems.length > 0);
    }),
    { numRuns: 300 },
  );
});

test('the parser answers any text with problems that have a place in it', () => {
  const near = script
    .map((source) => JSON.stringify(source))
    .chain((whole) =>
      fc
        .tuple(fc.constant(whole), fc.nat(whole.length), fc.string({ maxLength: 3 }))
        .map(([source, at, put]) => source.slice(0, at) + put + source.slice(at + 1)),
    );
  fc.assert(
    fc.property(fc.oneof(fc.string(), near), (source) => {
      const { program, problems } = compileText(source, SANDBOX);
      expect(program === null).toBe(problems.length > 0);
      for (const { line, column } of problems)
        expect(line >= 1 && column >= 1 && line <= source.split('\n').length).toBe(true);
    }),
    { numRuns: 500 },
  );
});
