// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { AllowedSources } from './allowed-sources.ts';
import { buildPlan, type PackageRegistries } from './build-plan.ts';
import { readImageSource, sourceBytes, sourceDigest, sourceFrom } from './image-source.ts';
import { findUser } from './system-users.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const REFERENCE = `registry.example.org/acme/tools@${DIGEST}`;
const REGISTRIES: PackageRegistries = {
  debian: { url: 'http://debian.example.org/debian', suites: ['bookworm'], components: ['main'] },
  npm: { url: 'https://npm.example.org/' },
  pip: { url: 'https://pypi.example.org/simple' },
};

describe('the source of an image', () => {
  it.each([
    { reference: REFERENCE },
    { reference: `localhost:5000/a/b_c-d@${DIGEST}` },
    { digest: DIGEST },
    { recipe: { debian: [{ name: 'g++', version: '4:12.2.0-3' }] } },
    { recipe: { base: null, npm: [{ name: '@acme/tools', version: '1.2.3-rc.1' }] } },
    { recipe: { base: REFERENCE, pip: [{ name: 'six', version: '1.16.0' }] } },
  ])('is read from the bytes that its digest is over, and from no others: %j', (source) => {
    expect(readImageSource(source)).toEqual({ source, problem: null });
    const bytes = sourceBytes(source);
    expect(sourceFrom(bytes)).toEqual(source);
    expect(sourceFrom(Buffer.concat([bytes, Buffer.from(' ')]))).toBeNull();
    expect(sourceDigest(bytes)).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each([
    [null, ''],
    [{}, ''],
    [{ digest: DIGEST, reference: REFERENCE }, ''],
    [{ run: 'id' }, ''],
    [{ digest: 'latest' }, '/digest'],
    [{ reference: 'registry.example.org/acme/tools:1' }, '/reference'],
    [{ reference: `tools@${DIGEST}` }, '/reference'],
    [{ recipe: {} }, '/recipe'],
    [{ recipe: { run: ['id'] } }, '/recipe/run'],
    [
      {
        recipe: {
          debian: [
            { name: 'hello', version: '1' },
            { name: 'hello', version: '2' },
          ],
        },
      },
      '/recipe/debian',
    ],
    [{ recipe: { debian: [{ name: '-oX', version: '1' }] } }, '/recipe/debian/0/name'],
    [{ recipe: { debian: [{ name: 'hello', version: '1-' }] } }, '/recipe/debian/0/version'],
    [{ recipe: { debian: [{ name: 'hello-', version: '1' }] } }, '/recipe/debian/0/name'],
    [{ recipe: { npm: [{ name: 'x', version: '^1.0.0' }] } }, '/recipe/npm/0/version'],
    [{ recipe: { npm: [{ name: '../x', version: '1.0.0' }] } }, '/recipe/npm/0/name'],
    [{ recipe: { pip: [{ name: 'x', version: '1.*' }] } }, '/recipe/pip/0/version'],
    [{ recipe: { npm: [{ name: 'x', version: '1.0.0-x.tgz' }] } }, '/recipe/npm/0/version'],
    [{ recipe: { npm: [{ name: 'x', version: '1.0.0-x.TAR.gz' }] } }, '/recipe/npm/0/version'],
    [{ recipe: { npm: [{ name: 'x', version: '01.0.0' }] } }, '/recipe/npm/0/version'],
    [{ recipe: { npm: [{ name: 'x.tgz', version: '1.0.0' }] } }, '/recipe/npm/0/name'],
    [{ recipe: { pip: [{ name: 'x', version: '1.0.zip' }] } }, '/recipe/pip/0/version'],
    [{ recipe: { pip: [{ name: 'x', version: '1.tar' }] } }, '/recipe/pip/0/version'],
    [{ recipe: { pip: [{ name: 'x', version: '1.0+a.whl' }] } }, '/recipe/pip/0/version'],
    [{ recipe: { debian: [{ name: 'foo.deb', version: '1' }] } }, '/recipe/debian/0/name'],
    [{ recipe: { debian: [{ name: 'foo', version: '1.deb' }] } }, '/recipe/debian/0/version'],
    [{ recipe: { pip: [{ name: 'x[extra]', version: '1' }] } }, '/recipe/pip/0/name'],
  ])('%j is refused at `%s`', (value, pointer) => {
    expect(readImageSource(value).problem?.pointer).toBe(pointer);
  });
});

describe('what an operator allows', () => {
  const problem = (list: string, source: object) => {
    const read = readImageSource(source).source;
    if (read === null) throw new Error('the source is wrong');
    return AllowedSources.parse(list).problemOf(read)?.pointer ?? null;
  };

  it('is a registry or a repository with those below it, and nothing whose name begins alike', () => {
    expect(problem('registry.example.org', { reference: REFERENCE })).toBeNull();
    expect(problem('other.example, registry.example.org/acme', { reference: REFERENCE })).toBeNull();
    for (const list of ['', 'engine', 'registry.example.org/ac', 'registry.example.or', 'example.org'])
      expect(problem(list, { reference: REFERENCE })).toBe('/source/reference');
    expect([problem('engine', { digest: DIGEST }), problem('registry.example.org', { digest: DIGEST })]).toEqual([
      null,
      '/source/digest',
    ]);
  });

  it('bounds the base of a recipe too, and always has the sandbox image', () => {
    const pip = [{ name: 'six', version: '1.16.0' }];
    expect(problem('', { recipe: { pip } })).toBeNull();
    expect(problem('', { recipe: { base: DIGEST, pip } })).toBe('/source/recipe/base');
    expect(problem('registry.example.org', { recipe: { base: REFERENCE, pip } })).toBeNull();
  });

  it.each(['https://registry.example.org', 'a b', '*', 'engine,Registry'])('is no list like `%s`', (list) => {
    expect(() => AllowedSources.parse(list)).toThrow('neither `engine` nor a registry');
  });
});

describe('the plan of a build', () => {
  it('is programs with exact versions, and the hosts of the registries alone', () => {
    const recipe = {
      debian: [{ name: 'jq', version: '1.6-2.1+deb12u1' }],
      npm: [{ name: '@acme/x', version: '1.0.0' }],
      pip: [{ name: 'six', version: '1.16.0' }],
    };
    const { steps, hosts, files } = buildPlan(recipe, { ...REGISTRIES, hosts: ['files.example.org'] }, true);
    expect(steps.map(({ argv }) => [argv[0], argv.at(-1)])).toEqual([
      ['apt-get', 'update'],
      ['apt-get', 'jq=1.6-2.1+deb12u1'],
      ['apt-get', 'clean'],
      ['rm', '/var/lib/apt/lists'],
      ['python3', 'six==1.16.0'],
      ['npm', '@acme/x@1.0.0'],
    ]);
    expect(hosts).toEqual(['debian.example.org', 'pypi.example.org', 'npm.example.org', 'files.example.org']);
    expect(files).toEqual({ 'sources.list': 'deb http://debian.example.org/debian bookworm main\n' });
  });

  it('starts no program but package managers, and gives them no option, whatever a recipe says', () => {
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 20 }), fc.stringMatching(/^[a-z0-9@/.+:~=-]{1,12}$/));
    const packages = fc.array(fc.record({ name: text, version: text }), { maxLength: 3 });
    fc.assert(
      fc.property(fc.record({ debian: packages, npm: packages, pip: packages }), (recipe) => {
        const { source } = readImageSource({ recipe });
        if (source === null || !('recipe' in source)) return;
        for (const { argv } of buildPlan(source.recipe, REGISTRIES, false).steps) {
          expect(['apt-get', 'rm', 'python3', 'npm']).toContain(argv[0]);
          const named = argv.includes('--') ? argv.slice(argv.indexOf('--') + 1) : [];
          for (const one of named) expect(one).toMatch(/^[@A-Za-z0-9][@A-Za-z0-9+:._~/-]*={0,2}[A-Za-z0-9.+:~!@-]*$/);
        }
      }),
      { numRuns: 500 },
    );
  });

  /** What each manager reads as a file or an address: npm-package-arg, pip's archive extensions, apt's file types. */
  const READ_AS_FILE = {
    npm: /[.](?:tgz|tar.gz|tar)$|^(?:git[+])?[a-z]+:|^[^@/]+\/|[\\]/i,
    pip: /\.(zip|whl|tar\.bz2|tbz|tar\.gz|tgz|tar|tar\.xz|txz|tlz|tar\.lz|tar\.lzma)$|[/\\]|^\.|:/i,
    'apt-get': /\.(deb|dsc|changes)$|[/\\]/,
  } as const;

  it('names no package that its manager reads as a file or an address, whatever a recipe says', () => {
    const ending = fc.constantFrom(
      '',
      '.tgz',
      '.tar',
      '.TAR.GZ',
      '.zip',
      '.whl',
      '.tar.xz',
      '.tlz',
      '.deb',
      '.changes',
    );
    const name = fc.tuple(fc.stringMatching(/^(@[a-z]\/)?[a-z0-9.+-]{1,4}$/), ending).map((parts) => parts.join(''));
    const start = fc.constantFrom('1', '1.0', '1.0.0', '1.0.0-x', '1.0+x', '1:1.0', '01.0.0', 'git+ssh://x', './x');
    const version = fc.tuple(start, fc.stringMatching(/^[a-z0-9.+~:/-]{0,3}$/), ending).map((parts) => parts.join(''));
    const one = fc.tuple(fc.record({ name, version }), fc.constantFrom('debian', 'npm', 'pip'));
    let accepted = 0;
    fc.assert(
      fc.property(one, ([entry, kind]) => {
        const { source } = readImageSource({ recipe: { [kind]: [entry] } });
        if (source === null || !('recipe' in source)) return;
        accepted += 1;
        for (const { argv } of buildPlan(source.recipe, REGISTRIES, false).steps) {
          if (!argv.includes('--')) continue;
          const manager = argv[0] === 'python3' ? 'pip' : (argv[0] as keyof typeof READ_AS_FILE);
          const scoped = manager === 'npm' ? argv.at(-1)!.replace(/^@[^/]+\//, '') : argv.at(-1)!;
          expect(scoped).not.toMatch(READ_AS_FILE[manager]);
        }
      }),
      { numRuns: 5_000 },
    );
    expect(accepted).toBeGreaterThan(50);
  });

  it('needs a registry for each kind of its packages', () => {
    expect(() => buildPlan({ npm: [{ name: 'x', version: '1.0.0' }] }, {}, false)).toThrow(
      'configured no such registry',
    );
  });
});

