// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { Module, type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import fc from 'fast-check';
import { HttpAdapter } from '../../edge/server/http-adapter.ts';
import { CONSOLE_HEADERS, TRUSTED_TYPES } from './console-headers.ts';
import { withConsole } from './serve-console.ts';

@Module({})
class Empty {}

const START = '<!doctype html><title>Writ</title>';
const SCRIPT = 'go()';
const OUTSIDE = 'outside of the console';
const FILES: Readonly<Record<string, string | Buffer>> = {
  'web/index.html': START,
  'web/index.html.br': brotliCompressSync(START),
  'web/index.html.gz': gzipSync(START),
  'web/assets/app-12345678.js': SCRIPT,
  'web/assets/app-12345678.js.gz': gzipSync(SCRIPT),
  'web/sw.js': 'worker',
  'web/manifest.webmanifest': '{}',
  'web/icon.svg': '<svg/>',
  'web/icon-192.png': 'png',
  'web/secret.pem': OUTSIDE,
  'secret.html': OUTSIDE,
  'elsewhere/page.html': OUTSIDE,
};

let root: string;
let app: INestApplication;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'writ-console-'));
  for (const [path, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  symlinkSync(join(root, 'secret.html'), join(root, 'web/linked.html'));
  symlinkSync(join(root, 'elsewhere'), join(root, 'web/linked'));
});
afterAll(() => rmSync(root, { recursive: true }));
beforeEach(() => open('web'));
afterEach(() => app.close());

async function open(folder: string, isEnabled = true): Promise<void> {
  app = await NestFactory.create(Empty, new HttpAdapter(() => []), { logger: false });
  await withConsole({ prepare: (_app: INestApplication) => undefined }, isEnabled, join(root, folder)).prepare(app);
  await app.listen(0, '127.0.0.1');
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  readonly text: string;
}

/** Sends the path unchanged; `fetch` would resolve `..` first. */
const ask = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { port } = app.getHttpServer().address() as AddressInfo;
    request({ host: '127.0.0.1', port, path, headers, method }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () => {
        const body = Buffer.concat(parts);
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body, text: body.toString('utf8') });
      });
    })
      .on('error', reject)
      .end();
  });

it('`/console` redirects to `/console/`, which is the start page', async () => {
  expect(await ask('/console')).toMatchObject({ status: 302, headers: { location: '/console/' } });
  for (const path of ['/console/', '/console/?a=b', '/console/index.html'])
    expect(await ask(path)).toMatchObject({ status: 200, text: START });
});

it.each([
  '/console/operations',
  '/console/operations/op_01kdvq8qfwe9gr4v9m1h7e3x2z/',
  '/console/tools/sandbox.exec',
  '/console/agents?after=x.js',
  '/console/people/Bj%C3%B6rk',
])('%s is a place in the console: the start page', async (path) => {
  const { status, text, headers } = await ask(path);
  expect([status, text, headers['content-type']]).toEqual([200, START, 'text/html; charset=utf-8']);
});

it.each([
  '/console/gone.js',
  '/console/assets/gone',
  '/console/operations/x.css',
  '/console/secret.html',
  '/console/index.html.br',
  '/console/linked.html',
  '/console/linked/page.html',
  '/console/../secret.html',
  '/console/%2e%2e/secret',
  '/console/..%5csecret',
  '/console/a%01b',
])('%s is not there', async (path) => {
  const { status, text } = await ask(path);
  expect([status, text.includes(OUTSIDE)]).toEqual([404, false]);
});

/** Parts that leave a folder where a path is joined, decoded twice or cut at a NUL. */
const part = fc.constantFrom(
  ...['..', '.', '', '%2e%2e', '%2E.', '%252e%252e', '..%2f', '..%5c', '\\..', '%00', '%c0%ae%c0%ae', '..;', '%'],
  ...['web', 'secret.html', 'secret.pem', 'linked', 'linked.html', 'page.html', 'assets', '__proto__', 'constructor'],
  ...['index.html', '/etc/passwd', 'C:', '%2fetc%2fpasswd', 'secret.html%00.js', 'secret.pem%2f'],
);
it('no path below `/console/` reads a file that is not listed', async () => {
  const served = new Set([START, 'worker', '{}', '<svg/>', 'png', SCRIPT]);
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 6 }), async (parts) => {
      const { status, text } = await ask(`/console/${parts.join('/')}`);
      expect(text).not.toContain(OUTSIDE);
      expect(status === 200 ? served.has(text) : status >= 400 && status < 500).toBe(true);
    }),
    { numRuns: 400 },
  );
});

