// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { checkout } from '../setup.ts';
import { replaceBlock } from './blocks.ts';
import { documentsOf } from './documents.ts';
import { anchorsOf, deadLinks, documentPaths, missingPaths, missingTests, sourcePaths } from './prose.ts';

const paths = documentPaths(checkout);

test('generated tables match the code: else run `node tools/with-node.mjs tools/src/docs/main.ts`', async () => {
  for (const { text, made } of await documentsOf(checkout)) expect(text).toBe(made);
});

test('documents of all folders are checked, except those of packages', () => {
  for (const path of [
    'README.md',
    'deploy/compose/README.md',
    'helm/writ/README.md',
    'examples/duration/README.md',
    'docs/adr/README.md',
  ])
    expect(paths).toContain(path);
  expect(paths.filter((path) => path.includes('node_modules'))).toEqual([]);
});

test('every link of a document leads to a file, and to a heading of it', () => {
  expect(paths.flatMap((path) => deadLinks(checkout, path).map((target) => `${path}: ${target}`))).toEqual([]);
});

test('every test that a document names exists', () => {
  expect(paths.flatMap((path) => missingTests(checkout, path).map((name) => `${path}: ${name}`))).toEqual([]);
});

test("every repository path in a document's code exists", () => {
  const sources = sourcePaths(checkout);
  expect(paths.flatMap((path) => missingPaths(checkout, path, sources).map((name) => `${path}: ${name}`))).toEqual([]);
}, 30_000);

describe('in a repository of its own', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'writ-documents-'));
    for (const [path, text] of Object.entries({
      'tools/src/a/b.spec.ts': '',
      'docs/other.md': '# A title: `x_y`, again\n## Twice\n## Twice\n',
    })) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
  });
  afterEach(() => {
    rmSync(root, { recursive: true });
  });
  const documentOf = (text: string): string => {
    writeFileSync(join(root, 'docs/page.md'), text);
    return 'docs/page.md';
  };

  test('a link to a missing file, and one to a missing heading, are found', () => {
    const page = documentOf(
      '# Here\n[a](other.md#a-title-x_y-again) [b](other.md#twice-1) [c](#here) [d](https://example.org/x#y)\n[e](gone.md) [f](other.md#twice-2) [g](#there)\n\n```\n[h](nowhere.md)\n```\n',
    );
    expect(deadLinks(root, page)).toEqual(['gone.md', 'other.md#twice-2', '#there']);
  });

  test('a missing path in code is found, anywhere in a command; patterns and build outputs are ignored', () => {
    const page = documentOf(
      '`tools/src/a/b.spec.ts` `b.spec.ts` `a/b.spec.ts:12` `npx vitest run tools/src/a` `tools/*/a/*.ts` `tools/<any>/a` `tools/dist/main.js` `src/a.ts`\n' +
        '`tools/src/b.spec.ts` `c.spec.ts` `npx vitest run tools/src/c` `tools/*/c`',
    );
    expect(missingPaths(root, page)).toEqual(['tools/src/b.spec.ts', 'c.spec.ts', 'tools/src/c', 'tools/*/c']);
  });

  test('a test name that is missing in its file is found, also when it is wrapped over two lines', () => {
    writeFileSync(join(root, 'tools/src/a/b.spec.ts'), "test('is one of two');\n");
    const page = documentOf('- `tools/src/a/b.spec.ts`: "is one of\n  two", "is\n  gone"\n');
    expect(missingTests(root, page)).toEqual(['tools/src/a/b.spec.ts: is gone']);
  });

  test("headings in code don't count", () => {
    expect([...anchorsOf('# One\n```sh\n# two\n```\n## [Three](x.md) & four\n')]).toEqual(['one', 'three--four']);
  });
});

test('ARCHITECTURE.md has at most 10 KB: more belongs into docs/architecture', () => {
  expect(readFileSync(join(checkout, 'ARCHITECTURE.md')).length).toBeLessThanOrEqual(10 * 1024);
});

test('a block is replaced between its markers, and must have them', () => {
  const marked = 'a\n<!-- generated: x -->\nold\n<!-- end of generated -->\nb\n';
  const made = 'a\n<!-- generated: x -->\n\nnew\n\n<!-- end of generated -->\nb\n';
  expect(replaceBlock(marked, 'x', 'new')).toBe(made);
  expect(replaceBlock(made, 'x', 'new')).toBe(made);
  expect(() => replaceBlock(marked, 'y', 'new')).toThrow('no block `y`');
});
