// SPDX-License-Identifier: Apache-2.0
// The documentation as a browser requests it from a running Writ. The pages themselves name the addresses.
import { request } from 'node:http';
import { vi } from 'vitest';
import { sharedStack } from '@writ/stack';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let url: string;
beforeAll(async () => {
  ({ url } = await sharedStack());
});

const addressesIn = (html: string): string[] =>
  [...html.matchAll(/\s(?:href|src)="(\/docs\/[^"#]*)"/g)].map(([, address = '']) => address);

/** Sends a path unchanged, without a key: `fetch` would resolve `..`. */
const statusOf = (path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    request({ hostname, port, path }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });

test('`/docs` is the front page of the documentation, for anybody', async () => {
  const answer = await fetch(`${url}/docs`);
  expect([answer.status, new URL(answer.url).pathname]).toEqual([200, '/docs/']);
  expect(/<title>([^<]*)<\/title>/.exec(await answer.text())?.[1]).toMatch(/(?:^| \| )Writ$/);
});

test('every script, style and page that the front page links exists', async () => {
  const addresses = [...new Set(addressesIn(await (await fetch(`${url}/docs/`)).text()))];
  expect(addresses.filter((address) => address.endsWith('.html')).length).toBeGreaterThan(3);
  expect(addresses.filter((address) => /\.(?:js|css)$/.test(address)).length).toBeGreaterThan(3);
  for (const address of addresses) expect([address, (await fetch(`${url}${address}`)).status]).toEqual([address, 200]);
});

test('a page has no inline script, and loads nothing from other hosts', async () => {
  const answer = await fetch(`${url}/docs/adr/`);
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'; ");
  const html = await answer.text();
  expect(html).not.toMatch(/<script(?![^>]*\ssrc="\/docs\/)/);
  expect(html).not.toMatch(/<(?:script|link|img)[^>]*\s(?:src|href)="(?:https?:)?\/\//);
  expect(html).not.toMatch(/<style|\son[a-z]+="/);
});

test('the API reference is served beside the documentation', async () => {
  for (const address of ['/docs/api', '/docs/api/']) {
    const answer = await fetch(`${url}${address}`);
    expect([answer.status, (await answer.text()).includes('<title>Writ API</title>')]).toEqual([200, true]);
  }
});

test("no path escapes the documentation's folder", async () => {
  for (const path of ['/docs/../docs.json', '/docs/..%2fdocs.json', '/docs/%2e%2e/services/orchestrator/main.js'])
    expect([path, await statusOf(path)]).toEqual([path, 404]);
});
