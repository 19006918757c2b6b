// SPDX-License-Identifier: Apache-2.0
import type { MessagePort } from 'node:worker_threads';
import type { Draft, FoundMessages, MailboxSettings, MessageQuery } from '@writ/contract';
import {
  draftMessage,
  findDraft,
  findMessages,
  MailboxError,
  putDraft,
  sessionInThread,
  type SessionDone,
  type StoredDraft,
} from '@writ/mailbox';
import { SecretValues, type NamedValue } from '../redaction/redactor.ts';
import { shownJson } from '../redaction/shown-json.ts';

/** A draft, and what its message has beside it. */
export interface ComposeWork {
  readonly draft: Draft;
  readonly from: string;
  /** milliseconds since the epoch */
  readonly date: number;
  readonly messageId: string;
}

/** A session at a mailbox. */
export interface SessionWork {
  /** the thread's end of a `ConnectionRelay` */
  readonly port: MessagePort;
  readonly settings: MailboxSettings;
  readonly password: string;
  readonly timeoutMs: number;
}

/** A search, and how much of what is found may be answered. */
export interface FindWork extends SessionWork {
  readonly query: MessageQuery;
  /** bytes of JSON of the answer */
  readonly bytesMax: number;
  readonly named: readonly NamedValue[];
}

export interface PutWork extends SessionWork {
  readonly message: Uint8Array;
  readonly messageId: string;
}

export interface LookWork extends SessionWork {
  readonly messageId: string;
}

/** More recipients than a person reads. Of more, the first are kept. */
const CORRESPONDENTS_SHOWN = 20;

/** The composing of mail, whose cost its author decides, for worker threads. */
export const MAIL_TASKS = {
  'mail.compose': async ({ draft, from, date, messageId }: ComposeWork): Promise<Uint8Array> =>
    await draftMessage(draft, { from, date: new Date(date), messageId }),
} as const;

/**
 * Sessions at mailboxes, whose cost the server decides, for worker threads that wait for servers. Whatever reads bytes
 * of a server is in here: the protocol, the structures of messages, their encodings and their HTML.
 */
export const MAIL_SESSION_TASKS = {
  'mail.find': ({ port, settings, password, timeoutMs, query, bytesMax, named }: FindWork) =>
    sessionInThread(port, async (connection) =>
      shown(await findMessages(connection, settings, password, query, { timeoutMs }), named, bytesMax),
    ),
  'mail.put': ({ port, settings, password, timeoutMs, message, messageId }: PutWork) =>
    sessionInThread(port, (connection) =>
      putDraft(connection, settings, password, message, {
        timeoutMs,
        messageId,
        beforeStoring: async () => {
          // Whoever has the connection knows why not, and says that.
          if (!(await connection.announce())) throw new MailboxError('refused', 'the draft may not be stored');
        },
      }),
    ),
  'mail.look': ({
    port,
    settings,
    password,
    timeoutMs,
    messageId,
  }: LookWork): Promise<SessionDone<StoredDraft | null>> =>
    sessionInThread(port, (connection) => findDraft(connection, settings, password, messageId, { timeoutMs })),
} as const;

export type MailSessionTasks = typeof MAIL_SESSION_TASKS;

function shown(found: FoundMessages, named: readonly NamedValue[], bytesMax: number): FoundMessages {
  const json = shownJson(new SecretValues(named), {
    ...found,
    messages: found.messages.map((message) => ({
      ...message,
      from: message.from.slice(0, CORRESPONDENTS_SHOWN),
      to: message.to.slice(0, CORRESPONDENTS_SHOWN),
    })),
  }) as FoundMessages;
  while (json.messages.length > 0 && Buffer.byteLength(JSON.stringify(json)) > bytesMax) json.messages.pop();
  return json;
}
