// SPDX-License-Identifier: Apache-2.0
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureGoTool, ensureGoTools, goToolPath, linkerFlags } from './ensure.ts';
import { GO_TOOLS, KUBERNETES_VERSION, type GoTool } from './table.ts';
import type { GoOptions } from './workspace.ts';

let dir: string;
let options: GoOptions;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'writ-go-'));
  mkdirSync(join(dir, 'bin'));
  options = {
    cacheDir: join(dir, 'cache'),
    report: () => undefined,
    env: { PATH: `${join(dir, 'bin')}:/usr/bin:/bin` },
    // The programs here are a line long: what the machine's disk has free must not decide.
    freeBytes: () => 2 ** 40,
  };
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

/** A fake go that logs its calls, and installs a program that prints its name. */
const fakeGo = (install = 'n=$(basename "${GOBIN}"); echo "$n" > "$GOBIN/$n"; chmod +x "$GOBIN/$n"'): void => {
  writeFileSync(
    join(dir, 'bin', 'go'),
    `#!/bin/sh
case "$1" in
  version) echo go version go1.26.0 linux/amd64 ;;
  env) echo /nowhere ;;
  install) echo "$@" >> ${dir}/calls; ${install} ;;
esac
`,
  );
  chmodSync(join(dir, 'bin', 'go'), 0o755);
};
const calls = (): string[] => readFileSync(join(dir, 'calls'), 'utf8').trim().split('\n');

test('a program is built once from its pinned module, and then reused', async () => {
  fakeGo();
  const path = await ensureGoTool('kube-score', options);
  expect(readFileSync(path, 'utf8')).toBe('kube-score\n');
  expect(await ensureGoTool('kube-score', options)).toBe(path);
  expect(calls()).toEqual(['install -v -trimpath -ldflags -s -w github.com/zegl/kube-score/cmd/kube-score@v1.20.0']);
});

test('of several programs only missing ones are built', async () => {
  fakeGo();
  await ensureGoTool('kubeconform', options);
  const paths = await ensureGoTools(['kubeconform', 'kube-score'], options);
  expect(Object.values(paths).map((path) => readFileSync(path, 'utf8'))).toEqual(['kubeconform\n', 'kube-score\n']);
  expect(calls()).toHaveLength(2);
});

test('a failed build names the program, and installs none', async () => {
  fakeGo('echo "go: github.com/zegl/kube-score: no such host" >&2; exit 1');
  await expect(ensureGoTool('kube-score', options)).rejects.toMatchObject({
    name: 'SetupError',
    message: expect.stringContaining('could not build kube-score v1.20.0'),
    details: expect.arrayContaining([expect.stringContaining('no such host')]),
  });
  expect(existsSync(goToolPath(options.cacheDir, 'kube-score', GO_TOOLS['kube-score']))).toBe(false);
});

test('a changed row is another program', () => {
  const row: GoTool = { package: 'example.org/tool', version: 'v1.0.0', why: 'to test' };
  const path = goToolPath('/cache', 'tool', row);
  expect(goToolPath('/cache', 'tool', { ...row, why: 'for another reason' })).toBe(path);
  expect(goToolPath('/cache', 'tool', { ...row, version: 'v1.0.1' })).not.toBe(path);
  expect(goToolPath('/cache', 'tool', { ...row, variables: { 'main.version': '2' } })).not.toBe(path);
});

test('every row pins a full version of a module', () => {
  for (const { version, package: path } of Object.values(GO_TOOLS)) {
    expect(version).toMatch(/^v\d+\.\d+\.\d+$/);
    expect(path).toMatch(/^[a-z0-9.-]+\.[a-z]+\/[\w./-]+$/);
  }
});

test('helm renders for the Kubernetes that the cluster runs', () => {
  const [major, minor] = KUBERNETES_VERSION.split('.');
  const flags = linkerFlags(GO_TOOLS.helm.variables);
  expect(flags).toContain(`chartutil.k8sVersionMajor=${major} `);
  expect(flags).toMatch(new RegExp(`chartutil\\.k8sVersionMinor=${minor}$`));
});
