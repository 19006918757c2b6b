// SPDX-License-Identifier: Apache-2.0
//
// What one run keeps for the next: a checkpoint of the log of its tenant. INVARIANT (a state proves nothing): the log
// is read again and its root computed, so a forged state leads to a failure, and never to a pass of another log.
import { existsSync, readFileSync } from 'node:fs';
import { parseMessage } from '@writ/contract';
import { parseIJson } from '@writ/digest';
import { Type, type Static } from 'typebox';
import { CliError } from '../cli-error.ts';
import { writeWhole } from '../write-whole.ts';

const STATE_BYTES_MAX = 512 * 1024;
/** Servers of one person; the oldest are forgotten. */
const SERVERS_MAX = 50;

const closed = { additionalProperties: false } as const;
const KeptLog = Type.Object({ url: Type.String(), tenant_id: Type.String(), checkpoint: Type.String() }, closed);
export type KeptLog = Static<typeof KeptLog>;
const StateFile = Type.Object({ v: Type.Literal(1), logs: Type.Array(KeptLog) }, closed);

/** The log that was kept of a server; null where there is none. @throws CliError `state` */
export const readKept = (path: string, url: string): KeptLog | null =>
  logsIn(path).find((log) => log.url === url) ?? null;

/** Keeps a log in the place of the one that was kept of its server. */
export function keepLog(path: string, log: KeptLog): void {
  const logs = [...logsIn(path).filter(({ url }) => url !== log.url), log].slice(-SERVERS_MAX);
  writeWhole(path, `${JSON.stringify({ v: 1, logs })}\n`, 0o600);
}

function logsIn(path: string): readonly KeptLog[] {
  if (!existsSync(path)) return [];
  try {
    return parseMessage(StateFile, parseIJson(readFileSync(path), { depthMax: 4, bytesMax: STATE_BYTES_MAX })).logs;
  } catch (cause) {
    throw new CliError(
      'state',
      `\`${path}\` is no state of \`writ doctor\`: name another file with \`--state\`, or delete it`,
      undefined,
      { cause },
    );
  }
}
