// SPDX-License-Identifier: Apache-2.0
//
// Mail of the mailbox of a call, over connections of the gate. INVARIANT (never sent): a draft is stored in the folder
// of drafts by IMAP, which has no way to send it. INVARIANT (stored once): the Message-ID comes from the operation, and
// a draft that has it is not stored again.
import { draftOf, type FoundMessages, type MailboxSettings, type MessageQuery } from '@writ/contract';
import { sha256Hex } from '@writ/digest';
import { MailboxError, type StoredDraft } from '@writ/mailbox';
import type { Call, RunContext } from '../calls/runner.ts';
import type { CallGate } from '../egress/call-gate.ts';
import type { RawTarget } from '../egress/raw-target.ts';
import type { MailSessions } from './mail-sessions.ts';
import { secretOf } from './resource-secret.ts';

/** What both tools use, beside the way outside. */
export interface MailResources extends Pick<RunContext, 'signal' | 'work'> {
  readonly mail: MailSessions;
}

/** It leaves time for a second session within the call's own minute. */
const SESSION_MS = 40_000;
const CONFIRM_MS = 10_000;
/** Many times what composing the longest draft takes on a busy machine. */
const WORK_MS = 10_000;

/** Runs `email.find`: reads, and marks nothing as read. @throws MailboxError, GateRefusal */
export async function emailFind(call: Call, gate: CallGate, { signal, mail }: MailResources): Promise<FoundMessages> {
  const box = mailboxOf(call);
  const { mailbox: _mailbox, ...query } = call.args;
  const connection = await gate.connect({ ...addressOf(box.settings), isSafe: true }, '');
  const session = { tenantId: call.tenantId, signal, timeoutMs: SESSION_MS };
  const asked = { query: query as MessageQuery, bytesMax: call.limits.output_bytes, named: call.values?.named ?? [] };
  return await mail.run(connection, session, (pool, port, options) =>
    pool.run('mail.find', { port, ...box, timeoutMs: SESSION_MS, ...asked }, options),
  );
}

/**
 * Runs `email.draft`. The effect is announced when the draft is about to be sent, so that a refused login is a plain
 * failure. When the answer is missing, a second session looks for the draft. @throws MailboxError, GateRefusal
 */
export async function emailDraft(call: Call, gate: CallGate, { signal, work, mail }: MailResources): Promise<unknown> {
  const { tenantId } = call;
  const box = mailboxOf(call);
  const messageId = messageIdOf(call, box.settings);
  const input = { draft: draftOf(call.args), from: box.settings.address, date: madeAt(call.operationId), messageId };
  const message = await work.run('mail.compose', input, WORK_MS);
  const { connection, announce } = await gate.connectToChange(addressOf(box.settings), '');
  const session = { tenantId, signal, timeoutMs: SESSION_MS, beforeStoring: announce };
  let stored: StoredDraft;
  try {
    stored = await mail.run(connection, session, (pool, port, options) =>
      pool.run('mail.put', { port, ...box, timeoutMs: SESSION_MS, message, messageId }, options),
    );
  } catch (error) {
    const found = isInDoubt(error) && !signal.aborted ? await lookFor() : null;
    if (found === null) throw error;
    stored = { ...found, isOld: false };
  }
  const { folder, uid, isOld } = stored;
  return { folder, uid, message_id: messageId, sha256: sha256Hex(message), already_there: isOld };

  async function lookFor(): Promise<StoredDraft | null> {
    try {
      const second = await gate.connect({ ...addressOf(box.settings), isSafe: true }, '');
      return await mail.run(second, { tenantId, signal, timeoutMs: CONFIRM_MS }, (pool, port, options) =>
        pool.run('mail.look', { port, ...box, timeoutMs: CONFIRM_MS, messageId }, options),
      );
    } catch {
      // The doubt stays, and the first error says why.
      return null;
    }
  }
}

const isInDoubt = (error: unknown): boolean => error instanceof MailboxError && error.mayHaveStored;

function mailboxOf(call: Call): { readonly settings: MailboxSettings; readonly password: string } {
  const settings = call.resources[0]?.settings as MailboxSettings | undefined;
  if (settings === undefined) throw new Error('a call of a mailbox came without its mailbox');
  return { settings, password: secretOf(call, settings.secret) };
}

const addressOf = ({ host, port, tls }: MailboxSettings): Omit<RawTarget, 'isSafe'> => ({
  host,
  port,
  tls: tls === 'implicit' ? 'tls' : 'none',
});

/** The same for every attempt of the call, and unique: the right side is a domain of the sender (RFC 5322, 3.6.4). */
const messageIdOf = ({ operationId }: Call, { address }: MailboxSettings): string =>
  `<${operationId}@${address.slice(address.lastIndexOf('@') + 1)}>`;

/** Crockford's base32 in lower case. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * When the operation was made, in milliseconds since the epoch. Its id is a UUIDv7 (RFC 9562, section 5.7), whose first
 * 48 bits are the first ten characters. Every attempt of a call so composes the same bytes.
 */
export const madeAt = (operationId: string): number =>
  [...operationId.slice(operationId.indexOf('_') + 1, operationId.indexOf('_') + 11)].reduce(
    (sum, character) => sum * 32 + ALPHABET.indexOf(character),
    0,
  );
