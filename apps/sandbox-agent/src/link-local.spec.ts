// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { networkInterfaces } from 'node:os';
import { ipv6Interfaces, linkLocalNeighbours, neighbours } from './link-local.ts';

const IF_INET6 = `00000000000000000000000000000001 01 80 10 80       lo
fe800000000000001c4b03fffeaabb02 02 40 20 80     eth0
`;
const ARP = `IP address       HW type     Flags       HW address            Mask     Device
10.244.0.1       0x1         0x2         1e:4b:03:aa:bb:01     *        eth0
10.244.0.9       0x1         0x0         00:00:00:00:00:00     *        eth0
10.9.0.1         0x1         0x2         02:00:00:00:00:01     *        eth1
`;

test('ipv6Interfaces returns the interfaces of the table except loopback', () => {
  expect(ipv6Interfaces(IF_INET6)).toEqual({ names: new Set(['eth0']), isTentative: false });
  expect(ipv6Interfaces(IF_INET6.replace('20 80     eth0', '20 c0     eth0'))).toMatchObject({ isTentative: true });
  expect(ipv6Interfaces('')).toEqual({ names: new Set(), isTentative: false });
});

test('neighbours returns those with a known link address on interfaces with IPv6', () => {
  expect(neighbours(ARP, new Set(['eth0']))).toEqual([
    { text: '[fe80::1c4b:3ff:feaa:bb01%eth0]:1', host: 'fe80::1c4b:3ff:feaa:bb01%eth0', port: 1 },
  ]);
});

test('a container without IPv6, or with IPv6 on loopback only, has no neighbours', async () => {
  const read =
    (tables: Readonly<Record<string, string>>) =>
    async (path: string): Promise<string> => {
      const text = tables[path];
      if (text === undefined) throw new Error('ENOENT');
      return text;
    };
  expect(await linkLocalNeighbours(read({ '/proc/net/arp': ARP }))).toEqual({ addresses: [], isTentative: false });
  expect(
    await linkLocalNeighbours(read({ '/proc/net/if_inet6': IF_INET6.split('\n')[0] ?? '', '/proc/net/arp': ARP })),
  ).toMatchObject({ addresses: [] });
  expect(await linkLocalNeighbours(read({ '/proc/net/if_inet6': IF_INET6, '/proc/net/arp': ARP }))).toMatchObject({
    addresses: [{ port: 1 }],
    isTentative: false,
  });
});

test('every link address gives an address in fe80::/64 with ff:fe in the middle of its interface id', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 6, maxLength: 6 }), (bytes) => {
      const mac = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(':');
      const [{ host = '' } = {}] = neighbours(`header\n10.0.0.1 0x1 0x2 ${mac} * eth0\n`, new Set(['eth0']));
      const groups = host
        .replace('fe80::', '')
        .replace('%eth0', '')
        .split(':')
        .map((group) => group.padStart(4, '0'))
        .join('');
      const expected = bytes.map((byte, index) => (index === 0 ? byte ^ 2 : byte).toString(16).padStart(2, '0'));
      expect(groups).toBe([...expected.slice(0, 3), 'ff', 'fe', ...expected.slice(3)].join(''));
    }),
  );
});

test("the derived addresses equal those of this machine's interfaces that use EUI-64", () => {
  for (const entries of Object.values(networkInterfaces())) {
    const own = entries?.find(({ address, internal }) => !internal && /^fe80::.*ff:fe/.test(address));
    if (own === undefined) continue;
    expect(neighbours(`header\n10.0.0.1 0x1 0x2 ${own.mac} * eth0\n`, new Set(['eth0']))[0]?.host).toBe(
      `${own.address}%eth0`,
    );
  }
});
