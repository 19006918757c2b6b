// SPDX-License-Identifier: Apache-2.0
// Programs that start without an explicit request, set up by the real tools.
import { type Folder, repository } from './folder.contract.ts';
import { completeEffectSettings } from './settings.ts';

let folder: Folder;
let original: Folder;
beforeAll(() => {
  original = repository(20, true);
});
afterAll(() => {
  original.remove();
});
beforeEach(() => {
  folder = original.copy();
});
afterEach(() => {
  folder.remove();
});

const found = async (command: string): Promise<string[]> =>
  (await folder.effectOf(command)).findings.map(({ rule }) => rule);
const messageOf = async (command: string): Promise<string | undefined> =>
  (await folder.effectOf(command)).findings[0]?.message;

describe('a program that starts when a folder is opened, dependencies are installed, git is used or CI runs', () => {
  const MANIFEST = (scripts: string): string =>
    `echo '{"name":"sample","scripts":{"build":"tsc",${scripts}}}' > package.json`;
  it.each([
    ['a hook of husky', 'mkdir -p .husky && echo x > .husky/pre-commit'],
    ['a hook of husky, within', 'mkdir -p .husky/_ && echo x > .husky/_/pre-commit'],
    ['a task of the editor', 'mkdir -p .vscode && echo {} > .vscode/tasks.json'],
    ['a task of the editor, in capitals', 'mkdir -p .VSCode && echo {} > .VSCode/Tasks.json'],
    [
      'a program in the settings of the editor',
      'mkdir -p .vscode && echo \'{ "git.path": "./git" }\' > .vscode/settings.json',
    ],
    ['a task of a workspace of the editor', 'echo \'{ "tasks": {} }\' > my.code-workspace'],
    ["a link in place of the editor's folder", 'mkdir -p tools/v; echo {} > tools/v/tasks.json; ln -s tools/v .vscode'],
    [
      'a link in place of workflows',
      'mkdir -p tools/w .github; echo "run: x" > tools/w/a.yml; ln -s ../tools/w .github/workflows',
    ],
    ['a container of the editor', 'mkdir -p .devcontainer && echo {} > .devcontainer/devcontainer.json'],
    ['a container of the editor, at the root', 'echo \'{"initializeCommand":"x"}\' > .devcontainer.json'],
    ['an environment of the shell', 'mkdir -p a; echo x > a/.envrc'],
    ['a hook of an agent', 'mkdir -p .claude; echo {} > .claude/settings.json'],
    ['servers of tools', 'echo {} > .mcp.json'],
    ['servers of tools of another agent', 'mkdir -p .cursor; echo {} > .cursor/mcp.json'],
    ['a program for Yarn', 'echo "yarnPath: ./tools/y.cjs" > .yarnrc.yml'],
    ["a program in Yarn's own folder", 'mkdir -p .yarn/releases; echo x > .yarn/releases/yarn-4.cjs'],
    ['a shell for scripts', 'echo "script-shell=./sh" > .npmrc'],
    ['a file that pnpm runs', 'echo x > .pnpmfile.cjs'],
    ['hooks of lefthook', 'printf "pre-commit:\n  commands:\n    x:\n      run: rm -rf src\n" > lefthook.yml'],
    [
      'hooks of pre-commit',
      'printf "repos:\n- repo: local\n  hooks:\n  - id: x\n    entry: ./x\n" > .pre-commit-config.yaml',
    ],
    ['a script of the installation', MANIFEST('"postinstall":"node x.js"')],
    ['a script of the preparation, written otherwise', MANIFEST('"pre\\u0070are":"husky"')],
    ['a package manager from an address', 'echo \'{"packageManager":"yarn@https://example.org/y.js"}\' > package.json'],
    ['hooks in a manifest', 'echo \'{"simple-git-hooks":{"pre-commit":"x"}}\' > package.json'],
    [
      'a manifest that is no JSON and names the installation',
      'printf "<<<<<<<\n\\"postinstall\\": \\"x\\"\n" > package.json',
    ],
    ['a manifest that is a link', 'mv package.json p; ln -s p package.json'],
    [
      'a new pipeline',
      'mkdir -p .github/workflows; printf "jobs:\n  a:\n    steps:\n      - run: ./x\n" > .github/workflows/ci.yml',
    ],
    ['a pipeline elsewhere', 'printf "test:\n  script: [./x]\n" > .gitlab-ci.yml'],
    [
      'an action',
      'mkdir -p .github/actions/a; printf "runs:\n  using: node20\n  main: x.js\n" > .github/actions/a/action.yml',
    ],
    ['npx husky init', MANIFEST('"prepare":"husky"') + '; mkdir .husky; echo "npm test" > .husky/pre-commit'],
  ])('is found: %s', async (_, command) => {
    expect(await found(command)).toEqual(['effect.runs_later']);
  });

  it.each([
    ["a wrapper of Rust's compiler", '.cargo/config.toml', '[build]\n"\\u0072ustc-wr\\u0061pper" = "./x"\n'],
    ['a wrapper in a longer escape', '.cargo/config.toml', '"\\U00000062uild"."rustc-wr\\x61pper" = "./x"\n'],
    ['an environment of the compiler', '.cargo/config.toml', '[ "env" ]\nLD_AUDIT = "./x"\n'],
    ['an interpreter', '.vscode/settings.json', '{ "python.defaultInt\\u0065rpreterP\\u0061th": "./x" }'],
    ['an interpreter in a letter that is escaped in vain', '.vscode/settings.json', '{ "python.pa\\qth": "./x" }'],
    [
      'a tool of an editor, within',
      '.vscode/settings.json',
      '{ /* x */ "go.alternateTools": { // x\n "go": "./x", }, }',
    ],
    ['builds of packages', 'pnpm-workspace.yaml', '"\\u0064angerouslyAllowAllBu\\u0069lds": true\n'],
    ['builds of packages in another escape', 'pnpm-workspace.yaml', '"\\x64angerouslyAllowAll\\x42uilds": true\n'],
    [
      'builds of packages on two lines',
      'pnpm-workspace.yaml',
      '? "d\\\n  angerouslyAllowAll\\\n  B\\\n  uilds"\n: true\n',
    ],
    ['builds of one more package', 'pnpm-workspace.yaml', 'onlyBuiltDependencies:\n- a\n- other\n'],
    ['a program for Yarn', '.yarnrc.yml', '"y\\x61rnP\\x61th": ./x\n'],
    ['a shell for scripts with a value in its name', '.npmrc', 'scr${NOTHING?}ipt-sh${NOTHING?}ell=./x\n'],
    ['a hook of mise', 'mise.toml', '["h\\u006foks"]\n"ent\\u0065r" = "./x"\n'],
  ])('is found in another spelling: %s', async (_, path, content) => {
    folder.write({
      'pnpm-workspace.yaml': 'onlyBuiltDependencies:\n- a\n',
      '.vscode/settings.json': '{ "go.alternateTools": { "gopls": "g" } }',
      next: content,
    });
    expect(await found(`mkdir -p .cargo .vscode; mv next ${path}`)).toEqual(['effect.runs_later']);
  });

  it('is distinguished from ordinary settings', async () => {
    folder.write({
      'pnpm-workspace.yaml': 'onlyBuiltDependencies:\n- a\npackages:\n- packages/*\n',
      '.vscode/settings.json': '{ "go.alternateTools": { "gopls": "g" } }',
    });
    folder.write({
      next: 'onlyBuiltDependencies:\n- a\npackages:\n- packages/*\n- apps/*\ncatalog:\n  a: ^1.0.0\n',
      settings:
        '{\n  // x\n  "go.alternateTools": { "gopls": "g" },\n  "search.exclude": { "a\\\\b": true },\n  "editor.formatOnSave": true,\n}',
    });
    expect(await found('mv next pnpm-workspace.yaml; mv settings .vscode/settings.json')).toEqual([]);
  });

  it('is no finding in an installed package, which no editor opens', async () => {
    folder.run('mkdir -p node_modules/x');
    expect(
      await found(
        `cd node_modules/x; mkdir -p .husky .vscode .github/workflows; for f in .husky/pre-commit .vscode/tasks.json .github/workflows/a.yml .envrc; do echo "run: x" > $f; done; ${MANIFEST('"install":"x"')}`,
      ),
    ).toEqual([]);
  });

  it('is found in a package below a generated directory, and not in one that `npm ci` installs', async () => {
    expect(
      await found(
        'mkdir -p gen/tool; echo \'{"name":"tool","scripts":{"postinstall":"./x"}}\' > gen/tool/package.json',
      ),
    ).toEqual(['effect.runs_later']);
    expect(
      await found(
        'mkdir -p node_modules/tool; echo \'{"name":"tool","scripts":{"postinstall":"./x"}}\' > node_modules/tool/package.json',
      ),
    ).toEqual([]);
  });

  it("is a finding in spite of a tenant's own patterns of regenerable files", async () => {
    const { findings } = await folder.effectOf('echo x > .envrc', {
      settings: completeEffectSettings({ regenerable: ['.envrc', '**'] }),
    });
    expect(findings.map(({ rule }) => rule)).toEqual(['effect.runs_later']);
  });

  it('that was there before is no finding; another value is', async () => {
    folder.run(MANIFEST('"prepare":"husky","postinstall":"a"'));
    expect(await found(MANIFEST('"prepare":"husky","postinstall":"a","lint":"eslint ."'))).toEqual([]);
    expect(await messageOf(MANIFEST('"prepare":"husky && x","postinstall":"a"'))).toBe(
      'sets `prepare` in `package.json`, which runs when dependencies are installed',
    );
  });

  it('is a finding in a file that is too long to read', async () => {
    expect(await messageOf('{ head -c 300000 /dev/zero | tr "\\\\0" " "; echo "{}"; } > package.json')).toBe(
      'changes `package.json` to what is not read, and what runs when dependencies are installed',
    );
  });
});

