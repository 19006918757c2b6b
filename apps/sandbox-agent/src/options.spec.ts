// SPDX-License-Identifier: Apache-2.0
import { parseOptions } from './options.ts';

test('without arguments all options are off', () => {
  expect(parseOptions([])).toEqual({ waitsForGreeting: false, reportsUsage: false, refusedAt: [] });
});

test('addresses of IPv4 and IPv6 are parsed', () => {
  expect(
    parseOptions(['--wait-for-greeting', '--tell-usage', '--refused-at=10.0.0.1:443', '--refused-at=[fd00::1]:6443']),
  ).toEqual({
    waitsForGreeting: true,
    reportsUsage: true,
    refusedAt: [
      { text: '10.0.0.1:443', host: '10.0.0.1', port: 443 },
      { text: '[fd00::1]:6443', host: 'fd00::1', port: 6443 },
    ],
  });
});

test.each(['--refused-at=example.com:443', '--refused-at=10.0.0.1', '--refused-at=', '--other', '--tell-usage=1', 'x'])(
  'an unknown or malformed argument is refused: `%s`',
  (arg) => {
    expect(() => parseOptions([arg])).toThrow(
      arg.startsWith('--refused-at') ? 'takes `IP:port`' : `no option \`${arg}\``,
    );
  },
);
