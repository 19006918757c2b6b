// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { PROGRAMS, serviceProgram } from '../build/bundle-services.ts';
import { readPackage } from '../build/bundled-packages.ts';
import { SERVICE_FILE } from '../build/start-program.ts';
import { checkout } from '../setup.ts';
import { applicationTree } from './layout.ts';
import { licencesOf } from './licences.ts';
import { isKept, runtimePackages } from './runtime-packages.ts';
import { renderSbom } from './sbom.ts';

interface Component {
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly purl?: string;
}

const release = { version: '1.2.3', revision: 'abc', source: 'unknown', date: new Date(1_700_000_000_000) };
const debian = [{ name: 'libc6', version: '2.36-9+deb12u14', architecture: 'amd64' }];
const sbom = (): string => renderSbom({ checkout, release, debian, node: '24.0.0' });
const componentsOf = (text: string): string[] =>
  (JSON.parse(text) as { components: Component[] }).components.map(
    ({ group, name, version }) => `${group === undefined ? '' : `${group}/`}${name}@${version}`,
  );

/** The source comments of a bundle: one before each module. */
const JOINED_FROM = /^\/\/ (node_modules\/(?:.*\/node_modules\/)?(?:@[^/\s]+\/)?[^/\s]+)\//gm;

describe('the packages of the image', () => {
  it.each([
    ['sodium-native', 'prebuilds/linux-x64/sodium-native.node', true],
    ['sodium-native', 'prebuilds/darwin-arm64/sodium-native.node', false],
    ['tree-sitter-bash', 'tree-sitter-bash.wasm', true],
    ['tree-sitter-bash', 'src/parser.c', false],
    ['piscina', 'dist/worker.js', true],
    ['piscina', 'dist/worker.js.map', false],
    ['piscina', 'LICENSE', true],
    ['ssh2', 'test/test-sftp.js', false],
  ])('%s: the image has %s: %s', (name, path, kept) => {
    expect(isKept(name, path, 'linux-x64')).toBe(kept);
  });

  it("are the bundles' externals and their dependencies, and none for tests and builds", () => {
    const names = runtimePackages(checkout).map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        'piscina',
        '@napi-rs/nice',
        'sodium-native',
        'ssh2',
        'asn1',
        'web-tree-sitter',
        '@cedar-policy/cedar-wasm',
      ]),
    );
    for (const name of ['typescript', 'vitest', 'esbuild', 'prisma', '@types/node', 'nan'])
      expect(names).not.toContain(name);
  });
});

describe("the list of the image's packages", () => {
  it('is CycloneDX, by its schema', async () => {
    expect(await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(sbom())).toBeNull();
    expect(
      await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(
        sbom().replace('"container"', '"no type"'),
      ),
    ).not.toBeNull();
  });

  it('is the same for the same image', () => {
    expect(sbom()).toBe(sbom());
  });

  it('names every package in the image, also bundled ones', async () => {
    const listed = new Set(componentsOf(sbom()));
    const copied = (await applicationTree(checkout)).paths.flatMap(
      (path) => /^opt\/writ\/(.*node_modules\/(?:@[^/]+\/)?[^/]+)\/package\.json$/.exec(path)?.[1] ?? [],
    );
    const bundles = PROGRAMS.map((program) =>
      readFileSync(join(dirname(serviceProgram(checkout, program)), SERVICE_FILE), 'utf8'),
    );
    const joined = bundles.flatMap((text) => [...text.matchAll(JOINED_FROM)].map(([, folder = '']) => folder));
    const packages = [...new Set([...copied, ...joined])]
      .map((folder) => readPackage(checkout, folder))
      .filter((found) => found?.version !== undefined);
    expect(packages.length).toBeGreaterThan(100);
    expect(
      packages.map((found) => `${found?.name ?? ''}@${found?.version ?? ''}`).filter((id) => !listed.has(id)),
    ).toEqual([]);
    expect([...listed]).toEqual(expect.arrayContaining(['node@24.0.0', 'libc6@2.36-9+deb12u14']));
  });
});

it('the licences of bundled packages are in the image', () => {
  const text = licencesOf(checkout);
  for (const name of ['@nestjs/core', '@peculiar/x509', 'pg', 'sodium-native']) {
    expect(text).toMatch(new RegExp(`^${name} \\d[^\\n]* \\((?:MIT|Apache-2.0)\\)\\n\\n[^]{200}`, 'm'));
  }
});
