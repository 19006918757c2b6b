// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync } from 'node:crypto';
import { parseSigner, parseVerifier, SignatureError, type Signer } from '@writ/signing';
import { closeDigestOf, closeReasonOf, parseReportFile, reportFile, verifyRecorded, verifySigned } from './report.ts';
import type { Report } from './report.ts';

const signer = () =>
  parseSigner(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
const verifierOf = (of: Signer) => parseVerifier(of.publicJwk);
const REPORT: Report = {
  v: 1,
  url: 'https://writ.example.org',
  version: '0.1.0',
  started_at: 1,
  ended_at: 2,
  tenant_id: 'ten_0123456789abcdefghjkmnpqrs',
  keys: 'given',
  healthy: false,
  counts: { pass: 0, fail: 1, not_applicable: 0 },
  checks: [
    { id: 'log', invariant: 'it grows', obligatory: true, verdict: 'fail', made: true, evidence: 'it shrank', ms: 3 },
  ],
};
const bytesOf = (value: unknown): Uint8Array => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);

it("verifies the operator's signature of a file that was written and read again", () => {
  const operator = signer();
  const file = parseReportFile(bytesOf(reportFile(REPORT, null, operator)));
  expect(verifySigned(file, verifierOf(operator))).toBe(operator.keyid);
  expect(() => verifySigned(file, verifierOf(signer()))).toThrow(SignatureError);
});

it('refuses a report whose content was changed after it was signed', () => {
  const operator = signer();
  const file = reportFile(REPORT, null, operator);
  const better = { ...file, report: { ...file.report, healthy: true } };
  expect(() => verifySigned(parseReportFile(bytesOf(better)), verifierOf(operator))).toThrow(SignatureError);
});

it('a report without signature or receipt is none that anybody vouches for', () => {
  const file = parseReportFile(bytesOf(reportFile(REPORT, null, null)));
  expect(() => verifySigned(file, verifierOf(signer()))).toThrow('no signature');
  expect(() => verifyRecorded(file, { termsOf: () => expect.unreachable() as never })).toThrow('no receipt');
});

it('the reason for which the tenant is closed fits, and its digest depends on every member of the report', () => {
  expect(closeReasonOf(REPORT)).toMatch(/^doctor report sha256:[0-9a-f]{64}$/);
  expect(closeDigestOf({ ...REPORT, healthy: true })).not.toBe(closeDigestOf(REPORT));
});

it.each([
  ['an unknown member', { ...reportFile(REPORT, null, null), more: 1 }],
  ['another media type', { ...reportFile(REPORT, null, null), media_type: 'text/plain' }],
  [
    'an unknown verdict',
    reportFile({ ...REPORT, checks: [{ ...REPORT.checks[0]!, verdict: 'ok' as 'pass' }] }, null, null),
  ],
  ['no object', []],
])('refuses a file with %s', (_, value) => {
  expect(() => parseReportFile(bytesOf(value))).toThrow('no report of `writ doctor`');
});
