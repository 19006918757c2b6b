// SPDX-License-Identifier: Apache-2.0
import { openForward, parseForward } from './forward.ts';

const ENV = { PATH: process.env['PATH'] ?? '' };

test.each([
  ['Forwarding from 127.0.0.1:40123 -> 7480', 40_123],
  ['Forwarding from [::1]:40123 -> 7480', undefined],
  ['Handling connection for 40123', undefined],
])('the port of `%s`', (line, port) => {
  expect(parseForward(line)).toBe(port);
});

test('a forward is open after its line was printed, and ends when it is closed', async () => {
  const program = 'echo "Forwarding from 127.0.0.1:4321 -> 80"; exec sleep 60';
  const forward = await openForward(['sh', '-c', program], ENV);
  expect(forward.url).toBe('http://127.0.0.1:4321');
  await forward.close();
});

test('a forward that ends reports the reason', async () => {
  const program = 'echo "error: no service writ-orchestrator" >&2; exit 1';
  await expect(openForward(['sh', '-c', program], ENV)).rejects.toMatchObject({
    message: 'the API could not be reached: `kubectl port-forward` ended',
    details: ['error: no service writ-orchestrator'],
  });
  await expect(openForward(['writ-no-such-program'], ENV)).rejects.toThrow('could not be reached');
});
