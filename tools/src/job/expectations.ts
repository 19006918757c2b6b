// SPDX-License-Identifier: Apache-2.0
import {
  isFix,
  isHeldAndDenied,
  isRefusedOutOfScope,
  isReplayOf,
  isRolledBackHalfWay,
  isSuiteFailing,
  isTraceless,
  writtenInSandbox,
} from './findings.ts';
import { isSuiteGreenAtEnd } from './probes.ts';
import type { Expectation } from './result.ts';
import type { Entry } from './tool-client.ts';
import type { CheckedReceipt } from './receipts.ts';

/** The results of a run. */
export interface Evidence {
  readonly journal: readonly Entry[];
  readonly receipts: readonly CheckedReceipt[];
  /** Why the model gave up, if it did. */
  readonly modelFault: string | null;
}

/** The number of a call's row in the table. */
const namerOf =
  (journal: readonly Entry[]) =>
  (entry: Entry | undefined): string =>
    entry === undefined ? 'no such call' : `call ${journal.indexOf(entry) + 1}`;

/** A receipt counts only if it is of that operation and phase, and agrees with the API's answer. */
const isProof = ({ receipt, isVerified }: CheckedReceipt): boolean => isVerified && receipt.path !== null;

function onCalls(journal: readonly Entry[]): Expectation[] {
  const named = namerOf(journal);
  const one = (what: string, is: (entry: Entry) => boolean, found = named): Expectation => {
    const entry = journal.find((each) => !each.isRepeat && is(each));
    return { what, met: entry !== undefined, found: found(entry) };
  };
  const traces = journal.filter((entry) => !isTraceless(entry));
  return [
    one('the test suite failed in the sandbox', isSuiteFailing),
    one('the sources were changed', isFix),
    { what: 'the test suite passes at the end', met: isSuiteGreenAtEnd(journal), found: '' },
    one('a write outside the token was refused', isRefusedOutOfScope),
    one('a destructive command was held, shown and denied', isHeldAndDenied),
    one('a command that failed half-way left no trace', isRolledBackHalfWay, (entry) =>
      entry === undefined
        ? 'no such call'
        : `${named(entry)} had written ${writtenInSandbox(entry)
            .map((path) => `\`${path}\``)
            .join(', ')}; every file has the hash that it had`,
    ),
    { what: 'what did not commit changed no file', met: traces.length === 0, found: traces.map(named).join(', ') },
  ];
}

function onRepeat(journal: readonly Entry[]): Expectation {
  const repeat = journal.find(({ isRepeat }) => isRepeat);
  const original = journal.find(
    ({ call, turn, isRepeat }) => !isRepeat && call.id === repeat?.call.id && turn === repeat.turn,
  );
  const met = repeat !== undefined && original !== undefined && isReplayOf(repeat, original);
  return {
    what: 'a repeated idempotency key gave the original outcome and ran nothing',
    met,
    found: namerOf(journal)(repeat),
  };
}

function onReceipts(receipts: readonly CheckedReceipt[]): Expectation {
  const bad = receipts.filter((receipt) => !isProof(receipt));
  const met = receipts.length > 0 && bad.length === 0;
  const words = bad.map(({ receipt, finding }) => `\`${receipt.operationId}\` ${receipt.phase}: ${finding}`);
  return {
    what: 'every receipt verifies offline',
    met,
    found: met ? `${receipts.length} receipts` : words.join('; ') || 'no receipts',
  };
}

/** The expectations, and whether each is met. */
export const judgeRun = ({ journal, receipts, modelFault }: Evidence): Expectation[] => [
  { what: 'the model finished', met: modelFault === null, found: modelFault ?? '' },
  ...onCalls(journal),
  onRepeat(journal),
  onReceipts(receipts),
];
