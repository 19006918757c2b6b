// SPDX-License-Identifier: Apache-2.0
import type { Draft, FoundMessages } from '@writ/contract';
import { draftMessage } from '@writ/mailbox';
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

/** Messages that were found, and how much of them may be answered. */
export interface ShowMessagesWork {
  readonly found: FoundMessages;
  /** bytes of JSON of the answer */
  readonly bytesMax: number;
  readonly named: readonly NamedValue[];
}

/** More recipients than a person reads. Of more, the first are kept. */
const CORRESPONDENTS_SHOWN = 20;

/** Work on mail whose cost its author decides, for worker threads. */
export const MAIL_TASKS = {
  'mail.compose': async ({ draft, from, date, messageId }: ComposeWork): Promise<Uint8Array> =>
    await draftMessage(draft, { from, date: new Date(date), messageId }),
  'mail.show': ({ found, bytesMax, named }: ShowMessagesWork): FoundMessages => {
    const shown = shownJson(new SecretValues(named), {
      ...found,
      messages: found.messages.map((message) => ({
        ...message,
        from: message.from.slice(0, CORRESPONDENTS_SHOWN),
        to: message.to.slice(0, CORRESPONDENTS_SHOWN),
      })),
    }) as FoundMessages;
    while (shown.messages.length > 0 && Buffer.byteLength(JSON.stringify(shown)) > bytesMax) shown.messages.pop();
    return shown;
  },
} as const;
