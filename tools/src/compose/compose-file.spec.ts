// SPDX-License-Identifier: Apache-2.0
// Checks of deploy/compose without starting it. tests/deploy starts it, on request.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { checkout } from '../setup.ts';
import { SERVICES } from '../supervisor/services.ts';
import { COMPOSE_FILES, COMPOSE_FOLDER, composeFile } from './compose-file.ts';

const FILE = join(COMPOSE_FOLDER, 'compose.yaml');
const { services, volumes = {} } = composeFile('compose.yaml');

const text = (...path: string[]): string => readFileSync(join(checkout, ...path), 'utf8');

describe('deploy/compose', () => {
  it.each(Object.entries(services))('%s is hardened and bounded', (_name, service) => {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    expect(service.restart).toMatch(/^(?:no|unless-stopped)$/);
    expect(service.mem_limit).toBeDefined();
    // A floating tag would give another image at each pull.
    expect(service.image).toMatch(/:-[^:}]+:(?!latest)[^}]+\}$/);
  });

  it.each(SERVICES)('%s gets variables that it reads, and no password', (name) => {
    const known = text('apps', name, 'src', 'config.env.ts') + text('libs', 'nest-kit', 'src', 'common-environment.ts');
    const given = COMPOSE_FILES.flatMap((file) => Object.entries(composeFile(file).services[name]?.environment ?? {}));
    const unknown = given.map(([variable]) => variable).filter((variable) => !known.includes(`${variable}:`));
    expect(unknown).toEqual([]);
    for (const [, value] of given) expect(value).not.toMatch(/:\/\/[^/@]*:[^/@]*@/);
  });

  it('publishes ports only on this machine unless configured otherwise', () => {
    for (const port of Object.values(services).flatMap(({ ports = [] }) => ports))
      expect(port).toMatch(/^(?:\$\{WRIT_HTTP_BIND:-127\.0\.0\.1\}|127\.0\.0\.1):/);
  });

  it('declares every volume that it mounts', () => {
    const mounted = Object.values(services)
      .flatMap((service) => service.volumes ?? [])
      .map((volume) => volume.split(':')[0] ?? '');
    expect([...new Set(mounted.filter((name) => /^[a-z]/.test(name)))].sort()).toEqual(Object.keys(volumes).sort());
  });

  let noVariables: string;
  beforeAll(() => {
    noVariables = join(mkdtempSync(join(tmpdir(), 'writ-compose-file-')), 'env');
    writeFileSync(noVariables, '');
  });
  afterAll(() => {
    rmSync(dirname(noVariables), { recursive: true });
  });

  const compose = [['docker-compose'], ['docker', 'compose']].find(
    ([program = '', ...args]) => spawnSync(program, [...args, 'version'], { stdio: 'ignore' }).status === 0,
  );
  const config = (env: Record<string, string>): { status: number | null; stdout: string; stderr: string } => {
    const [program = '', ...args] = compose ?? [];
    // Ignores a trial's .env in the same folder.
    return spawnSync(program, [...args, '--env-file', noVariables, '--file', FILE, 'config'], {
      encoding: 'utf8',
      cwd: '/',
      env: { PATH: process.env['PATH'], ...env },
    });
  };
  const withCompose = compose === undefined ? it.skip : it;
  const why = compose === undefined ? ' (there is no Docker Compose: `apt-get install docker-compose`)' : '';

  withCompose(`is read by Docker Compose${why}`, () => {
    const { status, stdout, stderr } = config({ WRIT_SANDBOX_IMAGE_DIGEST: `sha256:${'0'.repeat(64)}` });
    expect([status, stderr]).toEqual([0, '']);
    for (const name of SERVICES) expect(stdout).toContain(`services/${name}/main.js`);
  });

  withCompose(`names a missing variable, and where to set it${why}`, () => {
    const { status, stderr } = config({});
    expect(status).not.toBe(0);
    expect(stderr).toMatch(/WRIT_SANDBOX_IMAGE_DIGEST[^]*set it in \.env/);
  });
});

describe('backups in deploy/compose', () => {
  const inParallel = composeFile('backup.yaml');
  const runScript = (name: string, ...args: string[]): { status: number | null; output: string } => {
    const script = join(dirname(FILE), 'postgres', name);
    const { status, stderr } = spawnSync('sh', [script, ...args], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
    });
    return { status, output: stderr };
  };

  it('backup.yaml adds one volume to Postgres, and changes no other service', () => {
    expect(inParallel.volumes).toEqual({ 'postgres-backup': {} });
    for (const [name, service] of Object.entries(inParallel.services)) {
      expect(services).toHaveProperty(name);
      expect(Object.keys(service)).toEqual(['volumes']);
      expect(service.volumes).toHaveLength(1);
      expect(service.volumes?.[0]).toMatch(/^postgres-backup:/);
    }
  });

  it.each(['yesterday', '2026-05-01', '2026-05-01T12:00', '12:00Z'])(
    'a restore to `%s` is refused: it is no timestamp',
    (moment) => {
      expect(runScript('restore.sh', moment)).toEqual({
        status: 1,
        output: `\`${moment}\` is no moment such as 2026-05-01T12:00:00Z: nothing was changed\n`,
      });
    },
  );

  it.each([[], ['2026-05-01T12:00:00Z'], ['2026-05-01 12:00:00.5+02']])(
    'a restore %s without a base backup changes nothing',
    (...args: string[]) => {
      expect(runScript('restore.sh', ...args)).toEqual({
        status: 1,
        output: 'there is no base backup in /backup/base: nothing was changed\n',
      });
    },
  );
});
