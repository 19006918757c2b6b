// SPDX-License-Identifier: Apache-2.0
import { newStarters } from './later-contents.ts';
import { laterAt } from './later-paths.ts';

const FILE = { kind: 'file', mode: '644' };

/** Whether a change of a file is a finding. */
function counts(path: string, after: string, before: string | null): boolean {
  const place = laterAt(path, FILE);
  if (place === null || place.reader === null) return place !== null;
  const { count, removed } = newStarters({
    reader: place.reader,
    before: before === null ? null : Buffer.from(before),
    after: Buffer.from(after),
  });
  return count + removed.count > 0;
}

describe('a path from which something starts', () => {
  it.each([
    'opencode.json',
    'app/opencode.jsonc',
    '.junie/mcp/mcp.json',
    '.aider.conf.yml',
    '.vimrc',
    '.exrc',
    '.nvimrc',
    '.vim/coc-settings.json',
    '.helix/languages.toml',
    '.Rprofile',
    '.idea/watcherTasks.xml',
    '.github/hooks/a.json',
    'common/git-hooks/pre-commit',
    '.hg/hgrc',
    '.jj/repo/config.toml',
    '.cargo-husky/hooks/pre-push',
    '.git-hooks/x.rb',
    '.windsurf/hooks.json',
    '.qwen/settings.json',
    '.opencode/tool/a.ts',
    '.continue/config.yaml',
    '.mvn/extensions.xml',
    '.gdbinit',
    '.irbrc',
    'devfile.yaml',
  ])('counts with any content: %s', (path) => {
    expect(counts(path, 'x', null)).toBe(true);
  });

  it.each([
    'buildspec.yml',
    '.readthedocs.yaml',
    '.build.yml',
    '.builds/a.yml',
    'bitrise.yml',
    'appveyor.yml',
    '.drone.yml',
    '.woodpecker.yml',
    '.woodpecker/a.yaml',
    '.cirrus.yml',
    'codemagic.yaml',
    'render.yaml',
    'heroku.yml',
    'appspec.yml',
    'amplify.yml',
    'atlantis.yaml',
    'action.yml',
    '.tekton/a.yaml',
    'Jenkinsfile',
    'Jenkinsfile.release',
    'ci/a.gitlab-ci.yml',
    '.azure-pipelines/a.yml',
    '.ebextensions/a.config',
    '.circleci/config.yml',
    '.buildkite/pipeline.yml',
  ])('counts where a pipeline gets a command or loses a condition: %s', (path) => {
    const before = 'steps:\n  # note\n  - run: make\n    when: manual\n';
    expect(counts(path, `${before}  - run: ./x\n`, before)).toBe(true);
    expect(counts(path, before.replace('    when: manual\n', ''), before)).toBe(true);
    expect(counts(path, before.replace('# note', '# another note'), before)).toBe(false);
  });

  it.each([
    [
      'composer.json',
      '{"scripts":{"test":"phpunit","post-install-cmd":"./x"}}',
      '{"scripts":{"test":"phpunit"}}',
      '{"require":{"a/b":"^2"},"scripts":{"test":"phpunit","lint":"x"}}',
    ],
    ['composer.json', '{"config":{"allow-plugins":{"a/b":true}}}', '{}', '{"require":{"a/b":"^2"}}'],
    ['bunfig.toml', 'preload = ["./x"]\n', '', '[test]\ncoverage = true\n'],
    ['netlify.toml', '[build]\n  command = "./x"\n', '', '[[redirects]]\n  from = "/a"\n  to = "/b"\n'],
    [
      'vercel.json',
      '{\n  "installCommand": "./x"\n}\n',
      '{\n}\n',
      '{\n  "redirects": [\n    { "source": "/a", "destination": "/b" }\n  ]\n}\n',
    ],
    [
      'vercel.json',
      '{\n  "crons": []\n}\n',
      '{\n  "ignoreCommand": "./gate",\n  "crons": []\n}\n',
      '{\n  "ignoreCommand": "./gate",\n  "crons": [],\n  "cleanUrls": true\n}\n',
    ],
    ['fly.toml', '[deploy]\n  release_command = "./x"\n', '', 'primary_region = "fra"\n'],
    ['app.json', '{"scripts":{"postdeploy":"./x"}}', '{}', '{"expo":{"name":"a","plugins":["b"]}}'],
    ['Procfile', 'web: a\nrelease: ./x\n', 'web: a\n', 'web: a --port 80\n'],
    [
      'rush.json',
      '{ "eventHooks": { "preRushInstall": ["./x"] } }',
      '{ // x\n}',
      '{ "projects": [{ "packageName": "a" }] }',
    ],
    ['.vscode/settings.json', '{ "go.alternateTools": { "go": "./x" } }', '{}', '{ "editor.tabSize": 2 }'],
    ['package.json', '{"trustedDependencies":["a"]}', '{}', '{"dependencies":{"a":"1"}}'],
    ['package.json', '{"scripts":{"heroku-postbuild":"./x"}}', '{}', '{"scripts":{"build":"x","test":"y"}}'],
    ['package.yaml', 'scripts:\n  postinstall: ./x\n', 'scripts:\n  test: y\n', 'scripts:\n  test: y\n  lint: z\n'],
  ])('depends on the content of %s: %s', (path, starting, before, ordinary) => {
    expect(counts(path, starting, before)).toBe(true);
    expect(counts(path, ordinary, before)).toBe(false);
  });
});

describe('a package', () => {
  const STARTS = '{"scripts":{"postinstall":"./x"}}';

  it.each(['gen/tool', 'dist', 'generated/a', 'build', 'coverage/x', 'packages/a'])(
    'counts in %s, where another package may refer to it',
    (directory) => {
      expect(counts(`${directory}/package.json`, STARTS, null)).toBe(true);
      expect(counts(`${directory}/binding.gyp`, '{}', null)).toBe(true);
      expect(counts(`${directory}/package.json`, '{"type":"module","scripts":{"build":"tsc"}}', null)).toBe(false);
    },
  );

  it.each([
    'node_modules/a',
    'common/temp/node_modules/a',
    'vendor/a',
    '.yarn/unplugged/a',
    'x/.venv/lib/site-packages/a',
  ])('does not count in %s, where an installation wrote it', (directory) => {
    expect(counts(`${directory}/package.json`, STARTS, null)).toBe(false);
    expect(counts(`${directory}/binding.gyp`, '{}', null)).toBe(false);
  });

  it.each([
    '{"workspaces":["vendor/*"]}',
    '{"workspaces":{"packages":["./**"]}}',
    '{"dependencies":{"a":"file:vendor/a"}}',
    '{"devDependencies":{"a":"./node_modules/b"}}',
    '{"resolutions":{"a":"portal:./vendor/a"}}',
  ])('counts where it makes installed packages those of the project: %s', (manifest) => {
    expect(counts('package.json', manifest, '{}')).toBe(true);
  });

  it('does not count with local packages', () => {
    expect(
      counts(
        'package.json',
        '{"workspaces":["packages/*","apps/web"],"dependencies":{"a":"file:packages/a","vendor":"^1.0.0"}}',
        '{}',
      ),
    ).toBe(false);
    expect(counts('pnpm-workspace.yaml', 'packages:\n- vendor/*\n', 'packages:\n')).toBe(true);
    expect(laterAt('common', { kind: 'symlink', mode: null })).toBeNull();
  });
});
