// SPDX-License-Identifier: Apache-2.0
import type { ModelProvider } from '@writ/contract';
import { parseUrl } from '@writ/egress';
import type { Transcriber } from '@writ/transcription';
import { OpenAiTranscriber, type HttpReply, type HttpRequest } from '@writ/transcription-http';
import type { Call, RunContext } from '../calls/runner.ts';
import type { CallGate } from '../egress/call-gate.ts';
import { GateRefusal } from '../egress/gate-refusal.ts';
import { secretOf, verifyPrivate } from './resource-secret.ts';
import { exchangeWhole, type WholeRequest } from './whole-exchange.ts';

type Service = Extract<ModelProvider, { readonly kind: 'openai' }>;

/** Several times what the longest reply takes on a busy machine. */
const READ_MS = 20_000;

/** A service of transcription behind the gate of the call. */
export function serviceTranscriber(
  call: Call,
  { url, model, secret }: Service,
  gate: CallGate,
  work: RunContext['work'],
): Transcriber {
  const apiKey = secret === undefined ? undefined : secretOf(call, secret);
  if (apiKey !== undefined) verifyPrivate(parseUrl(url));
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

async function send(
  gate: CallGate,
  { method, url, headers, body, replyBytesMax, replyMs, signal }: HttpRequest,
): Promise<HttpReply> {
  const target = parseUrl(url);
  const sent = Object.entries({ ...headers, 'accept-encoding': 'identity', 'content-length': String(body.length) });
  const request: WholeRequest = {
    method,
    target,
    headers: sent,
    body,
    purpose: 'transcription',
    // A transcription changes nothing at the service.
    isSafe: true,
    replyBytesMax,
    // A service sends nothing while it hears.
    idleMs: replyMs,
  };
  const reply = await exchangeWhole(gate, request, signal);
  if (reply.truncated)
    throw new GateRefusal('egress.failed', `the service answered with more than ${replyBytesMax} bytes`);
  return { status: reply.status, body: reply.body };
}
