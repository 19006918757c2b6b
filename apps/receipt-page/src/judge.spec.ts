// SPDX-License-Identifier: Apache-2.0
import { judge } from './judge.ts';
import {
  countedFile,
  keysFile,
  NOW,
  OPERATION_ID,
  policyFile,
  receiptFile,
  reformattedFile,
  tamperedFiles,
} from './sample.contract.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const verdictOn = (receipt: string, trust = keysFile, operation = '') =>
  judge({ receipt: bytes(receipt), trust: bytes(trust), operation }, NOW);

it('a good receipt is reported with its call and each check', () => {
  for (const trust of [keysFile, policyFile()]) {
    const { isGood, summary, lines } = verdictOn(receiptFile, trust, OPERATION_ID);
    expect([isGood, summary]).toEqual([
      true,
      `This receipt verifies: the call ${OPERATION_ID} of \`fs.write\` ended as \`committed\`.`,
    ]);
    expect(lines).toContain('the record is in the log that the checkpoint states: leaf 1 of 3');
  }
});

it('a reformatted receipt verifies, with a note that says so', () => {
  for (const trust of [keysFile, policyFile()]) {
    const { isGood, lines } = verdictOn(reformattedFile, trust);
    expect([isGood, lines.some((line) => line.includes('was reformatted'))]).toEqual([true, true]);
  }
  expect(verdictOn(receiptFile).lines.join()).not.toContain('reformatted');
});

it('the usage counter is reported where the record names one', () => {
  expect(verdictOn(countedFile).lines).toContain(
    'Usage: counted by the agent inside of the sandbox, within its limits: the call may have made it say less',
  );
  expect(verdictOn(receiptFile).lines.join()).not.toContain('counted');
});

it.each(Object.entries(tamperedFiles))('a failed check is named: %s', (check, file) => {
  const { isGood, summary, lines } = verdictOn(file);
  expect([isGood, summary]).toEqual([false, 'This receipt does not verify.']);
  expect(lines[0]).toContain(check);
});

it('a receipt of another operation than the requested one fails', () => {
  expect(verdictOn(receiptFile, keysFile, 'op_00000000000000000000000000')).toMatchObject({
    isGood: false,
    lines: ['Expected: the receipt is the one that was asked for.', expect.any(String)],
  });
});

it("an unknown trust file, and a deployment that the policy doesn't name, fail", () => {
  for (const trust of ['', '[]', '{}', '{"deployments":1}', receiptFile, policyFile('other.example')])
    expect(verdictOn(receiptFile, trust)).toMatchObject({
      isGood: false,
      summary: 'This file names no keys that can be trusted.',
    });
});

it('the witnesses that a policy requires are checked', () => {
  const { isGood, lines } = verdictOn(receiptFile, policyFile(undefined, { quorum: 1 }));
  expect([isGood, lines[0]]).toEqual([false, expect.stringContaining('witnesses cosigned')]);
});
