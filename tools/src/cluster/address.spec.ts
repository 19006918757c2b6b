// SPDX-License-Identifier: Apache-2.0
import { chooseAddresses, parseAddresses } from './address.ts';

test('the first network without an interface is chosen', () => {
  expect(chooseAddresses(['127.0.0.1', '192.168.1.7'])).toEqual({ host: '10.213.0.1', node: '10.213.0.2' });
  expect(chooseAddresses(['10.213.0.1', '10.213.2.1'])).toEqual({ host: '10.213.1.1', node: '10.213.1.2' });
});

test('a machine without a free network gets an error with advice', () => {
  const used = Array.from({ length: 64 }, (_, index) => `10.213.${index}.1`);
  expect(() => chooseAddresses(used)).toThrow('all networks from 10.213.0.0 to 10.213.63.0 are in use');
});

test('addresses are parsed from the output of ip, also for interfaces without any', () => {
  const lo = '{"ifname":"lo","addr_info":[{"family":"inet","local":"127.0.0.1"}]}';
  expect(parseAddresses(`[${lo},{},{"addr_info":[{"local":"10.0.0.5"},{"local":"10.0.0.6"}]}]`)).toEqual([
    '127.0.0.1',
    '10.0.0.5',
    '10.0.0.6',
  ]);
});
