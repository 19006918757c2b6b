// SPDX-License-Identifier: Apache-2.0
import fastify, { type FastifyInstance } from 'fastify';
import { redirectAliases } from './loopback-alias.ts';

const OWN = 'http://127.0.0.1:7480';
let server: FastifyInstance;
afterEach(() => server.close());

function serve(publicUrl: string | undefined): void {
  server = fastify();
  redirectAliases(server, publicUrl);
  server.all('/*', () => 'answered');
}
async function locationOf(path: string, host: string, method: 'GET' | 'HEAD' | 'POST' = 'GET'): Promise<unknown> {
  const { statusCode, headers } = await server.inject({ method, url: path, headers: { host } });
  return statusCode === 302 ? headers.location : statusCode;
}

it.each(['localhost:7480', 'LOCALHOST:7480', '[::1]:7480', '127.0.0.2:7480'])(
  'a person who opens a page at %s is sent to the host of the public URL',
  async (host) => {
    serve(OWN);
    for (const path of ['/console', '/console/approvals?a=b', '/sign-in', '/sign-in?to=%2Fconsole%2F', '/sign-in/key'])
      expect(await locationOf(path, host)).toBe(`${OWN}${path}`);
    expect(await locationOf('/console/', host, 'HEAD')).toBe(`${OWN}/console/`);
  },
);

it.each(['127.0.0.1:7480', '127.1:7480', 'localhost:7481', 'localhost', 'writ.example.org:7480', '', 'a b', '::1'])(
  'a request at `%s` stays where it is',
  async (host) => {
    serve(OWN);
    expect(await locationOf('/console/', host)).toBe(200);
  },
);

it('programs, forms and other pages stay at the name that they use', async () => {
  serve(OWN);
  for (const path of ['/v1/tools', '/consoles', '/sign-in-x', '/docs/', '/', '//console/'])
    expect(await locationOf(path, 'localhost:7480')).toBe(200);
  expect(await locationOf('/sign-in/key', 'localhost:7480', 'POST')).toBe(200);
});

it('a redirection leads to no other host, whatever the path says', async () => {
  serve(OWN);
  for (const path of [
    '/console//evil.example',
    '/console/%2f%2fevil.example',
    '/console/@evil.example',
    '/sign-in?//e',
  ])
    expect(new URL(String(await locationOf(path, 'localhost:7480'))).origin).toBe(OWN);
});

it.each([undefined, 'https://writ.example.org', 'https://localhost:7480', 'http://127.0.0.1:7480/writ'])(
  'with the public URL %s nobody is sent anywhere',
  async (publicUrl) => {
    serve(publicUrl);
    expect(await locationOf('/console/', 'localhost:7480')).toBe(200);
  },
);
