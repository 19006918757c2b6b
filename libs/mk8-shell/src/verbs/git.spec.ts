// SPDX-License-Identifier: Apache-2.0
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { hostWithFiles, REPOSITORY_URL, run } from '../specs/world.ts';
import { gitCommand, settingsFault } from './git.ts';

const git = (...args: string[]): object => ({ verb: 'ProcRun', args: ['git', ...args] });

describe('protected branches', () => {
  it.each([
    ['ref: refs/heads/main\n', false],
    ['ref: refs/heads/release/1\n', false],
    ['ref: refs/heads/feature/x\n', true],
    ['0123456789abcdef\n', false],
  ])('HEAD at %j', async (head, may) => {
    for (const args of [
      ['commit', '-m', 'x'],
      ['merge', 'feature/y'],
      ['push'],
      ['push', 'origin', 'feature/x'],
      ['pull'],
    ]) {
      const host = hostWithFiles();
      host.files.plant('.git/HEAD', head);
      expect((await run({ operations: [git(...args)] }, host)).status).toBe(may ? 'completed' : 'failed');
      expect(host.process.commands).toHaveLength(may ? 1 : 0);
    }
  });

  it('may be looked at', async () => {
    const host = hostWithFiles();
    host.files.plant('.git/HEAD', 'ref: refs/heads/main\n');
    expect(
      (
        await run(
          { operations: [git('log', 'main'), git('diff', 'main'), git('describe', 'main'), git('ls-files')] },
          host,
        )
      ).all_succeeded,
    ).toBe(true);
  });
});

describe("a repository's own settings", () => {
  it.each([
    '[filter "x"]\n\tclean = evil',
    '[core]\n\tfsmonitor = evil',
    '[core]\n\thooksPath = evil',
    '[core]\n\tpager = evil',
    '[core]\n\tsshCommand = evil',
    '[diff "x"]\n\ttextconv = evil',
    '[diff]\n\texternal = evil',
    '[merge "x"]\n\tdriver = evil',
    '[credential]\n\thelper = evil',
    '[alias]\n\tstatus = !evil',
    '[include]\n\tpath = /etc/x',
    '[includeIf "gitdir:/"]\n\tpath = x',
    '[url "https://evil/"]\n\tinsteadOf = https://',
    '[remote "origin"]\n\turl = https://evil.example.com/x',
    '[remote "origin"]\n\turl = ext::sh -c evil',
    '[remote "origin"]\n\tuploadpack = evil',
    '[gpg]\n\tprogram = evil',
    '[core] fsmonitor = evil',
    '[core]\n\tbare = false \\\n evil',
    'nonsense',
    '[remote "o"]\n\tpushurl = https://x',
  ])('%j keeps git from starting', async (config) => {
    const host = hostWithFiles();
    host.files.plant('.git/config', config);
    const { steps } = await run({ operations: [git('status')] }, host);
    expect([steps[0]?.error, host.process.commands]).toEqual([
      expect.stringContaining("the repository's settings"),
      [],
    ]);
  });

  it('that git itself writes are harmless', () => {
    expect(
      settingsFault(
        `[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n[remote "origin"]\n\turl = ${REPOSITORY_URL}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch "feature/x"]\n\tremote = origin\n`,
        new Set([REPOSITORY_URL]),
      ),
    ).toBeNull();
  });

  it('may not be those of another repository', async () => {
    const host = hostWithFiles();
    host.files.plant('.git/commondir', '../elsewhere');
    expect([(await run({ operations: [git('status')] }, host)).steps[0]?.error, host.process.commands]).toEqual([
      expect.stringContaining("shares another one's settings"),
      [],
    ]);
  });

  it('a `.git` that is a file is refused', async () => {
    const host = hostWithFiles();
    host.files.plant('.git', 'gitdir: /elsewhere');
    expect((await run({ operations: [git('status')] }, host)).steps[0]?.error).toContain('lie elsewhere');
  });
});

