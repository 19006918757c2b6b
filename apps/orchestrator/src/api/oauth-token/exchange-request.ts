// SPDX-License-Identifier: Apache-2.0
// What a request for an exchange asks for: RFC 8693 §2.1, with the grant as RFC 9396 describes authorization.
import { Grant, idSchema, parseMessage } from '@writ/contract';
import { parseIJson } from '@writ/digest';
import { Type, type Static } from 'typebox';
import { closed, orNull } from '../../edge/requests/fields.ts';
import type { TokenRequest } from '../../edge/oauth-endpoint/grants.ts';
import { OauthError } from '../../edge/oauth-endpoint/oauth-error.ts';

/** What is issued: good at this deployment alone, as an API key is. */
export const CAPABILITY_TOKEN_TYPE = 'urn:writ:params:oauth:token-type:capability';
/** Longest life of a credential, in milliseconds: whoever takes one has it for no longer. */
export const EXCHANGED_MS_MAX = 900_000;

const TYPES = 'urn:ietf:params:oauth:token-type:';
/** How a subject token may be called (RFC 8693 §3). What it is, its form says, and never the request. */
const SUBJECT_TYPES: ReadonlySet<string> = new Set([`${TYPES}access_token`, `${TYPES}jwt`]);
const ISSUED_TYPES: ReadonlySet<string> = new Set([CAPABILITY_TOKEN_TYPE, `${TYPES}access_token`]);

/** Longest `authorization_details`, in characters: a grant has 16 KiB at most. */
const DETAILS_CHARS_MAX = 24_576;
const DETAILS = { depthMax: 8 };

const { tools: _tools, not_before: _from, expires_at: _until, ...members } = Grant.properties;

/** The one element of `authorization_details`. */
const GrantDetails = Type.Object(
  {
    type: Type.Literal('writ_grant'),
    capability_token_id: idSchema('token'),
    workspace_id: Type.Optional(orNull(idSchema('workspace'))),
    expires_in: Type.Optional(Type.Integer({ minimum: 1, maximum: EXCHANGED_MS_MAX / 1_000 })),
    ...Type.Partial(Type.Object(members)).properties,
  },
  closed,
);

/** The part of a capability token that is asked for. What is absent is as in the token. */
export type AskedGrant = Omit<Static<typeof GrantDetails>, 'type' | 'expires_in'> & {
  readonly tools: readonly string[];
  readonly lifetimeMs?: number;
};

export interface ExchangeRequest {
  readonly subjectToken: string;
  readonly grant: AskedGrant;
}

/** @throws OauthError `invalid_request`, `invalid_scope`, `invalid_target` */
export function parseExchange({ required, optional }: TokenRequest, publicUrl: string | null): ExchangeRequest {
  if (optional('actor_token') !== undefined || optional('actor_token_type') !== undefined)
    throw new OauthError('invalid_request', 'an exchange has no actor: leave out `actor_token`');
  const subjectToken = required('subject_token');
  if (!SUBJECT_TYPES.has(required('subject_token_type')))
    throw new OauthError('invalid_request', `\`subject_token_type\` is one of ${[...SUBJECT_TYPES].join(', ')}`);
  const issued = optional('requested_token_type');
  if (issued !== undefined && !ISSUED_TYPES.has(issued))
    throw new OauthError('invalid_request', `\`requested_token_type\` is one of ${[...ISSUED_TYPES].join(', ')}`);
  for (const name of ['audience', 'resource']) verifyTarget(name, optional(name), publicUrl);
  const details = parseDetails(required('authorization_details'));
  return { subjectToken, grant: { ...details, tools: parseScope(optional('scope')) } };
}

/** INVARIANT (exact): what is issued is good here alone, so nothing else may be named. */
function verifyTarget(name: string, value: string | undefined, publicUrl: string | null): void {
  if (value === undefined || value === publicUrl) return;
  throw new OauthError(
    'invalid_target',
    publicUrl === null ? `leave out \`${name}\`` : `\`${name}\` can only be \`${publicUrl}\``,
  );
}

/** INVARIANT (nothing by silence): who names no tools gets none. */
function parseScope(text: string | undefined): string[] {
  const tools = (text ?? '').split(' ').filter((each) => each !== '');
  if (tools.length === 0) throw new OauthError('invalid_scope', '`scope` names the tools, such as `fs.read http.*`');
  try {
    return parseMessage(Grant.properties.tools, tools);
  } catch {
    throw new OauthError('invalid_scope', '`scope` has tools by name, `family.*` or `*`, with spaces between');
  }
}

function parseDetails(text: string): Omit<AskedGrant, 'tools'> {
  if (text.length > DETAILS_CHARS_MAX)
    throw new OauthError('invalid_request', `\`authorization_details\` has ${DETAILS_CHARS_MAX} characters at most`);
  try {
    const list = parseIJson(text, DETAILS);
    const [only, ...others] = Array.isArray(list) ? (list as unknown[]) : [];
    if (others.length > 0) throw new Error('more than one');
    const { type: _type, expires_in, ...details } = parseMessage(GrantDetails, only);
    return { ...details, ...(expires_in === undefined ? {} : { lifetimeMs: expires_in * 1_000 }) };
  } catch {
    throw new OauthError(
      'invalid_request',
      '`authorization_details` is a JSON list with one object: `type` is `writ_grant`, `capability_token_id` names the token, and the rest are members of its grant, or `expires_in` in seconds',
    );
  }
}
