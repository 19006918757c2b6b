// SPDX-License-Identifier: Apache-2.0
// The signatures of docs/operations/images.md, with the programs it names: a real registry on loopback, a key of this
// test, and no other network.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@writ/stack';
import { freePort, repositoryRoot } from '@writ/testing';

const ROOT = repositoryRoot();
/** Builds of Go programs take many minutes the first time. */
const BUILD_MS = 45 * 60_000;
const DOCUMENT = readFileSync(join(ROOT, 'docs/operations/images.md'), 'utf8');

interface Printed {
  readonly status: number | null;
  readonly out: string;
}

let folder: string;
let registry: string;
let server: ChildProcess;
let programs: Readonly<Record<'crane' | 'cosign' | 'helm', string>>;

/**
 * Runs a program in the folder. No program may contact a service outside: a reader without network must be able to do
 * the same.
 */
function run(name: keyof typeof programs, ...args: string[]): Printed {
  const env = { PATH: process.env['PATH'], HOME: folder, COSIGN_PASSWORD: 'of this test', SIGSTORE_NO_CACHE: '1' };
  // An unreachable proxy: a program that contacts another host fails.
  const closed = { HTTPS_PROXY: 'http://127.0.0.1:9', HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: '127.0.0.1' };
  const { status, stdout, stderr } = spawnSync(programs[name], args, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...env, ...closed },
  });
  return { status, out: `${stdout}${stderr}` };
}

function must(name: keyof typeof programs, ...args: string[]): string {
  const { status, out } = run(name, ...args);
  if (status !== 0) throw new Error(`\`${name} ${args.join(' ')}\` ended with ${String(status)}:\n${out}`);
  return out;
}

/** Pushes an image of one file under a name; returns its reference by digest. */
function pushImage(name: string, text: string): string {
  const layer = join(folder, 'layer');
  mkdirSync(layer, { recursive: true });
  writeFileSync(join(layer, 'file'), text);
  spawnSync('tar', ['-C', layer, '-cf', join(folder, 'layer.tar'), 'file']);
  must('crane', 'append', '--new_layer', 'layer.tar', '--new_tag', `${registry}/${name}`);
  return `${registry}/${name.replace(/:.*/, '')}@${must('crane', 'digest', `${registry}/${name}`).trim()}`;
}

const sign = (reference: string, key = 'cosign.key'): string =>
  must('cosign', 'sign', '--yes', '--key', key, '--signing-config', 'offline.json', reference);
const verify = (reference: string, key = 'cosign.pub'): Printed =>
  run('cosign', 'verify', '--key', key, '--insecure-ignore-tlog', reference);

beforeAll(async () => {
  const built = spawnSync(
    process.execPath,
    ['tools/with-node.mjs', 'tools/src/go-tools/main.ts', 'crane', 'cosign', 'helm'],
    { cwd: ROOT, encoding: 'utf8' },
  );
  if (built.status !== 0) throw new Error(built.stderr);
  const [crane = '', cosign = '', helm = ''] = built.stdout.trim().split('\n');
  programs = { crane, cosign, helm };
  folder = mkdtempSync(join(tmpdir(), 'writ-signing-'));
  registry = `127.0.0.1:${String(await freePort())}`;
  server = spawn(crane, ['registry', 'serve', '--address', registry], { stdio: 'ignore' });
  await eventually('a registry', async () => (await fetch(`http://${registry}/v2/`).catch(() => null))?.ok === true);
  must('cosign', 'generate-key-pair');
  must('cosign', 'signing-config', 'create', '--out', 'offline.json');
}, BUILD_MS);
afterAll(() => {
  server?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

it('a signed image verifies offline by its public key', () => {
  const image = pushImage('writ/writ:0.1.0', 'signed');
  sign(image);
  const { status, out } = verify(image);
  expect(out).toContain('The signatures were verified against the specified public key');
  expect(status).toBe(0);
});

it('an unsigned image, a changed one, and one signed by another key do not verify', () => {
  const signed = pushImage('writ/writ:0.2.0', 'signed');
  sign(signed);
  const changed = verify(pushImage('writ/writ:0.2.0', 'changed'));
  expect(changed.out).toContain('no signatures found');
  expect(changed.status).not.toBe(0);
  must('cosign', 'generate-key-pair', '--output-key-prefix', 'other');
  expect(verify(signed, 'other.pub').status).not.toBe(0);
  expect(verify(signed).status).toBe(0);
});

it('a signature in the older format, which admission controllers read, verifies too', () => {
  const image = pushImage('writ/writ:0.4.0', 'older');
  const older = ['--new-bundle-format=false', '--use-signing-config=false', '--tlog-upload=false'];
  must('cosign', 'sign', '--yes', '--key', 'cosign.key', ...older, image);
  const { status } = run(
    'cosign',
    'verify',
    '--key',
    'cosign.pub',
    '--insecure-ignore-tlog',
    '--new-bundle-format=false',
    image,
  );
  expect(status).toBe(0);
});

it('the package list is attested with the image, and read back after the attestation verified', () => {
  const image = pushImage('writ/writ:0.3.0', 'attested');
  const list = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components: [] };
  writeFileSync(join(folder, 'writ.cdx.json'), JSON.stringify(list));
  const common = ['--key', 'cosign.key', '--signing-config', 'offline.json'];
  must('cosign', 'attest', '--yes', ...common, '--type', 'cyclonedx', '--predicate', 'writ.cdx.json', image);
  const { status, out } = run(
    'cosign',
    'verify-attestation',
    '--key',
    'cosign.pub',
    '--insecure-ignore-tlog',
    '--type',
    'cyclonedx',
    image,
  );
  expect(status).toBe(0);
  const line = out.split('\n').find((each) => each.startsWith('{'))!;
  const { payload } = JSON.parse(line) as { payload: string };
  const statement = JSON.parse(Buffer.from(payload, 'base64').toString()) as { predicate: object };
  expect(statement.predicate).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' });
});

it('the chart is pushed as an artifact, signed by digest, and verifies like an image', () => {
  must('helm', 'package', join(ROOT, 'helm/writ'), '--destination', '.');
  const said = must('helm', 'push', 'writ-0.1.0.tgz', `oci://${registry}/charts`, '--plain-http');
  const digest = /Digest: (sha256:[0-9a-f]{64})/.exec(said)?.[1] ?? '';
  const chart = `${registry}/charts/writ@${digest}`;
  expect(verify(chart).status).not.toBe(0);
  sign(chart);
  expect(verify(chart).status).toBe(0);
});

it('the document contains the commands of this spec', () => {
  for (const command of [
    'cosign generate-key-pair',
    'cosign signing-config create --out offline.json',
    'cosign sign --yes --key cosign.key --signing-config offline.json',
    'cosign verify --key cosign.pub --insecure-ignore-tlog',
    'cosign attest --yes --key cosign.key --signing-config offline.json --type cyclonedx',
    'cosign verify-attestation --key cosign.pub --insecure-ignore-tlog --type cyclonedx',
    'cosign sign --yes --key cosign.key --new-bundle-format=false --use-signing-config=false --tlog-upload=false',
    'helm push',
  ])
    expect(DOCUMENT).toContain(command);
});
