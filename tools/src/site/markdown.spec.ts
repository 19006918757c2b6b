// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createMarkdownRenderer, disposeMdItInstance } from 'vitepress';
import { anchorsOf } from '../docs/prose.ts';
import { moveScripts } from './configuration.ts';
import { adaptMarkdown, slugify } from './markdown.ts';
import { findPages } from './pages.ts';
import { readSettings } from './settings.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'writ-markdown-'));
  for (const path of [
    'README.md',
    'docs/README.md',
    'docs/how-to/policy.md',
    'docs/adr/README.md',
    'docker/Dockerfile',
  ]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), '# Title\n');
  }
});
afterEach(() => {
  // VitePress reuses one renderer.
  disposeMdItInstance();
  rmSync(root, { recursive: true });
});

const render = async (text: string, repository?: string): Promise<string> => {
  const settings = { checkout: root, pages: findPages(root), repository };
  const options = { attrs: { disable: true }, anchor: { slugify }, config: adaptMarkdown(settings) };
  const renderer = await createMarkdownRenderer(root, options, '/docs/');
  return renderer.render(text, { path: join(root, 'docs/how-to/page.md'), relativePath: 'how-to/page.md' });
};

test('a link to a document leads to its page with its anchor, at any path of the site', async () => {
  const html = await render(
    '[a](policy.md#b) [c](../adr/README.md) [d](../adr/) [e](../../README.md) [f](../README.md)',
  );
  expect([...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
    '/docs/how-to/policy.html#b',
    '/docs/adr/',
    '/docs/adr/',
    '/docs/project/readme.html',
    '/docs/',
  ]);
});

test('a link to a source becomes its path in code without a repository', async () => {
  expect(await render('See [the **image**](../../docker/Dockerfile).')).toContain(
    'See the <strong>image</strong> (<code>docker/Dockerfile</code>).',
  );
  expect(await render('See [`docker/Dockerfile`](../../docker/Dockerfile).')).toContain(
    'See <code>docker/Dockerfile</code>.',
  );
});

test('a link to a source leads to the configured repository', async () => {
  expect(await render('[it](../../docker/Dockerfile#L1)', 'https://git.example.org/writ/blob/main/')).toContain(
    'href="https://git.example.org/writ/blob/main/docker/Dockerfile#L1"',
  );
});

test('a link to a missing file is kept, so that the check of dead links finds it', async () => {
  expect(await render('[it](gone.md)', 'https://git.example.org/')).toContain('href="./gone.html"');
});

test('braces, placeholders and names in colons are text', async () => {
  const html = await render('{{ a }} `{{ b }}` <name> :tada: x{.y}\n\n<!-- note --><a id="z"></a>\n');
  expect(html).toContain('&#123;&#123; a }}');
  expect(html).toContain('<code>&#123;&#123; b }}</code> &lt;name&gt; :tada: x{.y}');
  expect(html).toContain('<!-- note --><a id="z"></a>');
  expect(await render('# Title')).not.toContain('&amp;');
});

test('a Mermaid block is drawn, and other code keeps its frame', async () => {
  const html = await render('```mermaid\nflowchart LR\n  a[one] --> b[two]\n```\n\n```sh\necho\n```\n');
  expect(html).toMatch(/<div class="diagram"><svg [^]*one[^]*two[^]*<\/svg><\/div>/);
  expect(html).not.toContain('flowchart');
  expect(html).toContain('class="language-sh ');
});

test("anchors are equal to the repository's", async () => {
  const text = '# A title: `x_y`, again\n## Twice\n## Twice\n## 1. Über `a.b`\n';
  const html = await render(text);
  expect([...html.matchAll(/<h\d id="([^"]*)"/g)].map(([, id]) => id)).toEqual([...anchorsOf(text)]);
});

test('inline scripts of a page are moved to files, and equal ones to one file', () => {
  const files = new Map<string, string>();
  const page = '<script id="a">one()</script><script type="module" src="/x.js"></script><script>one()</script>';
  const moved = moveScripts(page, '/docs/', (name, text) => files.set(name, text));
  expect(files.size).toBe(1);
  const [[name, text] = []] = files;
  expect(text).toBe('one()');
  expect(moved).toBe(
    `<script src="/docs/${name}"></script><script type="module" src="/x.js"></script><script src="/docs/${name}"></script>`,
  );
});

test('an invalid base or repository is refused by its name', () => {
  expect(() => readSettings('/x', { WRIT_DOCS_BASE: 'docs' })).toThrow('WRIT_DOCS_BASE');
  expect(() => readSettings('/x', { WRIT_DOCS_REPOSITORY: 'https://git.example.org/writ' })).toThrow(
    'WRIT_DOCS_REPOSITORY',
  );
  expect(readSettings('/x', {})).toEqual({ base: '/docs/', repository: undefined, outDir: '/x/dist/docs' });
});