describe('git as it is started', () => {
  let folder: string;
  const start = (args: readonly string[], more: Record<string, string> = {}) => {
    const { argv, env } = gitCommand(['git', ...args]);
    return spawnSync(argv[0] ?? '', argv.slice(1), {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '', HOME: folder, ...more, ...env },
    });
  };
  const program = (name: string): string => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `#!/bin/sh\ntouch '${join(folder, 'RAN')}'\ncat\n`);
    chmodSync(path, 0o755);
    return path;
  };
  const hasRun = (): boolean => existsSync(join(folder, 'RAN'));

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mk8-git-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('starts on feature/init', () => {
    expect(start(['init']).status).toBe(0);
    expect(readFileSync(join(folder, '.git/HEAD'), 'utf8')).toBe('ref: refs/heads/feature/init\n');
  });

  it.each(['pre-commit', 'post-commit', 'commit-msg', 'post-checkout', 'prepare-commit-msg'])(
    'runs no hook `%s`',
    (hook) => {
      start(['init']);
      program(`.git/hooks/${hook}`);
      writeFileSync(join(folder, 'a'), 'x');
      expect([
        start(['add', 'a']).status,
        start(['commit', '-m', 'x']).status,
        start(['switch', '-c', 'feature/y']).status,
        hasRun(),
      ]).toEqual([0, 0, 0, false]);
    },
  );

  it.each([
    ['core.fsmonitor', ['status']],
    ['core.pager', ['log']],
    ['diff.external', ['diff']],
    ['core.editor', ['commit', '-m', 'y']],
  ] as const)('runs nothing that `%s` of the repository names', (key, args) => {
    start(['init']);
    writeFileSync(join(folder, 'a'), 'x');
    start(['add', 'a']);
    start(['commit', '-m', 'x']);
    writeFileSync(join(folder, 'a'), 'y');
    execFileSync('git', ['config', key, program('evil')], { cwd: folder });
    start(args);
    expect(hasRun()).toBe(false);
  });

  it('does not use a workspace whose files look like a bare repository', () => {
    for (const [name, text] of Object.entries({
      HEAD: 'ref: refs/heads/feature/x\n',
      config: `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n[filter "x"]\n\tclean = ${program('evil')}\n`,
      'objects/a': '',
      'refs/a': '',
      '.gitattributes': '* filter=x\n',
      file: 'x',
    })) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    expect([start(['add', 'file']).status !== 0, hasRun()]).toEqual([true, false]);
  });

  it('reads no settings of the user', () => {
    writeFileSync(
      join(folder, '.gitconfig'),
      `[alias]\n\tx = !touch ${join(folder, 'RAN')}\n[user]\n\tname = Somebody\n[core]\n\tfsmonitor = ${program('evil')}\n`,
    );
    start(['init']);
    start(['x']);
    writeFileSync(join(folder, 'a'), 'x');
    start(['add', 'a']);
    start(['commit', '-m', 'x']);
    expect([start(['log']).stdout.includes('mk8.shell'), hasRun()]).toEqual([true, false]);
  });

  it.each(['ext::sh -c "touch RAN"', 'ssh://localhost/x', 'file:///tmp/x', 'http://127.0.0.1:1/x', '/tmp/x'])(
    'speaks no other protocol than https: %s',
    (url) => {
      const { status, stderr } = start(['clone', url, 'copy']);
      expect([status !== 0, /not allowed|does not exist|unable|disallow/i.test(stderr), hasRun()]).toEqual([
        true,
        true,
        false,
      ]);
    },
  );

  it('starts no credential helper', () => {
    start(['init']);
    execFileSync('git', ['config', 'credential.helper', `!touch ${join(folder, 'RAN')}`], { cwd: folder });
    const { argv, env } = gitCommand(['git', 'credential', 'fill']);
    spawnSync(argv[0] ?? '', argv.slice(1), {
      cwd: folder,
      input: 'protocol=https\nhost=example.com\n\n',
      env: { PATH: process.env['PATH'] ?? '', HOME: folder, ...env },
    });
    expect(hasRun()).toBe(false);
  });
});
