// SPDX-License-Identifier: Apache-2.0
import type { ModelProvider } from '@writ/contract';
import { parseUrl } from '@writ/egress';
import type { Transcriber } from '@writ/transcription';
import { OpenAiTranscriber, type HttpReply, type HttpRequest } from '@writ/transcription-http';
import type { Call, RunContext } from '../calls/runner.ts';
import type { CallGate } from '../egress/call-gate.ts';
import { GateRefusal } from '../egress/gate-refusal.ts';
import { exchangeWhole } from './whole-exchange.ts';

type Service = Extract<ModelProvider, { readonly kind: 'openai' }>;

/** Several times what the longest reply takes on a busy machine. */
const READ_MS = 20_000;

/**
 * A service of transcription behind the gate of the call. INVARIANT (never in clear): the key leaves over TLS
 * only.
 */
export function serviceTranscriber(
  call: Call,
  { url, model, secret }: Service,
  gate: CallGate,
  work: RunContext['work'],
): Transcriber {
  const apiKey = secret === undefined ? undefined : secretOf(call, secret);
  if (apiKey !== undefined && parseUrl(url).scheme !== 'https')
    throw new GateRefusal(
      'egress.refused',
      'the model has a key, and `http` would show it to everybody on the way',
      'register the model with an `https` address',
    );
  return new OpenAiTranscriber({
    baseUrl: url,
    // It hears the languages that it hears: only the service knows.
    models: [{ id: model, languages: null, wordTimes: true }],
    send: (request) => send(gate, request),
    ...(apiKey === undefined ? {} : { apiKey }),
    replyMs: call.limits.wall_ms,
    readReply: (body, durationMs) => work.run('transcript.read', { body, durationMs }, READ_MS),
  });
}

function secretOf({ resourceSecrets }: Call, name: string): string {
  const value = resourceSecrets[name];
  if (value === undefined) throw new GateRefusal('secret.unknown', `the secret \`${name}\` of the model is not there`);
  return value;
}

async function send(gate: CallGate, { method, url, headers, body, replyBytesMax }: HttpRequest): Promise<HttpReply> {
  const target = parseUrl(url);
  const sent = Object.entries({ ...headers, 'accept-encoding': 'identity', 'content-length': String(body.length) });
  const reply = await exchangeWhole(gate, {
    method,
    target,
    headers: sent,
    body,
    purpose: 'transcription',
    // A transcription changes nothing at the service.
    isSafe: true,
    replyBytesMax,
  });
  if (reply.truncated)
    throw new GateRefusal('egress.failed', `the service answered with more than ${replyBytesMax} bytes`);
  return { status: reply.status, body: reply.body };
}
