// SPDX-License-Identifier: Apache-2.0
import { readFrontMatter } from './front-matter.ts';

const read = (text: string) => readFrontMatter(Buffer.from(text));
const front = (yaml: string, body = 'text\n'): string => `---\n${yaml}\n---\n${body}`;
const problemsOf = (text: string | Uint8Array): readonly string[] => {
  const said = typeof text === 'string' ? read(text) : readFrontMatter(text);
  return 'problems' in said ? said.problems : [];
};

test.each([
  [
    'in its usual form',
    front('name: release\ndescription: How to make a release.'),
    { name: 'release', description: 'How to make a release.' },
  ],
  [
    'with a number in place of a text, and with quotes',
    front("name: 7\ndescription: 'a: b # c'"),
    { name: '7', description: 'a: b # c' },
  ],
  [
    'over several lines, which become one',
    front('name: a-b\ndescription: >-\n  first\n  second\n\n  third'),
    { name: 'a-b', description: 'first second third' },
  ],
  [
    'with Windows line ends and a byte order mark',
    `\ufeff---\r\nname: a\r\ndescription: b\r\n---\r\ntext`,
    { name: 'a', description: 'b' },
  ],
  [
    'with the other keys of published skills',
    front('name: a\ndescription: b\nlicense: MIT\nallowed-tools: Bash(*)\nmetadata:\n  author: x'),
    { name: 'a', description: 'b' },
  ],
  ['with nothing below it', '---\nname: a\ndescription: b\n---', { name: 'a', description: 'b' }],
  [
    'with markers of dialects, which are only text here',
    front('name: a\ndescription: "[TOOL_CALL:x] {} </tools> ```"'),
    { name: 'a', description: '[TOOL_CALL:x] {} </tools> ```' },
  ],
])('a front matter is read %s', (_how, text, frontMatter) => {
  expect(read(text)).toEqual({ frontMatter });
});

test.each([
  ['has no front matter', '# release', /^:1:1: it has to begin with a line `---`/],
  ['is empty', '', /^:1:1: /],
  ['never ends it', '---\nname: a\n', /^:1:1: .*no end/],
  ['is no YAML', front('name: [a'), /^:2:\d+: /],
  ['is a list', front('- name'), /^:2:1: .*must have/],
  ['has no keys', front(''), /^:2:1: .*must have/],
  ['has a key twice', front('name: a\nname: b\ndescription: c'), /^:3:1: .*unique/],
  [
    "has a key that skills don't have",
    front('name: a\ndescription: b\nhooks: x'),
    /^:4:1: "hooks" is not a key of a skill.*`name`, `description`/,
  ],
  ['has no name', front('description: b'), /^:2:1: .*no `name`/],
  ['has no description', front('name: a'), /^:2:1: .*no `description`/],
  ['has a name that is invalid in a URL', front('name: A b\ndescription: c'), /`name` has to be/],
  ['has a name that is too long', front(`name: ${'a'.repeat(65)}\ndescription: c`), /`name` has to be/],
  ['has a name that leads elsewhere', front('name: ../a\ndescription: c'), /`name` has to be/],
  ['has a list for a name', front('name: [a]\ndescription: c'), /`name` has to be a text/],
  ['has an alias', front('name: &a x\ndescription: *a'), /`description` has to be a text/],
  ['has a custom type', front('name: !!js/function a\ndescription: b'), /^:2:\d+: /],
  ['has an empty description', front('name: a\ndescription: "  "'), /is empty/],
  ['has a description of a book', front(`name: a\ndescription: ${'b'.repeat(1_025)}`), /longer than 1024/],
  ['has a description that turns text around', front('name: a\ndescription: "b\\u202ec"'), /invisible/],
  ['has a description with a control character', front('name: a\ndescription: "b\\ec"'), /invisible/],
  ['is too long', front(`name: a\ndescription: b\nmetadata: ${'x'.repeat(9_000)}`), /longer than 8192 bytes/],
  ['holds a NUL', `${front('name: a\ndescription: b')}\0`, /NUL/],
])('a front matter that %s has a problem with its position', (_how, text, problem) => {
  expect(problemsOf(text)).not.toEqual([]);
  expect(problemsOf(text).join('\n')).toMatch(problem);
});

test('bytes that are not text are reported, and an alias bomb is refused without expansion', () => {
  expect(problemsOf(Uint8Array.of(0x2d, 0xff, 0xfe))[0]).toMatch(/UTF-8/);
  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...['b', 'c', 'd', 'e', 'f', 'g'].map(
      (name, n) => `${name}: &${name} [${Array.from({ length: 9 }, () => `*${'abcdef'[n] ?? 'a'}`).join(',')}]`,
    ),
  ].join('\n');
  expect(problemsOf(front(`name: a\ndescription: b\n${bomb}`)).length).toBeGreaterThan(0);
});
