// SPDX-License-Identifier: Apache-2.0 Verification of receivers by real TLS, with a certificate authority of this test
// run. A receiver without a valid certificate gets no message.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import {
  newCertificateAuthority,
  startTunnelProxy,
  type CertificateAuthority,
  type CertificateOptions,
} from '@writ/testing';
import { EgressGate } from '../../edge/outbound/egress-gate.ts';
import { postMessage } from './post-message.ts';

const HOST = 'hooks.example';
const HOUR_MS = 3_600_000;

let authority: CertificateAuthority;
let servers: { close: () => Promise<void> }[] = [];
const usual = getCACertificates('default');
beforeAll(async () => {
  authority = await newCertificateAuthority();
});
afterEach(async () => {
  setDefaultCACertificates(usual);
  for (const each of servers) await each.close();
  servers = [];
});

/** A receiver on loopback with a certificate for these names. */
async function receiver(
  names: Parameters<CertificateAuthority['issue']>[0],
  options: CertificateOptions = {},
  by = authority,
) {
  const heard: string[] = [];
  const server = createServer(await by.issue(names, options), (request, response) => {
    heard.push(request.url ?? '');
    response.writeHead(204).end();
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push({
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
  return { heard, port: (server.address() as AddressInfo).port };
}
/** Posts to the receiver as a webhook at that name is posted to. */
async function post(port: number, host = HOST) {
  const gate = new EgressGate(new Set([`${host}:${port}`]), () => Promise.resolve(['127.0.0.1']));
  return await postMessage(await gate.pin(`https://${host}:${port}/hook`), {}, '{}', AbortSignal.timeout(5_000));
}
const trust = (): void => setDefaultCACertificates([...usual, authority.cert]);
const REFUSED = { code: 'connect.failed' };

it('a receiver with a trusted certificate for its name gets the message', async () => {
  const { heard, port } = await receiver([{ type: 'dns', value: HOST }]);
  trust();
  expect(await post(port)).toMatchObject({ status: 204 });
  expect(heard).toEqual(['/hook']);
});

it('a receiver with an IP address in its URL needs a certificate for that address', async () => {
  const { heard, port } = await receiver([{ type: 'ip', value: '127.0.0.1' }]);
  trust();
  expect(await post(port, '127.0.0.1')).toMatchObject({ status: 204 });
  expect(heard).toEqual(['/hook']);
});

it.each<[string, Parameters<CertificateAuthority['issue']>[0], CertificateOptions, string]>([
  ['of another name', [{ type: 'dns', value: 'hooks.example.org' }], {}, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['of a name above it', [{ type: 'dns', value: 'example' }], {}, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['of the address that the name leads to', [{ type: 'ip', value: '127.0.0.1' }], {}, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  [
    'that has expired',
    [{ type: 'dns', value: HOST }],
    { notAfter: new Date(Date.now() - HOUR_MS) },
    'CERT_HAS_EXPIRED',
  ],
  [
    "that isn't valid yet",
    [{ type: 'dns', value: HOST }],
    { notBefore: new Date(Date.now() + HOUR_MS) },
    'CERT_NOT_YET_VALID',
  ],
])('a receiver that shows a certificate %s hears nothing, whoever issued it', async (_what, names, options, why) => {
  const { heard, port } = await receiver(names, options);
  trust();
  await expect(post(port)).rejects.toMatchObject({ ...REFUSED, cause: { code: why } });
  expect(heard).toEqual([]);
});

it('a receiver with an untrusted certificate gets no message', async () => {
  const { heard, port } = await receiver([{ type: 'dns', value: HOST }]);
  await expect(post(port)).rejects.toMatchObject(REFUSED);
  const stranger = await receiver([{ type: 'dns', value: HOST }], {}, await newCertificateAuthority());
  trust();
  await expect(post(stranger.port)).rejects.toMatchObject(REFUSED);
  expect([heard, stranger.heard]).toEqual([[], []]);
});

it('a receiver behind a proxy gets the message through a tunnel, and is verified by its own certificate', async () => {
  const { heard, port } = await receiver([{ type: 'dns', value: HOST }]);
  const proxy = await startTunnelProxy({ leadsTo: (to) => (to === 'far.example:443' ? null : port) });
  servers.push({ close: () => proxy.stop() });
  trust();
  const outbound = { proxyFor: () => proxy.url, proxyResolves: true };
  const gate = new EgressGate(new Set(), () => Promise.reject(new Error('it was resolved here')), outbound);
  const send = async (url: string) => await postMessage(await gate.pin(url), {}, '{}', AbortSignal.timeout(5_000));
  expect(await send(`https://${HOST}/hook`)).toMatchObject({ status: 204 });
  await expect(send('https://other.example/hook')).rejects.toMatchObject({
    ...REFUSED,
    cause: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
  });
  await expect(send('https://far.example/hook')).rejects.toMatchObject(REFUSED);
  await expect(send('https://10.0.0.1/hook')).rejects.toMatchObject({ code: 'url.refused' });
  expect([heard, proxy.requested]).toEqual([['/hook'], [`${HOST}:443`, 'other.example:443', 'far.example:443']]);
});

it('an allowed host is reached without the proxy, and others at the checked address', async () => {
  const { heard, port } = await receiver([{ type: 'dns', value: HOST }]);
  const proxy = await startTunnelProxy({ leadsTo: () => port });
  servers.push({ close: () => proxy.stop() });
  trust();
  const outbound = { proxyFor: () => proxy.url, proxyResolves: false };
  const resolve = (name: string) => Promise.resolve([name === HOST ? '127.0.0.1' : '93.184.216.34']);
  const gate = new EgressGate(new Set([`${HOST}:${port}`]), resolve, outbound);
  expect(
    await postMessage(await gate.pin(`https://${HOST}:${port}/hook`), {}, '{}', AbortSignal.timeout(5_000)),
  ).toMatchObject({ status: 204 });
  expect([heard, proxy.requested]).toEqual([['/hook'], []]);
  await postMessage(await gate.pin('https://far.example/hook'), {}, '{}', AbortSignal.timeout(5_000)).catch(
    () => undefined,
  );
  expect(proxy.requested).toEqual(['93.184.216.34:443']);
});

it('a process with NODE_EXTRA_CA_CERTS delivers to receivers with certificates of that authority', async () => {
  const { heard, port } = await receiver([{ type: 'dns', value: HOST }]);
  const folder = mkdtempSync(join(tmpdir(), 'writ-ca-'));
  const file = join(folder, 'ca.pem');
  writeFileSync(file, authority.cert);
  const source = join(import.meta.dirname, 'post-message.ts');
  const program = `const { postMessage } = await import(${JSON.stringify(source)});
    const place = { url: new URL('https://${HOST}:${port}/hook'), address: '127.0.0.1', proxy: null };
    console.log(await postMessage(place, {}, '{}', AbortSignal.timeout(5000)).then(({ status }) => status, ({ code }) => code));`;
  const saidWith = async (env: Record<string, string>): Promise<string> =>
    (
      await promisify(execFile)(process.execPath, ['--conditions=@writ/source', '--input-type=module', '-e', program], {
        env,
      })
    ).stdout.trim();
  try {
    expect([await saidWith({}), await saidWith({ NODE_EXTRA_CA_CERTS: file })]).toEqual(['connect.failed', '204']);
    expect(heard).toEqual(['/hook']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
