// SPDX-License-Identifier: Apache-2.0
import { parseAllowedHosts } from './allowed-hosts.ts';
import { parseWebhookUrl } from './webhook-url.ts';

const allowed = parseAllowedHosts('127.0.0.1:8080, hooks.internal:443,[::1]:80');

test.each([
  'http://example.com/',
  'ftp://example.com/',
  'javascript:alert(1)',
  'example.com',
  '',
  `https://example.com/${'a'.repeat(2_048)}`,
  'https://user:pw@example.com/',
  'https://user@example.com/',
  'https://example.com/#x',
  'https://127.0.0.1/',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0177.0.0.1/',
  'https://0/',
  'https://[::1]/',
  'https://[::ffff:7f00:1]/',
  'https://[::ffff:127.0.0.1]:8443/',
  'https://169.254.169.254/latest/meta-data',
  'https://10.0.0.1/',
  'https://①②⑦.⓪.⓪.①/',
  'http://127.0.0.1:8081/',
  'http://localhost:8080/',
  'http://hooks.internal/',
])('%s is refused', (text) => {
  expect(() => parseWebhookUrl(text, allowed)).toThrow(/^the webhook's `url` is refused: /);
});

test.each([
  ['https://example.com/hooks?x=1', 'https://example.com/hooks?x=1'],
  ['https://EXAMPLE.com:443', 'https://example.com/'],
  ['https://example.com:8443/', 'https://example.com:8443/'],
  ['https://8.8.8.8/', 'https://8.8.8.8/'],
  ['http://127.0.0.1:8080/x', 'http://127.0.0.1:8080/x'],
  ['https://127.0.0.1:8080/', 'https://127.0.0.1:8080/'],
  ['http://0x7f.1:8080/', 'http://127.0.0.1:8080/'],
  ['https://hooks.internal/', 'https://hooks.internal/'],
  ['http://[::1]/', 'http://[::1]/'],
])('%s is taken as %s', (text, href) => {
  expect(parseWebhookUrl(text, allowed).href).toBe(href);
});

test.each(['localhost', 'host:port', 'http://host:80', 'host:80/path', 'a b:80', 'user@host:80'])(
  'a list of places that holds `%s` is refused',
  (text) => {
    expect(() => parseAllowedHosts(`127.0.0.1:80,${text}`)).toThrow('is no `host:port`');
    expect(parseAllowedHosts(' ')).toEqual(new Set());
  },
);
