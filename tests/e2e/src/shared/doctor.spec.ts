// SPDX-License-Identifier: Apache-2.0
// `writ doctor` on an installation that keeps its promises. tests/fault/src/doctor.long.spec.ts has broken ones.
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { repositoryRoot } from '@writ/testing';
import { Api, eventually, Operator, sharedStack, type JsonValue, type SharedStack } from '@writ/stack';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let stack: SharedStack;
let operator: Operator;
beforeAll(async () => {
  stack = await sharedStack();
  operator = new Operator(stack.keys);
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  writeFileSync(operator.path('operator.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(operator.path('operator.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
});
afterAll(() => operator?.remove());

const NOT_HERE = { certificate: 'plain http', 'log-since-last-run': 'no earlier run' };
const GUIDE = join(repositoryRoot(), 'docs/how-to/doctor.md');
const shapeOf = (output: string): string[] =>
  output
    .trim()
    .split('\n')
    .map((line) => (line.startsWith(' ') ? '(evidence)' : line.replaceAll(/[0-9a-hjkmnp-tv-z]{26}|\d+/g, '#')));
const verify = (...trusted: string[]) => operator.writ(['doctor', 'verify', 'report.json', '-o', 'json', ...trusted]);

it('passes in less than a minute, closes its tenants, and its report verifies offline', async () => {
  const began = Date.now();
  const { exit, out, err, file, failed } = await operator.examine(stack.url, ['--sign-key', 'operator.pem']);
  expect({ failed, exit, err }, out).toEqual({ failed: [], exit: 0, err: '' });
  expect(Date.now() - began).toBeLessThan(60_000);
  const checks = file.report.checks as { id: string; verdict: string; evidence: string }[];
  const rest = checks.filter(({ verdict }) => verdict !== 'pass');
  expect(Object.fromEntries(rest.map(({ id, evidence }) => [id, evidence]))).toEqual(
    Object.fromEntries(Object.entries(NOT_HERE).map(([id, reason]) => [id, expect.stringContaining(reason) as string])),
  );
  expect(file.report).toMatchObject({ healthy: true, keys: 'given', counts: { fail: 0 } });
  expect(out).toMatch(/^not applicable {2}certificate: /m);
  expect(out).toMatch(/^healthy$/m);
  // Numbers and evidence are of one run; each check has its two lines.
  const [, sample = ''] = /^```text\n([^]*?)^```$/m.exec(readFileSync(GUIDE, 'utf8')) ?? [];
  expect(shapeOf(sample)).toEqual(shapeOf(out));

  const platform = new Api(stack.url, stack.keys.platformKey);
  const tenantId = file.report.tenant_id as string;
  expect((await platform.get(`/v1/tenants/${tenantId}`)).body).toMatchObject({ state: 'closed' });

  const verified = await verify('--keys', stack.keys.publicKeysFile, '--signer', 'operator.pub');
  expect(verified.exit, verified.err).toBe(0);
  expect(JSON.parse(verified.out)).toMatchObject({
    healthy: true,
    recorded_as: expect.stringMatching(/^rec_/) as string,
    signed_by: file.signature.keyid as string,
  });

  // Another content is neither what was recorded nor what was signed.
  const [first, ...others] = file.report.checks as JsonValue[];
  const report = { ...file.report, checks: [{ ...first, evidence: 'it was seen by nobody' }, ...others] };
  writeFileSync(operator.path('report.json'), JSON.stringify({ ...file, report }));
  for (const trusted of [
    ['--keys', stack.keys.publicKeysFile],
    ['--signer', 'operator.pub'],
  ])
    expect(await verify(...trusted)).toMatchObject({ exit: 1, out: '' });
});

const openTenants = async (): Promise<string[]> => {
  const { body } = await new Api(stack.url, stack.keys.platformKey).get('/v1/tenants?open=true&limit=100');
  return (body.items as { name: string }[]).map(({ name }) => name).filter((name) => name.startsWith('writ-doctor '));
};

it('closes its tenants when it is interrupted, and passes nothing that it did not examine', async () => {
  const interruptAt = eventually('a tenant of the doctor', async () => (await openTenants()).length > 0);
  const { exit, out, err, file } = await operator.examine(stack.url, [], {}, { interruptAt });
  expect([exit, out, err]).toEqual([
    expect.any(Number),
    expect.stringMatching(/^not healthy$/m),
    expect.stringContaining('error interrupted'),
  ]);
  expect(exit).not.toBe(0);
  expect(file.report).toMatchObject({ healthy: false });
  expect(await openTenants()).toEqual([]);
});

it('proves at the next run that the log begins with what it kept of it', async () => {
  const { exit, failed, file } = await operator.examine(stack.url);
  expect({ failed, exit }).toEqual({ failed: [], exit: 0 });
  expect(file.report.checks).toContainEqual(
    expect.objectContaining({ id: 'log-since-last-run', verdict: 'pass', made: true }),
  );
});
