// SPDX-License-Identifier: Apache-2.0
import { parseOptions } from './options.ts';

test('an agent that is asked for nothing does nothing more than it always did', () => {
  expect(parseOptions([])).toEqual({ waitsForGreeting: false, tellsUsage: false, refusedAt: [] });
});

test('addresses are read in both families', () => {
  expect(
    parseOptions(['--wait-for-greeting', '--tell-usage', '--refused-at=10.0.0.1:443', '--refused-at=[fd00::1]:6443']),
  ).toEqual({
    waitsForGreeting: true,
    tellsUsage: true,
    refusedAt: [
      { text: '10.0.0.1:443', host: '10.0.0.1', port: 443 },
      { text: '[fd00::1]:6443', host: 'fd00::1', port: 6443 },
    ],
  });
});

test.each(['--refused-at=example.com:443', '--refused-at=10.0.0.1', '--refused-at=', '--other', '--tell-usage=1', 'x'])(
  'an agent that does not understand `%s` does not start',
  (arg) => {
    expect(() => parseOptions([arg])).toThrow(
      arg.startsWith('--refused-at') ? 'takes `IP:port`' : `no option \`${arg}\``,
    );
  },
);
