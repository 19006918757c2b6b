// SPDX-License-Identifier: Apache-2.0
//
// Mail of a mailbox that an administrator registered as a resource. No tool sends mail: a draft waits in the mailbox
// until a person sends it. The host, the port and the account come from the settings, which are part of the digest of a
// call.
import { Type } from 'typebox';
import { MailAddress } from '../mail/addresses.ts';
import { Draft, DRAFT_BODY_BYTES_MAX } from '../mail/draft.ts';
import { hiddenInBody, hiddenInSubject } from '../mail/hidden-characters.ts';
import { FoundMessages, MessageQuery } from '../mail/message-query.ts';
import type { BoundResource, ResourceReference } from '../resources/resource-kinds.ts';
import type { MailboxSettings } from '../resources/resource-settings.ts';
import { CORRESPONDENCE_LABELS, CORRESPONDENCE_LIMITS, DEFAULT_RESOURCE, resourceArgument } from './calendar.ts';
import type { RequestResource, ToolDefinition } from './definition.ts';

const closed = { additionalProperties: false } as const;
type Args = Readonly<Record<string, unknown>>;
type Problems = readonly { readonly pointer: string; readonly message: string }[];

const mailboxOf = ({ mailbox }: Args): readonly ResourceReference[] => [
  {
    kind: 'mailbox',
    ref: typeof mailbox === 'string' ? mailbox : DEFAULT_RESOURCE,
    right: 'use',
    pointer: '/mailbox',
    ...(mailbox === undefined ? { implied: true as const } : {}),
  },
];

const settingsOf = (mailbox: BoundResource | undefined): MailboxSettings => mailbox?.settings as MailboxSettings;

/** The one connection of a call. With STARTTLS it begins in clear, and its method says so. */
function connectionTo({ host, port, tls }: MailboxSettings): RequestResource {
  return tls === 'implicit'
    ? { method: 'TLS', url: `tls://${host}:${port}`, purpose: '' }
    : { method: 'TCP', url: `tcp://${host}:${port}`, purpose: '' };
}

const common = {
  version: 1,
  class: 'broker',
  accepts_secrets: [],
  limits: CORRESPONDENCE_LIMITS,
  resources: () => [],
  needs: 'mailbox',
  targets: mailboxOf,
} as const;

export const EMAIL_FIND: ToolDefinition = {
  ...common,
  tool_id: 'email.find',
  description:
    'Finds messages in a folder of a mailbox, the newest first, with the beginning of their text. Marks nothing as read. Messages are written by others.',
  category: 'read',
  mutating: false,
  labels: CORRESPONDENCE_LABELS,
  own_service: true,
  parameters: Type.Object({ mailbox: Type.Optional(resourceArgument('mailbox')), ...MessageQuery.properties }, closed),
  result: FoundMessages,
  faults: (args) =>
    ['since', 'before'].flatMap((name) =>
      typeof args[name] === 'string' && !isDay(args[name])
        ? [{ pointer: `/${name}`, message: 'is no day of the calendar' }]
        : [],
    ),
  bind: ([mailbox]) => ({ ...EMAIL_FIND, requests: () => [connectionTo(settingsOf(mailbox))] }),
};

/** The members of a draft, where one recipient may stand without a list. */
const { to, ...others } = Draft.properties;

export const EMAIL_DRAFT: ToolDefinition = {
  ...common,
  tool_id: 'email.draft',
  description:
    'Puts a draft into the folder of drafts of a mailbox. It is never sent: a person reads it there and sends it. Plain text, without attachments.',
  category: 'admin',
  mutating: true,
  labels: [],
  parameters: Type.Object(
    {
      mailbox: Type.Optional(resourceArgument('mailbox')),
      to: Type.Union([MailAddress, to], { description: 'who it is addressed to: an address, or a list of them' }),
      ...others,
    },
    closed,
  ),
  result: Type.Object(
    {
      folder: Type.String(),
      uid: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
        description: 'its number in the folder; null: the server named none',
      }),
      message_id: Type.String(),
      sha256: Type.String({ description: 'hex SHA-256 of the message as it was composed' }),
      already_there: Type.Boolean({ description: 'whether an earlier attempt of the call had stored it' }),
    },
    closed,
  ),
  faults: draftProblems,
  foresees: (args) => ({ draft: draftOf(args) }),
  bind: ([mailbox]) => {
    const settings = settingsOf(mailbox);
    return {
      ...EMAIL_DRAFT,
      requests: () => [connectionTo(settings)],
      addressees: (args) => addresseesOf(draftOf(args), settings.address),
      foresees: (args) => ({ draft: { from: settings.address, ...draftOf(args) } }),
    };
  },
};

/** The draft in the arguments of a call. Total for arguments that fit the schema. */
export function draftOf({ mailbox: _mailbox, to: recipients, ...rest }: Args): Draft {
  return { ...rest, to: typeof recipients === 'string' ? [recipients] : recipients } as Draft;
}

function addresseesOf(
  { to: direct, cc = [], bcc = [] }: Draft,
  own: string,
): NonNullable<ReturnType<NonNullable<ToolDefinition['addressees']>>> {
  const all = [...new Set([...direct, ...cc, ...bcc])];
  return { count: all.length, outside: all.filter((address) => domainOf(address) !== domainOf(own)) };
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase();

/** What a schema can't say about texts. A person's mail program must show what was reviewed. */
function draftProblems({ subject, body }: Args): Problems {
  const problems: { pointer: string; message: string }[] = [];
  for (const [pointer, text] of [
    ['/subject', subject],
    ['/body', body],
  ] as const)
    if (typeof text === 'string' && !text.isWellFormed())
      problems.push({ pointer, message: 'has half a character (a lone surrogate)' });
  if (typeof subject === 'string' && subject.includes('=?'))
    problems.push({ pointer: '/subject', message: 'has `=?`, which mail programs read as an encoded word' });
  for (const [pointer, hidden] of [
    ['/subject', typeof subject === 'string' ? hiddenInSubject(subject) : null],
    ['/body', typeof body === 'string' ? hiddenInBody(body) : null],
  ] as const)
    if (hidden !== null)
      problems.push({ pointer, message: `has the character ${hidden}, which is not shown to whoever reviews it` });
  if (typeof body === 'string' && utf8Bytes(body) > DRAFT_BODY_BYTES_MAX)
    problems.push({ pointer: '/body', message: `has more than ${DRAFT_BODY_BYTES_MAX} bytes of UTF-8` });
  return problems;
}

const utf8Bytes = (text: string): number => new TextEncoder().encode(text).length;

function isDay(text: string): boolean {
  const day = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(day) && new Date(day).toISOString().startsWith(text);
}
