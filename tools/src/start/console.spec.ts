// SPDX-License-Identifier: Apache-2.0
import { consoleSettings } from './console.ts';

test('people reach the console on this machine with an API key, unless settings say otherwise', () => {
  expect(consoleSettings({}, 7481)).toEqual({ WRIT_PUBLIC_URL: 'http://127.0.0.1:7481', WRIT_KEY_SESSIONS: 'true' });
  expect(consoleSettings({ WRIT_PUBLIC_URL: '', WRIT_KEY_SESSIONS: '' }, 7481)).toEqual(consoleSettings({}, 7481));
  const own = { WRIT_PUBLIC_URL: 'https://writ.example.org', WRIT_KEY_SESSIONS: 'false' };
  expect(consoleSettings(own, 7481)).toEqual(own);
});
