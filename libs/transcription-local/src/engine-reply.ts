// SPDX-License-Identifier: Apache-2.0
import { Fault, parseMessage } from '@writ/contract';
import { parseJson } from '@writ/digest';
import { Type, type Static } from 'typebox';

const closed = { additionalProperties: false } as const;

/**
 * What an engine may say. Its faults are of few codes, whatever it claims: it has read attacker-controlled audio, and
 * may be under their control.
 */
const EngineReply = Type.Union([
  Type.Object({ is: Type.Literal('ready') }, closed),
  Type.Object({ is: Type.Literal('begun'), duration_ms: Type.Number({ minimum: 0 }) }, closed),
  Type.Object({ is: Type.Literal('answer'), transcript: Type.Unknown() }, closed),
  Type.Object(
    {
      is: Type.Literal('fault'),
      code: Type.Union([
        Type.Literal('audio.unreadable'),
        Type.Literal('audio.too_long'),
        Type.Literal('transcription.failed'),
        Type.Literal('transcription.unavailable'),
      ]),
      detail: Type.String(),
    },
    closed,
  ),
]);
type EngineReply = Static<typeof EngineReply>;

const DETAIL_CHARS_MAX = 500;

/**
 * The reply of that kind.
 *
 * @throws Fault of the engine, or `transcription.failed` for what is no reply or another one
 */
export function parseReply<K extends EngineReply['is']>(text: string, kind: K): Extract<EngineReply, { is: K }> {
  const reply = readReply(text);
  if (reply.is === 'fault') throw new Fault(reply.code, reply.detail.slice(0, DETAIL_CHARS_MAX));
  if (reply.is !== kind) throw new Fault('transcription.failed', `the engine said \`${reply.is}\`, not \`${kind}\``);
  return reply as Extract<EngineReply, { is: K }>;
}

function readReply(text: string): EngineReply {
  try {
    return parseMessage(EngineReply, parseJson(text));
  } catch (cause) {
    throw new Fault('transcription.failed', 'the engine said what is no reply', { cause });
  }
}
