// SPDX-License-Identifier: Apache-2.0
import { parseAllowedHosts } from './allowed-hosts.ts';
import { EgressGate } from './egress-gate.ts';

const PUBLIC = '93.184.216.34';
const gateFor = (addresses: readonly string[], allowed = '') => {
  const asked: string[] = [];
  const gate = new EgressGate(parseAllowedHosts(allowed), async (name) => {
    asked.push(name);
    if (addresses.length === 0) throw new Error('ENOTFOUND');
    return addresses;
  });
  return { gate, asked };
};

it('pins a name to the checked address, and resolves it once', async () => {
  const { gate, asked } = gateFor([PUBLIC, '2606:4700::1111']);
  expect(await gate.pin('https://hooks.test/x')).toMatchObject({
    address: PUBLIC,
    url: expect.objectContaining({ href: 'https://hooks.test/x' }) as URL,
  });
  expect(asked).toEqual(['hooks.test']);
});

it.each(['127.0.0.1', '10.0.0.8', '169.254.169.254', '::1', '::ffff:10.0.0.8', 'fd00::1', '64:ff9b::a00:8'])(
  'refuses a name that leads to %s, alone or beside a public address',
  async (address) => {
    for (const addresses of [[address], [PUBLIC, address], [address, PUBLIC]]) {
      await expect(gateFor(addresses).gate.pin('https://hooks.test/')).rejects.toMatchObject({
        code: 'address.refused',
        message: expect.not.stringContaining(address) as string,
      });
    }
  },
);

it.each([
  'https://127.0.0.1/',
  'https://2130706433/',
  'https://[::ffff:7f00:1]/',
  'http://hooks.test/',
  'file:///etc/passwd',
  'https://a:b@hooks.test/',
])('refuses %s without asking anybody', async (url) => {
  const { gate, asked } = gateFor([PUBLIC]);
  await expect(gate.pin(url)).rejects.toMatchObject({ code: 'url.refused' });
  expect(asked).toEqual([]);
});

it('an allowed host is reached whatever its address, on that port only', async () => {
  const { gate } = gateFor(['127.0.0.1'], 'hooks.test:8080,127.0.0.1:9');
  expect((await gate.pin('http://hooks.test:8080/')).address).toBe('127.0.0.1');
  expect((await gate.pin('https://hooks.test:8080/')).address).toBe('127.0.0.1');
  expect((await gate.pin('http://127.0.0.1:9/')).address).toBe('127.0.0.1');
  await expect(gate.pin('https://hooks.test/')).rejects.toMatchObject({ code: 'address.refused' });
  await expect(gate.pin('http://127.0.0.1:10/')).rejects.toMatchObject({ code: 'url.refused' });
});

it('a host is pinned to its checked address for another protocol, as a URL is', async () => {
  const { gate } = gateFor([PUBLIC], 'mail.internal:25');
  expect(await gate.pinHost('mail.test', 465)).toMatchObject({ address: PUBLIC, url: { host: 'mail.test:465' } });
  expect((await gateFor(['10.0.0.8'], 'mail.internal:25').gate.pinHost('mail.internal', 25)).address).toBe('10.0.0.8');
  await expect(gateFor(['10.0.0.8']).gate.pinHost('mail.test', 465)).rejects.toMatchObject({ code: 'address.refused' });
  await expect(gate.pinHost('127.0.0.1', 25)).rejects.toMatchObject({ code: 'url.refused' });
  await expect(gate.pinHost('a.test/x?y', 25)).rejects.toMatchObject({ code: 'url.refused' });
  expect(['mail.internal:25', 'mail.internal:465'].map((at) => gate.allows(new URL(`https://${at}`)))).toEqual([
    true,
    false,
  ]);
});

it('a name without an address is refused', async () => {
  await expect(gateFor([]).gate.pin('https://hooks.test/')).rejects.toMatchObject({ code: 'host.unknown' });
  await expect(new EgressGate(new Set(), () => Promise.resolve([])).pin('https://hooks.test/')).rejects.toMatchObject({
    code: 'host.unknown',
  });
});
