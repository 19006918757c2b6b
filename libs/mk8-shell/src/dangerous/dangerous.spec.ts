// SPDX-License-Identifier: Apache-2.0
import { argumentFaults, definitionForDigest, SHELL_DANGEROUS, type ExecutionProfile } from '@writ/contract';
import { dangerousTool, profileNameOf, rawJob, repositoryFault } from './dangerous-tool.ts';
import { profileBytes, profileFrom, readProfile } from './execution-profile.ts';

const PROFILE: ExecutionProfile = {
  shells: ['Bash', 'Git', 'PowerShell'],
  workspace_id: null,
  environment: { STAGE: 'test', GIT_AUTHOR_NAME: 'Ada' },
  net: [{ domain: 'example.com', methods: ['GET'] }],
  limits: { wall_ms: 5_000, memory_bytes: 128 * 1024 * 1024 },
};
const problemsOf = (over: object) => readProfile({ ...PROFILE, ...over }).problems.map(({ pointer }) => pointer);

describe('an execution profile', () => {
  it('is read from the bytes that its digest is over, and from no others', () => {
    const bytes = profileBytes(PROFILE);
    expect(profileFrom(bytes)).toEqual(PROFILE);
    for (const other of [
      Buffer.concat([bytes, Buffer.from(' ')]),
      Buffer.from('{}'),
      Buffer.from('nothing'),
      Buffer.from(JSON.stringify({ ...PROFILE, shells: ['Zsh'] })),
    ])
      expect(profileFrom(other)).toBeNull();
  });

  it.each([
    'API_KEY',
    'NPM_TOKEN',
    'DB_PASSWORD',
    'SECRET',
    'PATH',
    'HOME',
    'BASH_ENV',
    'ENV',
    'LD_PRELOAD',
    'GIT_SSH_COMMAND',
    'GIT_CONFIG_COUNT',
    'GIT_EXTERNAL_DIFF',
    'PAGER',
    'EDITOR',
    'NODE_OPTIONS',
    'PROMPT_COMMAND',
    'IFS',
  ])('sets no variable `%s`', (name) => {
    expect(problemsOf({ environment: { [name]: 'x' } })).toEqual([`/environment/${name}`]);
  });

  it('reports all faults at once, each with its pointer', () => {
    expect(problemsOf({ environment: { API_KEY: 'x', PATH: 'x', FINE: 'a\nb' } })).toEqual([
      '/environment/API_KEY',
      '/environment/PATH',
      '/environment/FINE',
    ]);
    expect(problemsOf({ shells: [] })).toEqual(['/shells']);
    expect(problemsOf({ limits: { wall_ms: 1, memory_bytes: 1 } })).toEqual([
      '/limits/wall_ms',
      '/limits/memory_bytes',
    ]);
    expect(problemsOf({ more: 1 })).not.toEqual([]);
    expect(
      problemsOf({
        environment: Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`V${n}`, 'x'.repeat(4096)])),
      }),
    ).toEqual(['']);
  });
});

describe('the tool under a profile', () => {
  it('means something else under each, and is within its limits', () => {
    const digests = [
      PROFILE,
      { ...PROFILE, environment: {} },
      { ...PROFILE, net: [] },
      { ...PROFILE, shells: ['Bash' as const] },
    ].map((profile) => definitionForDigest(dangerousTool(profile))['profile']);
    expect(new Set([...digests, undefined]).size).toBe(5);
    expect(dangerousTool(PROFILE).limits).toEqual({
      ...SHELL_DANGEROUS.limits,
      wall_ms: 5_000,
      memory_bytes: 128 * 1024 * 1024,
    });
    expect(definitionForDigest(SHELL_DANGEROUS)).toMatchObject({ category: 'admin', supervised: true });
  });

  it('is found by a name and nothing else', () => {
    expect(profileNameOf({ profile: 'ops' })).toBe('ops');
    for (const profile of [undefined, null, 3, '', '../x', 'Ops', 'a\n', 'x'.repeat(65)])
      expect(profileNameOf({ profile })).toBeNull();
  });

  const faultsOf = (shell: string, command: string) =>
    argumentFaults(dangerousTool(PROFILE), { shell, command, profile: 'ops' }).map(({ pointer }) => pointer);
  it('accepts only safe arguments for git, and any text for the others', () => {
    expect([faultsOf('Git', 'status'), faultsOf('Git', 'status; id'), faultsOf('Git', '-c core.pager=x log')]).toEqual([
      [],
      ['/command'],
      ['/command'],
    ]);
    expect([
      faultsOf('Bash', 'a; b | c'),
      faultsOf('PowerShell', 'Get-ChildItem | Select Name'),
      faultsOf('Bash', 'a\0b'),
      faultsOf('Zsh', 'x'),
    ]).toEqual([[], [], ['/command'], ['/shell']]);
  });

  it('is judged by the command that will run', () => {
    const line = (shell: string, command: string) => SHELL_DANGEROUS.commandLine?.({ shell, command, profile: 'ops' });
    expect(line('Bash', 'rm -rf x; ls')).toBe('rm -rf x; ls');
    expect(line('Git', 'commit -m "it\'s"')).toBe("git commit -m 'it'\\''s'");
    expect(line('Git', 'log; rm -rf /')).toBe('git log; rm -rf /');
    expect(line('PowerShell', 'rm -rf /')).toBe("pwsh -Command 'rm -rf /'");
    expect(line('CommandPrompt', 'rd /s src')).toBe("cmd /c 'rd /s src'");
  });
});

describe('the started process', () => {
  const job = (shell: string, command: string) => rawJob({ shell, command, profile: 'ops' }, PROFILE);
  it('is bash with the command, PowerShell that reads nothing else, or git without a shell', () => {
    expect(job('Bash', 'echo $STAGE')).toEqual({ program: null, env: PROFILE.environment });
    expect(job('PowerShell', 'Get-Date; id')).toEqual({
      program: [
        'pwsh',
        '-NoLogo',
        '-NoProfile',
        '-NonInteractive',
        '-OutputFormat',
        'Text',
        '-EncodedCommand',
        Buffer.from('Get-Date; id', 'utf16le').toString('base64'),
      ],
      env: PROFILE.environment,
    });
    const { program, env } = job('Git', "git log '--format=%H $(id)'");
    expect(program?.slice(0, 2)).toEqual(['git', '--no-pager']);
    expect(program?.slice(-1)).toEqual(['--format=%H $(id)']);
    expect(program).toEqual(
      expect.arrayContaining([
        'core.hooksPath=/dev/null',
        'core.fsmonitor=false',
        'credential.helper=',
        'safe.bareRepository=explicit',
      ]),
    );
    expect(env).toMatchObject({
      STAGE: 'test',
      GIT_AUTHOR_NAME: 'Ada',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_ALLOW_PROTOCOL: 'https',
    });
  });

  it('is nothing for a shell that no image has, or words that are none', () => {
    expect(() => job('CommandPrompt', 'dir')).toThrow('no shell');
    expect(() => job('Git', 'log; id')).toThrow('not started');
  });

  it('has no repository whose settings start something', () => {
    expect(
      repositoryFault('[core]\n\tbare = false\n[remote "origin"]\n\turl = https://anywhere.example/x\n'),
    ).toBeNull();
    expect(repositoryFault('[filter "x"]\n\tclean = evil')).toContain('filter.clean');
  });
});
