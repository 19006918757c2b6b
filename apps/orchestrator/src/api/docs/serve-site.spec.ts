// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Module, type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { withSite } from './serve-site.ts';

@Module({})
class Empty {}

let root: string;
let app: INestApplication;
const FILES = {
  'site/index.html': '<h1>Writ</h1>',
  'site/404.html': 'no such page',
  'site/adr/index.html': 'decisions',
  'site/errors/policy.denied.html': 'denied',
  'site/assets/app.12345678.js': 'go()',
  'site/secret.pem': 'a file of another kind',
  'secret.html': 'outside of the site',
};

const open = async (folder: string): Promise<void> => {
  app = await NestFactory.create(Empty, new FastifyAdapter(), { logger: false });
  const prepared: string[] = [];
  await withSite(
    { port: 0, prepare: (_app: INestApplication) => void prepared.push('the server') },
    join(root, folder),
  ).prepare(app);
  expect(prepared).toEqual(['the server']);
  await app.listen(0, '127.0.0.1');
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'writ-docs-'));
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  // Links out of the folder: to a file, and to a folder.
  symlinkSync(join(root, 'secret.html'), join(root, 'site/linked.html'));
  mkdirSync(join(root, 'elsewhere'));
  writeFileSync(join(root, 'elsewhere/page.html'), 'outside of the site');
  symlinkSync(join(root, 'elsewhere'), join(root, 'site/linked'));
});
afterEach(async () => {
  await app.close();
  rmSync(root, { recursive: true });
});

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Sends the path unchanged; `fetch` would resolve `..` first. */
const ask = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { port } = app.getHttpServer().address() as AddressInfo;
    request({ host: '127.0.0.1', port, path, headers, method }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    })
      .on('error', reject)
      .end();
  });

describe('with a site', () => {
  beforeEach(() => open('site'));

  test('`/docs` and folders redirect to their index pages', async () => {
    expect(await ask('/docs')).toMatchObject({ status: 302, headers: { location: '/docs/' } });
    expect(await ask('/docs/adr')).toMatchObject({ status: 302, headers: { location: '/docs/adr/' } });
    expect(await ask('/docs/?a=b')).toMatchObject({ status: 200, text: '<h1>Writ</h1>' });
    expect(await ask('/docs/adr/')).toMatchObject({ status: 200, text: 'decisions' });
  });

  test('a page is served under a policy that allows no script in it and nothing from elsewhere', async () => {
    const { status, headers, text } = await ask('/docs/errors/policy.denied.html');
    expect([status, text, headers['content-type']]).toEqual([200, 'denied', 'text/html; charset=utf-8']);
    expect(headers['content-security-policy']).toMatch(/default-src 'none'; script-src 'self'; style-src 'self'; /);
    expect(headers['cache-control']).toBe('no-cache');
  });

  test('a file with a hash in its name is cacheable for a year, and an unchanged page is not sent again', async () => {
    expect(await ask('/docs/assets/app.12345678.js')).toMatchObject({
      status: 200,
      text: 'go()',
      headers: {
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': expect.stringMatching('immutable'),
      },
    });
    const { headers } = await ask('/docs/');
    expect(await ask('/docs/', { 'if-none-match': String(headers['etag']) })).toMatchObject({ status: 304, text: '' });
    expect(await ask('/docs/', {}, 'HEAD')).toMatchObject({ status: 200, text: '' });
  });

  test.each([
    '/docs/../secret.html',
    '/docs/%2e%2e/secret.html',
    '/docs/..%2fsecret.html',
    '/docs/assets/../../secret.html',
    '/docs//secret.html',
    '/docs/%E0%A4%A',
    '/docs/secret.pem',
    '/docs/adr/index.html/',
    '/docs/__proto__',
    '/docs/linked.html',
    '/docs/linked/page.html',
  ])('%s is no page of the site', async (path) => {
    const { status, text } = await ask(path);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(text).not.toMatch(/outside|another kind|decisions/);
  });

  test("a missing page is answered with the site's 404 page", async () => {
    expect(await ask('/docs/gone.html')).toMatchObject({ status: 404, text: 'no such page' });
  });

  test('a file that a new build has removed is not there', async () => {
    rmSync(join(root, 'site/adr/index.html'));
    expect(await ask('/docs/adr/')).toMatchObject({ status: 404 });
  });
});

test('without a site `/docs` redirects to the pages of the API', async () => {
  await open('no-site');
  expect(await ask('/docs')).toMatchObject({ status: 302, headers: { location: '/docs/api' } });
  expect(await ask('/docs/')).toMatchObject({ status: 302, headers: { location: '/docs/api' } });
  expect(await ask('/docs/index.html')).toMatchObject({ status: 404 });
});
