// SPDX-License-Identifier: Apache-2.0
//
// The program of the engine's process: reads audio on its standard input, and answers on its standard output. It needs
// no network, no environment and no file but its code and its model, and is started without the rest.
import { Fault } from '@writ/contract';
import { durationMsOf, readWav } from '@writ/audio';
import { Ears } from './engine/hear.ts';
import {
  encodeMessage,
  MessageReader,
  type EngineReply,
  type EngineRequest,
  type ReceivedMessage,
} from './engine/message.ts';
import { readModels } from './engine/read-models.ts';

/** Its starter bounds what it sends; this is the most that a message can say. */
const REQUEST_BYTES_MAX = 2 ** 31;

const send = (reply: EngineReply): void => {
  for (const part of encodeMessage(reply)) process.stdout.write(part);
};

const sendFault = (error: unknown): void => {
  if (error instanceof Fault) send({ is: 'fault', code: error.code, detail: error.message });
  else
    send({
      is: 'fault',
      code: 'transcription.failed',
      detail: `the engine failed: ${error instanceof Error ? error.message : 'no reason is known'}`,
    });
};

function samplesOf({ kind, duration_ms_max }: EngineRequest, bytes: Uint8Array): Float32Array {
  if (kind === 'file') return readWav(bytes, { durationMsMax: duration_ms_max });
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

async function answer(ears: Ears, { text, bytes }: ReceivedMessage): Promise<void> {
  try {
    const samples = samplesOf(JSON.parse(text) as EngineRequest, bytes);
    send({ is: 'begun', duration_ms: durationMsOf(samples.length) });
    send({ is: 'answer', transcript: await ears.hear(samples) });
  } catch (error) {
    sendFault(error);
  }
}

async function serve(dir: string): Promise<void> {
  const ears = await Ears.load(await readModels(dir));
  send({ is: 'ready' });
  const reader = new MessageReader(REQUEST_BYTES_MAX);
  for await (const part of process.stdin as AsyncIterable<Uint8Array>)
    for (const message of reader.push(part)) await answer(ears, message);
}

await serve(process.argv[2] ?? '').catch(sendFault);