describe('the user of a profile', () => {
  const PASSWD =
    'root:x:0:0::/root:/bin/sh\nbuilder:x:2000:2001::/:/bin/sh\ntoor:x:0:5::/:/bin/sh\nwheel:x:5:0::/:/x\nbad:x:-1:x\n';
  it('is found by name, or named where its ids are known', () => {
    expect(findUser('builder', PASSWD)).toEqual({ uid: 2000, gid: 2001, name: 'builder' });
    expect(findUser({ uid: 2000, gid: 7 }, PASSWD)).toEqual({ uid: 2000, gid: 7, name: 'builder' });
    expect(findUser({ uid: 3000, gid: 7 }, PASSWD)).toEqual({ uid: 3000, gid: 7, name: null });
  });

  it.each([
    ['root', 'is root'],
    ['toor', 'is root'],
    ['wheel', 'of its group'],
    ['bad', 'no usable ids'],
    ['nobody', 'no user'],
  ])('`%s` is refused: it %s', (name, why) => {
    expect(() => findUser(name, PASSWD)).toThrow(why);
  });

  it('never has an id of 0, whatever the list of users says', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('root', 'builder', 'x'), (noise, name) => {
        try {
          const { uid, gid } = findUser(name, `${noise}\n${name}:x:${noise}:0\n${PASSWD}`);
          expect(uid > 0 && gid > 0).toBe(true);
        } catch (error) {
          expect((error as Error).name).toBe('UserRefused');
        }
      }),
    );
  });
});