describe('a change that starts nothing by itself', () => {
  const WORKFLOW = [
    'name: CI',
    'on:',
    '  push:',
    '    branches: [main]',
    'jobs:',
    '  test:',
    '    name: Test',
    '    runs-on: ubuntu-latest',
    '    timeout-minutes: 10',
    '    strategy:',
    '      matrix:',
    '        node: [20, 22]',
    '    steps:',
    '      # builds',
    '      - uses: actions/checkout@v4',
    '      - uses: actions/setup-node@v4',
    '        with:',
    '          node-version: 20',
    '      - run: npm ci',
    '      - run: npm test',
    '',
  ].join('\n');
  const GUARDED = [
    'name: Deploy',
    'on:',
    '  push:',
    '    branches-ignore: [wip]',
    '    tags-ignore:',
    '      - 1.x',
    'permissions: read-all',
    'jobs:',
    '  ship:',
    '    # ships',
    '    needs: [test]',
    "    if: github.ref == 'refs/heads/main'",
    '    environment: production',
    '    steps:',
    '      - uses: actions/checkout@v4',
    '      - uses: somebody/manual-approval@v1',
    '      - run: ./check',
    '      - run: ./deploy',
    "        if: github.actor == 'me'",
    '      - run: npm test',
    '    concurrency: one',
    '  preview:',
    "    if: github.repository == 'a/b'",
    '    environment:',
    '      name: review',
    '  other:',
    "    if: github.repository == 'a/b'",
    '',
  ].join('\n');
  beforeEach(() => {
    folder.write({ '.github/workflows/ci.yml': WORKFLOW });
  });
  const edit = (script: string): string => `sed -i '${script}' .github/workflows/ci.yml`;

  it.each([
    [
      'a usual script',
      'echo \'{"name":"sample","version":"1.0.0","scripts":{"build":"tsc","test":"jest","dev":"vite","preview":"vite preview"}}\' > package.json',
    ],
    [
      'another version of a dependency',
      'echo \'{"name":"sample","scripts":{"build":"tsc"},"dependencies":{"a":"^2.0.0"},"packageManager":"pnpm@9.1.0"}\' > package.json',
    ],
    [
      'a manifest that a merge left in conflict',
      'printf "{\n<<<<<<< ours\n\\"version\\": \\"1\\"\n=======\n\\"version\\": \\"2\\"\n>>>>>>> theirs\n}\n" > package.json',
    ],
    [
      'what tests, builds and people run when they ask for it',
      'for f in conftest.py Makefile setup.py build.rs vite.config.ts justfile Dockerfile docker-compose.yml; do echo x > $f; done',
    ],
    [
      'other files of the editor',
      'mkdir -p .vscode; echo {} > .vscode/launch.json; echo \'{ "editor.tabSize": 2 }\' > .vscode/settings.json; echo {} > .vscode/extensions.json',
    ],
    ['words for an agent', 'mkdir -p .claude/commands; echo x > .claude/commands/a.md; echo x > CLAUDE.md'],
    [
      'templates of GitHub',
      'mkdir -p .github/ISSUE_TEMPLATE; echo x > .github/ISSUE_TEMPLATE/bug.yml; echo x > .github/dependabot.yml; echo x > .github/CODEOWNERS',
    ],
    ['a flag of npm', 'echo "save-exact=true" > .npmrc'],
    ['a comment in a workflow', edit('s/# builds/# builds and tests/')],
    ['a comment at the end of a line', edit('s/- run: npm ci/- run: npm ci # exact/')],
    ['another version of a step', edit('s/checkout@v4/checkout@v5/; s/setup-node@v4/setup-node@1a2b3c4d # v5/')],
    ['another version of Node', edit('s/node-version: 20/node-version: 22/')],
    ['another name and time', edit('s/name: Test/name: All tests/; s/minutes: 10/minutes: 20/')],
    ['a workflow that is gone', 'rm -r .github/workflows'],
    ['a step that is gone', edit('/npm test/d')],
    [
      'a submodule, a work tree and a branch called `hooks`',
      'mkdir -p .git/refs/heads/hooks; git branch hooks/x; git branch config; git worktree add -q dist/t; git tag hooks',
    ],
    [
      'what starts nothing in git',
      'git config user.name me; git config alias.co checkout; git config core.autocrlf false; git remote add origin https://example.org/x.git',
    ],
    [
      'a bare repository of a test',
      'git init -q --bare fixtures/sample.git; cd fixtures/sample.git; git config core.logAllRefUpdates true',
    ],
    [
      'files with names like those of a repository',
      'mkdir -p src/config src/hooks src/refs; for f in src/HEAD src/hooks/useThing.ts src/refs/a src/hooks/update; do echo x > $f; done; echo x > config',
    ],
  ])('is no finding: %s', async (_, command) => {
    expect(await found(command)).toEqual([]);
  });

  it.each([
    ['a condition', "    if: github.ref == 'refs/heads/main'\n", '    if: true\n'],
    ['a condition of one of two jobs', "    if: github.repository == 'a/b'\n", ''],
    ['rights', 'permissions: read-all\n', ''],
    ['an environment', '    environment: production\n', ''],
    ['the name of an environment', '      name: review\n', '      name: other\n'],
    ['what comes first', '    needs: [test]\n', ''],
    ['a branch', '    branches-ignore: [wip]\n', ''],
    ['a version that is a branch', '      - 1.x\n', ''],
    ['a check', '      - run: ./check\n', ''],
    ['an approval', '      - uses: somebody/manual-approval@v1\n', ''],
    [
      'a condition that moves to another step',
      "      - run: ./deploy\n        if: github.actor == 'me'\n      - run: npm test\n",
      "      - run: ./deploy\n      - run: npm test\n        if: github.actor == 'me'\n",
    ],
    ['a condition that moves to another depth', '    concurrency: one\n', '        concurrency: one\n'],
  ])('is a finding where a pipeline loses %s', async (_, from, to) => {
    expect(GUARDED.split(from)).toHaveLength(from.includes('repository') ? 3 : 2);
    folder.write({ '.github/workflows/deploy.yml': GUARDED });
    folder.write({ next: GUARDED.replace(from, to) });
    expect(await found('mv next .github/workflows/deploy.yml')).toEqual(['effect.runs_later']);
  });

  it('is no finding where a pipeline loses usual steps, comments and names, is empty, or is gone', async () => {
    folder.write({ '.github/workflows/deploy.yml': GUARDED });
    expect(
      await found('sed -i "/npm test/d; /# ships/d; /name: Deploy/d; /checkout/d" .github/workflows/deploy.yml'),
    ).toEqual([]);
    expect(await found('echo "# nothing" > .github/workflows/deploy.yml')).toEqual([]);
    folder.write({ '.github/workflows/deploy.yml': GUARDED });
    expect(await messageOf('sed -i "/if: github.ref/d" .github/workflows/deploy.yml')).toBe(
      'removes `if` in `.github/workflows/deploy.yml`, which runs when CI runs',
    );
    expect(await found('rm .github/workflows/deploy.yml')).toEqual([]);
  });

  it.each([
    ['a new step', edit('s/- run: npm test/- run: npm test\\n      - run: .\\/x/')],
    ['a step of somebody else', edit('s/- run: npm test/- uses: evil\\/action@v1/')],
    ['a step in another spelling', edit('s/- run: npm test/- {"r\\\\u0075n": .\\/x}/')],
    ['another trigger', edit('s/  push:/  pull_request_target:/')],
    ['rights', edit('s/^jobs:/permissions: write-all\\njobs:/')],
    ['a name that is a command', edit('s/- run: npm test/- run: |\\n          name: x; .\\/x/')],
    [
      'a path that looks like a comment of another language',
      edit('s/- run: npm test/- run: |\\n          \\/\\/bin\\/x/'),
    ],
    ['an environment', edit('s/    steps:/    env:\\n      NODE_OPTIONS: -r .\\/x.js\\n    steps:/')],
  ])('is a finding where a workflow gets %s', async (_, command) => {
    expect(await found(command)).toEqual(['effect.runs_later']);
  });
});
