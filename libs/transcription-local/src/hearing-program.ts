// SPDX-License-Identifier: Apache-2.0
//
// The program of the engine's process: reads audio on its standard input, and answers on its standard output. It needs
// no network, no environment and no file but its code and its model, and is started without the rest.
import { Fault } from '@writ/contract';
import { durationMsOf, readWav } from '@writ/audio';
import { requestsOf, sendReply, type ReceivedMessage } from '@writ/engine-process';
import { Ears } from './engine/hear.ts';
import type { EngineReply, EngineRequest } from './engine/message.ts';
import { readModels } from './engine/read-models.ts';

const send = (reply: EngineReply): void => sendReply(process.stdout, reply);

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
  for await (const message of requestsOf(process.stdin)) await answer(ears, message);
}

await serve(process.argv[2] ?? '').catch(sendFault);
