// SPDX-License-Identifier: Apache-2.0
import { text } from 'node:stream/consumers';
import { parsePrivateEndpoints, parseUrl } from '@writ/egress';
import { ExternalHosts } from '../specs/external-hosts.ts';
import type { CallGate } from './call-gate.ts';
import { exchange } from './exchange.ts';
import { openOwnGate } from './own-gate.ts';

let outside: ExternalHosts;
let gate: CallGate;
let ending: AbortController;
beforeEach(async () => {
  outside = await ExternalHosts.open();
  ending = new AbortController();
  gate = openOwnGate({
    rules: [
      { domain: 'a.outside.example', methods: ['POST'], ports: [80] },
      { domain: 'inside.example', methods: ['POST'], ports: [80] },
    ],
    privateEndpoints: parsePrivateEndpoints('inside.example'),
    bytesMax: 2_000,
    requestsMax: 3,
    ports: outside.ports,
    signal: ending.signal,
  });
});
afterEach(async () => {
  gate.close();
  await outside.close();
});

const NOT_IN_RULES = { code: 'token.scope' };
const REFUSED = { code: 'egress.refused' };
const send = async (url: string, method = 'POST', body = ''): Promise<string> => {
  const target = parseUrl(url);
  const admitted = await gate.admit(method, target, '');
  return await text(await exchange(admitted, { method, target, headers: [], body: Buffer.from(body) }));
};

describe('a gate of work that belongs to no call', () => {
  it('lets what its rules say leave, and nothing else', async () => {
    expect(await send('http://a.outside.example/')).toBe('hello from outside');
    await expect(send('http://a.outside.example/', 'DELETE')).rejects.toMatchObject(NOT_IN_RULES);
    await expect(send('http://b.outside.example/')).rejects.toMatchObject(NOT_IN_RULES);
    expect(outside.received).toHaveLength(1);
  });

  it('reaches private addresses at the endpoints that it may alone', async () => {
    outside.addressesOf = () => ['10.0.0.1'];
    expect(await send('http://inside.example/')).toBe('hello from outside');
    await expect(send('http://a.outside.example/')).rejects.toMatchObject(REFUSED);
  });

  it('bounds requests and bytes', async () => {
    const exceeded = { code: 'limit.exceeded' };
    await send('http://a.outside.example/');
    await expect(send('http://a.outside.example/', 'POST', 'x'.repeat(3_000))).rejects.toMatchObject(exceeded);
    await send('http://a.outside.example/');
    await expect(send('http://a.outside.example/')).rejects.toMatchObject(exceeded);
  });

  it('closes its connections and admits nothing more when its work ends', async () => {
    const { connection } = await gate.admit('POST', parseUrl('http://a.outside.example/'), '');
    const closed = new Promise((resolve) => connection.once('close', resolve));
    ending.abort();
    await closed;
    await expect(send('http://a.outside.example/')).rejects.toMatchObject(REFUSED);
  });
});
