// SPDX-License-Identifier: Apache-2.0
import { McpOrigins, parseHostNames } from './mcp-origins.ts';

const accepts = (origins: McpOrigins, host: string | undefined, origin?: string): boolean => {
  try {
    origins.verify(host, origin);
    return true;
  } catch {
    return false;
  }
};

test.each(['127.0.0.1', 'localhost', '::1', '127.0.0.2'])(
  'an API on the loopback address %s accepts its names, and none that was rebound to it',
  (listens) => {
    const origins = new McpOrigins(listens, '');
    for (const host of ['localhost:7480', '127.0.0.1:7480', '[::1]:7480', 'LOCALHOST'])
      expect(accepts(origins, host), host).toBe(true);
    for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example:7480', '', undefined])
      expect(accepts(origins, host), host).toBe(false);
    expect(accepts(origins, 'localhost:7480', 'http://127.0.0.1:3000')).toBe(true);
    for (const origin of ['http://evil.example', 'null', '', 'http://localhost@evil.example', 'file://'])
      expect(accepts(origins, 'localhost:7480', origin), origin).toBe(false);
  },
);

test('an API on another address accepts every name, and only origins of the same name', () => {
  const origins = new McpOrigins('0.0.0.0', '');
  expect(accepts(origins, 'writ.example:7480')).toBe(true);
  expect(accepts(origins, 'writ.example:7480', 'https://writ.example')).toBe(true);
  for (const origin of ['https://evil.example', 'https://writ.example.evil.example', 'null'])
    expect(accepts(origins, 'writ.example', origin), origin).toBe(false);
});

test('names that are configured are the only ones, on a loopback address too', () => {
  for (const listens of ['127.0.0.1', '0.0.0.0']) {
    const origins = new McpOrigins(listens, ' Writ.example, [::1] ,');
    expect(accepts(origins, 'writ.EXAMPLE:443', 'https://writ.example')).toBe(true);
    expect(accepts(origins, '[::1]:7480')).toBe(true);
    expect(accepts(origins, 'localhost:7480')).toBe(false);
    expect(accepts(origins, 'writ.example', 'https://other.example')).toBe(false);
  }
});

test('names that are configured have no scheme, port or path', () => {
  expect(parseHostNames(' Writ.example,[::1],127.0.0.1 ,')).toEqual(['writ.example', '[::1]', '127.0.0.1']);
  for (const wrong of [
    'https://writ.example',
    'writ.example:443',
    'writ.example/',
    '::1',
    'a b',
    'user@writ.example',
    '*',
  ])
    expect(() => parseHostNames(`a.example,${wrong}`), wrong).toThrow('is no name of a host');
});
