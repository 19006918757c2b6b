// SPDX-License-Identifier: Apache-2.0
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findGo, parseGoVersion } from './toolchain.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'writ-go-'));
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

const fakeGo = (line: string): void => {
  writeFileSync(join(dir, 'go'), `#!/bin/sh\necho '${line}'\n`);
  chmodSync(join(dir, 'go'), 0o755);
};

test.each([
  ['go version go1.26.8 linux/amd64', [1, 26]],
  ['go version go1.19 linux/arm64', [1, 19]],
  ['nothing of the kind', undefined],
])('the version in `%s` is %j', (line, version) => {
  expect(parseGoVersion(line)).toEqual(version);
});

test('a recent Go on PATH is used', () => {
  fakeGo('go version go1.25.1 linux/amd64');
  expect(findGo({ PATH: dir }, 'for this test')).toBe(join(dir, 'go'));
});

test("a Go that can't fetch newer toolchains is refused with its version and advice", () => {
  fakeGo('go version go1.19.8 linux/amd64');
  const find = (): string => findGo({ PATH: dir }, 'for this test');
  expect(find).toThrow('Go 1.21 or later is needed for this test');
  expect(find).toThrow('go1.19.8');
  expect(find).toThrow(expect.objectContaining({ details: [expect.stringContaining('https://go.dev/dl/')] }));
});
