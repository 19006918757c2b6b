// SPDX-License-Identifier: Apache-2.0
import { judge } from './judge.ts';
import { countedFile, keysFile, NOW, OPERATION_ID, policyFile, receiptFile, tamperedFiles } from './sample.contract.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const verdictOn = (receipt: string, trust = keysFile, operation = '') =>
  judge({ receipt: bytes(receipt), trust: bytes(trust), operation }, NOW);

it('says what a good receipt says, and each check', () => {
  for (const trust of [keysFile, policyFile()]) {
    const { isGood, says, lines } = verdictOn(receiptFile, trust, OPERATION_ID);
    expect([isGood, says]).toEqual([
      true,
      `This receipt verifies: the call ${OPERATION_ID} of \`fs.write\` ended as \`committed\`.`,
    ]);
    expect(lines).toContain('the record is in the log that the checkpoint states: leaf 1 of 3');
  }
});

it('says who counted usage where the record does, and nothing of it elsewhere', () => {
  expect(verdictOn(countedFile).lines).toContain(
    'Usage: counted by the agent inside of the sandbox, within its limits: the call may have made it say less',
  );
  expect(verdictOn(receiptFile).lines.join()).not.toContain('counted');
});

it.each(Object.entries(tamperedFiles))('names the check that a receipt fails: %s', (check, file) => {
  const { isGood, says, lines } = verdictOn(file);
  expect([isGood, says]).toEqual([false, 'This receipt does not verify.']);
  expect(lines[0]).toContain(check);
});

it('takes no receipt of another call than was asked about', () => {
  expect(verdictOn(receiptFile, keysFile, 'op_00000000000000000000000000')).toMatchObject({
    isGood: false,
    lines: ['It should be so that the receipt is the one that was asked for.', expect.any(String)],
  });
});

it('trusts no file that it does not know, and no deployment that a policy does not name', () => {
  for (const trust of ['', '[]', '{}', '{"deployments":1}', receiptFile, policyFile('other.example')])
    expect(verdictOn(receiptFile, trust)).toMatchObject({
      isGood: false,
      says: "Whom to trust can't be told from this file.",
    });
});

it('asks for the witnesses that a policy asks for', () => {
  const { isGood, lines } = verdictOn(receiptFile, policyFile(undefined, { quorum: 1 }));
  expect([isGood, lines[0]]).toEqual([false, expect.stringContaining('witnesses cosigned')]);
});
