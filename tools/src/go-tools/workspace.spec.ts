// SPDX-License-Identifier: Apache-2.0
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { goEnvironment, verifyFreeSpace, withGoWorkspace, type GoOptions } from './workspace.ts';

let dir: string;
let options: GoOptions;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'writ-go-'));
  mkdirSync(join(dir, 'bin'));
  writeFileSync(
    join(dir, 'bin', 'go'),
    `#!/bin/sh
case "$1" in
  version) echo go version go1.26.0 linux/amd64 ;;
  env) case "$2" in GOMODCACHE) echo /home/user/go/mod ;; GOPROXY) echo https://proxy.example,direct ;; esac ;;
  fail) echo 'module lookup disabled' >&2; exit 1 ;;
  *) echo "$@" > ${dir}/args; env > ${dir}/env ;;
esac
`,
  );
  chmodSync(join(dir, 'bin', 'go'), 0o755);
  options = {
    cacheDir: join(dir, 'cache'),
    report: () => undefined,
    env: { PATH: `${join(dir, 'bin')}:/usr/bin:/bin` },
  };
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

const caches = (): string[] => readdirSync(options.cacheDir);

test("a build has its own caches, and reads the user's module cache before the proxy", () => {
  expect(goEnvironment('/w', '/home/user/go/mod', 'https://proxy.example,off')).toMatchObject({
    CGO_ENABLED: '0',
    GOCACHE: '/w/build',
    GOTMPDIR: '/w/tmp',
    GOMODCACHE: '/w/mod',
    GOPROXY: 'file:///home/user/go/mod/cache/download,https://proxy.example,off',
  });
});

test('go runs with the environment of the build, in the given folder', async () => {
  await withGoWorkspace(options, 'to test', ({ go }) =>
    go('try', ['build', './...'], { cwd: '/somewhere', env: { GOBIN: '/bin-dir' } }),
  );
  expect(readFileSync(join(dir, 'args'), 'utf8').trim()).toBe('build -C /somewhere ./...');
  const env = readFileSync(join(dir, 'env'), 'utf8');
  for (const line of [
    'CGO_ENABLED=0',
    'GOBIN=/bin-dir',
    'GOPROXY=file:///home/user/go/mod/cache/download,https://proxy.example,direct',
  ])
    expect(env).toContain(`${line}\n`);
});

test('the caches are removed after a build, also after a failed one', async () => {
  const seen = await withGoWorkspace(options, 'to test', async (workspace) => existsSync(workspace.dir));
  expect(seen).toBe(true);
  expect(caches()).toEqual([]);
  await expect(withGoWorkspace(options, 'to test', ({ go }) => go('build the thing', ['fail']))).rejects.toMatchObject({
    message: expect.stringContaining('could not build the thing'),
    details: expect.arrayContaining(['module lookup disabled', expect.stringContaining('GOPROXY')]),
  });
  expect(caches()).toEqual([]);
});

test('caches of a killed build are removed, and those of a running one stay', async () => {
  mkdirSync(join(options.cacheDir, 'go-build-dead', 'mod'), { recursive: true });
  await withGoWorkspace(options, 'to test', async (outer) => {
    await withGoWorkspace(options, 'to test', async () => {
      expect(caches()).toHaveLength(2);
    });
    expect(existsSync(outer.dir)).toBe(true);
  });
  expect(caches()).toEqual([]);
});

test('a disk that is too full is reported before the build', () => {
  mkdirSync(options.cacheDir);
  expect(() => verifyFreeSpace(options, 1, 'building')).not.toThrow();
  expect(() => verifyFreeSpace(options, 2 ** 60, 'building kubelet')).toThrow(
    /^building kubelet needs 1073741824 GiB of free disk space .* has [\d.]+ GiB$/,
  );
  const full: GoOptions = { ...options, freeBytes: () => 2 ** 30 };
  expect(() => verifyFreeSpace(full, 2 ** 30, 'building')).not.toThrow();
  expect(() => verifyFreeSpace(full, 2 ** 30 + 1, 'building')).toThrow('has 1.0 GiB');
});
