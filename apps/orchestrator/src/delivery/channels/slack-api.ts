// SPDX-License-Identifier: Apache-2.0
// Slack's Web API: `chat.postMessage` and `chat.update`. Its answers are attacker-controlled, because a tenant chooses
// the URL.
import { parseJson } from '@writ/digest';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { EgressGate } from '../../edge/outbound/egress-gate.ts';
import { sendBounded } from '../../edge/outbound/send-bounded.ts';
import { retryAfterMs } from '../webhooks/retry-schedule.ts';

/** An answer has the whole message again: some kibibytes. */
const LIMITS = { bytesMax: 256 * 1024, accepts: () => true };

/** The message at Slack: both values name it in `chat.update`. */
const Reference = Type.Object({
  channel: Type.String({ minLength: 1, maxLength: 64 }),
  ts: Type.String({ minLength: 1, maxLength: 64 }),
});
const Answer = Type.Object({ ok: Type.Boolean() });

/** Errors after which the same request may succeed later. Any other one stays until somebody changes something. */
const PASSING: ReadonlySet<string> = new Set([
  ...['ratelimited', 'rate_limited', 'internal_error', 'fatal_error', 'service_unavailable', 'request_timeout'],
  ...['team_added_to_org', 'message_limit_exceeded'],
]);

/** What Slack answered. `error`: Slack's word, or the status. `retryMs`: the pause that Slack asks for. */
export type SlackAnswer =
  | { readonly ok: true; readonly reference: string }
  | { readonly ok: false; readonly error: string; readonly isPassing: boolean; readonly retryMs: number | null };

export interface SlackRequest {
  readonly api_url: string;
  readonly token: string;
  readonly destination: string;
  /** of the message that is changed; null: a new one is posted */
  readonly reference: string | null;
  /** the text, and the blocks that show it */
  readonly content: { readonly text: string; readonly blocks: readonly object[] };
}

/**
 * Posts a message, or changes the one that was posted.
 * @throws DeliveryError where there is no answer
 */
export async function sendToSlack(
  gate: EgressGate,
  request: SlackRequest,
  { now, timeoutMs }: { readonly now: number; readonly timeoutMs: number },
): Promise<SlackAnswer> {
  const { api_url, token, destination, reference, content } = request;
  const method = reference === null ? 'chat.postMessage' : 'chat.update';
  const target: object = reference === null ? { channel: destination } : (parseJson(reference) as object);
  // No previews of links: Slack would fetch the console's page.
  const body = JSON.stringify({ ...target, ...content, unfurl_links: false, unfurl_media: false });
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
  };
  const limits = { ...LIMITS, timeoutMs };
  const answer = await sendBounded(gate, `${api_url}/${method}`, { method: 'POST', headers, body }, limits);
  return readAnswer(answer.status, answer.text, retryAfterMs(answer.headers['retry-after'], now));
}

function readAnswer(status: number, text: string, retryMs: number | null): SlackAnswer {
  const failed = (error: string, isPassing: boolean): SlackAnswer => ({ ok: false, error, isPassing, retryMs });
  if (status === 429) return failed('ratelimited', true);
  if (status !== 200) return failed(`status ${status}`, status >= 500);
  const json = parsed(text);
  if (!Value.Check(Answer, json)) return failed('no answer of Slack', true);
  if (json.ok && Value.Check(Reference, json))
    return { ok: true, reference: JSON.stringify({ channel: json.channel, ts: json.ts }) };
  const error = 'error' in json && typeof json.error === 'string' ? json.error : '';
  const word = /^[a-z_]{1,64}$/.test(error) ? error : 'unknown';
  return failed(word, PASSING.has(word));
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}