it('each file has the headers of the console, and its own type and lifetime', async () => {
  const year = 'public, max-age=31536000, immutable';
  for (const [path, type, lifetime] of [
    ['/console/', 'text/html; charset=utf-8', 'no-cache'],
    ['/console/sw.js', 'text/javascript; charset=utf-8', 'no-cache'],
    ['/console/manifest.webmanifest', 'application/manifest+json; charset=utf-8', 'no-cache'],
    ['/console/icon.svg', 'image/svg+xml', 'no-cache'],
    ['/console/icon-192.png', 'image/png', 'no-cache'],
    ['/console/assets/app-12345678.js', 'text/javascript; charset=utf-8', year],
  ] as const) {
    const { headers } = await ask(path);
    expect(headers).toMatchObject({ ...CONSOLE_HEADERS, 'content-type': type, 'cache-control': lifetime });
  }
});

it('the headers bound what a mistake in the console can do', () => {
  expect(CONSOLE_HEADERS).toEqual({
    'content-security-policy':
      "default-src 'none'; script-src 'self'; " +
      "style-src 'self' 'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o='; style-src-attr 'none'; " +
      "img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; " +
      "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; " +
      `require-trusted-types-for 'script'; trusted-types ${TRUSTED_TYPES.join(' ') || "'none'"}`,
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': expect.stringMatching(/camera=\(\).*geolocation=\(\).*microphone=\(\).*usb=\(\)/),
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'x-robots-tag': 'noindex',
  });
  expect(Object.values(CONSOLE_HEADERS).join()).not.toMatch(/unsafe|\*|wasm/);
  expect(TRUSTED_TYPES.filter((name) => name !== 'writ-worker')).toEqual([]);
});

it.each<[string, string | null, (body: Buffer) => Buffer]>([
  ['br, gzip', 'br', brotliDecompressSync],
  ['gzip, deflate, br;q=0.1', 'br', brotliDecompressSync],
  ['GZIP', 'gzip', gunzipSync],
  ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
  ['*', 'br', brotliDecompressSync],
  ['br;q=0, *;q=0', null, (body) => body],
  ['identity', null, (body) => body],
  ['', null, (body) => body],
])('a client that accepts `%s` gets the content as %s', async (accepted, encoding, decode) => {
  const { headers, body } = await ask('/console/', { 'accept-encoding': accepted });
  expect([headers['content-encoding'] ?? null, headers['vary']]).toEqual([encoding, 'Accept-Encoding']);
  expect(decode(body).toString('utf8')).toBe(START);
});

it('an encoding without its file, and a file without encodings, are sent as they are', async () => {
  const script = await ask('/console/assets/app-12345678.js', { 'accept-encoding': 'br' });
  expect([script.text, script.headers['content-encoding']]).toEqual([SCRIPT, undefined]);
  expect((await ask('/console/sw.js', { 'accept-encoding': 'br' })).headers['vary']).toBeUndefined();
});

it('unchanged content is not sent again, and each encoding has a tag of its own', async () => {
  const tags = new Set<string>();
  for (const accepted of ['br', 'gzip', 'identity']) {
    const tag = String((await ask('/console/', { 'accept-encoding': accepted })).headers['etag']);
    expect(tag).toMatch(/^"[A-Za-z0-9_-]{43}"$/);
    tags.add(tag);
    const again = await ask('/console/', { 'accept-encoding': accepted, 'if-none-match': `"x", W/${tag}` });
    expect([again.status, again.text, again.headers['etag']]).toEqual([304, '', tag]);
  }
  expect(tags.size).toBe(3);
  expect((await ask('/console/', { 'if-none-match': '"x"' })).status).toBe(200);
});

it('HEAD is answered as GET, without the content', async () => {
  const [head, get] = [await ask('/console/', {}, 'HEAD'), await ask('/console/')];
  expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', get.headers['content-length']]);
  expect(head.headers['content-security-policy']).toBe(get.headers['content-security-policy']);
});

it('other methods than GET and HEAD are not there', async () => {
  for (const method of ['POST', 'PUT', 'DELETE']) expect((await ask('/console/', {}, method)).status).toBe(404);
});

it('a console that is not built, or is turned off, is not there', async () => {
  await app.close();
  await open('no-console');
  const { status, text } = await ask('/console/operations');
  expect([status, text]).toEqual([404, expect.stringContaining('The console is not built')]);
  await app.close();
  await open('web', false);
  for (const path of ['/console', '/console/', '/console/sw.js']) expect((await ask(path)).status).toBe(404);
});
