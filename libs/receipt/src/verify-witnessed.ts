// SPDX-License-Identifier: Apache-2.0
import { verifyCosignatures } from '@writ/signing';
import type { Cosignature } from '@writ/signing';
import { demand, within } from './run-check.ts';
import type { PassedCheck } from './passed-check.ts';
import type { WitnessTerms } from './trust-policy.ts';

/** How far a witness's clock may be ahead of the verifier's, in milliseconds. Later cosignatures don't count. */
const AHEAD_MS = 5 * 60_000;
const MS_PER_S = 1000;

/**
 * Verifies that enough witnesses cosigned a checkpoint, and recently enough. `now` is in milliseconds since the epoch.
 * The log's own signature MUST have been verified: a witness confirms that it saw a checkpoint, not whose it is.
 *
 * A checkpoint has no time of its own, so the quorum determines its age. The most recent cosignatures that make up a
 * quorum are sorted by time; the earliest of them counts.
 *
 * @throws ReceiptError `witnesses` or `freshness`
 */
export function verifyWitnessed(
  note: string,
  { keys, quorum, checkpointAgeMaxMs }: WitnessTerms,
  now: number,
): PassedCheck[] {
  const cosigned = within('witnesses', () => verifyCosignatures(note, keys)).filter(
    ({ time }) => time * MS_PER_S <= now + AHEAD_MS,
  );
  const missing = keys.filter((key) => !cosigned.some((one) => one.key === key));
  demand(
    'witnesses',
    cosigned.length >= quorum,
    `${String(cosigned.length)} of ${String(quorum)} witnesses that are needed cosigned the checkpoint; missing: ${namesOf(missing)}`,
  );
  const seenAt = seenByQuorum(cosigned, quorum);
  const passed: PassedCheck[] = [
    {
      name: 'witnesses',
      detail: `${String(cosigned.length)} of ${String(keys.length)}, ${String(quorum)} needed: ${namesOf(cosigned.map(({ key }) => key))}`,
    },
  ];
  if (checkpointAgeMaxMs === null) return passed;
  const ageMs = now - seenAt;
  demand(
    'freshness',
    ageMs <= checkpointAgeMaxMs,
    `the witnesses saw the checkpoint ${inSeconds(ageMs)} ago, and the policy allows ${inSeconds(checkpointAgeMaxMs)}: refresh the receipt with \`writ log refresh\``,
  );
  return [
    ...passed,
    { name: 'freshness', detail: `${inSeconds(Math.max(0, ageMs))} of ${inSeconds(checkpointAgeMaxMs)}` },
  ];
}

/** The latest time, in milliseconds, at or after which a whole quorum had seen it. */
function seenByQuorum(cosigned: readonly Cosignature[], quorum: number): number {
  return (cosigned.map(({ time }) => time).sort((a, b) => b - a)[quorum - 1] as number) * MS_PER_S;
}

const namesOf = (keys: readonly { name: string }[]): string => keys.map(({ name }) => `\`${name}\``).join(', ');

const inSeconds = (ms: number): string => `${String(Math.floor(ms / MS_PER_S))} s`;
