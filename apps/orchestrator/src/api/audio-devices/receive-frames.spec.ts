// SPDX-License-Identifier: Apache-2.0
import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { encodeFrame, MemoryAudioIngest, type AppendResult, type AudioIngest, type DeviceId } from '@writ/audio';
import { Fault, formatId, type Caller } from '@writ/contract';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { ReceiveFrames } from './receive-frames.ts';

const TENANT = formatId('tenant', new Uint8Array(16).fill(1));
const DEVICE = formatId('resource', new Uint8Array(16).fill(2)) as DeviceId;
const CALLER = { tenant_id: TENANT } as Caller;
const SECOND_BYTES = 32_000;
const UPLOAD = {
  v: 1,
  resource_id: DEVICE,
  name: 'mic',
  retention_seconds: 86_400,
  buffer_bytes: 268_435_456,
  key: Buffer.alloc(32, 7).toString('base64'),
};
const kernel = { ask: () => Promise.resolve(UPLOAD) } as unknown as KernelClient;
const frame = (seq: number) =>
  encodeFrame({ seq, startMs: Date.now() - 600_000 + seq * 1_000, pcm: new Uint8Array(SECOND_BYTES) });
const valid = () => Promise.resolve();

/** A store that holds each batch until it is let go. */
class SlowIngest extends MemoryAudioIngest {
  readonly batches: number[] = [];
  waiting: (() => void)[] = [];

  override async append(...args: Parameters<AudioIngest['append']>): Promise<AppendResult> {
    this.batches.push(args[2].reduce((sum, { pcm }) => sum + pcm.length, 0));
    await new Promise<void>((go) => this.waiting.push(go));
    return await super.append(...args);
  }

  letGo(): void {
    this.waiting.splice(0).forEach((go) => go());
  }
}

it('an upload to a slow store makes the sender wait, and holds one batch', async () => {
  const ingest = new SlowIngest();
  await ingest.open(TENANT, DEVICE);
  const body = new PassThrough();
  const receiving = new ReceiveFrames(kernel, ingest).run(CALLER, DEVICE, { body, verifyKey: valid });
  let taken = 0;
  const sending = (async () => {
    for (let seq = 0; seq < 200; seq++) {
      if (!body.write(frame(seq))) await new Promise((drained) => body.once('drain', drained));
      taken += 1;
    }
    body.end();
  })();
  await vi.waitFor(() => expect(ingest.waiting).toHaveLength(1));
  await pause(100);
  const whileStuck = taken;
  await pause(200);
  // The store has not taken anything yet: what was accepted lies in the buffer of the stream and in one batch.
  expect(taken).toBe(whileStuck);
  expect(whileStuck).toBeLessThan(40);
  expect(ingest.batches).toHaveLength(1);
  const timer = setInterval(() => ingest.letGo(), 1);
  expect(await receiving).toMatchObject({ stored: 200, next_seq: 200 });
  clearInterval(timer);
  await sending;
  // Sixteen seconds, and the frame that goes beyond them.
  expect(Math.max(...ingest.batches)).toBeLessThanOrEqual(512 * 1024 + SECOND_BYTES);
});

it('an upload whose key is revoked stores nothing more', async () => {
  const ingest = new MemoryAudioIngest();
  await ingest.open(TENANT, DEVICE);
  const body = new PassThrough();
  let isValid = true;
  const receiving = new ReceiveFrames(kernel, ingest).run(CALLER, DEVICE, {
    body,
    verifyKey: () => (isValid ? Promise.resolve() : Promise.reject(new Fault('auth.invalid'))),
  });
  const stored = async () =>
    (await ingest.state(TENANT, DEVICE, { retention: { bytesMax: 1e9, ageMsMax: 1e9 }, nowMs: Date.now() }))?.frames;
  body.write(frame(0));
  await vi.waitFor(async () => expect(await stored()).toBe(1));
  isValid = false;
  body.write(frame(1));
  await expect(receiving).rejects.toMatchObject({ code: 'auth.invalid' });
  expect(await stored()).toBe(1);
});

it('the answer to an upload names the next number, and the time from which on it may begin', async () => {
  const ingest = new MemoryAudioIngest();
  await ingest.open(TENANT, DEVICE);
  const receive = new ReceiveFrames(kernel, ingest);
  const send = (...parts: readonly Uint8Array[]) => {
    const body = new PassThrough();
    body.end(Buffer.concat(parts));
    return receive.run(CALLER, DEVICE, { body, verifyKey: valid });
  };
  expect(await send()).toMatchObject({ stored: 0, next_seq: 0, recorded_until: null });
  const startMs = Date.now() - 5_000;
  const sent = await send(encodeFrame({ seq: 3, startMs, pcm: new Uint8Array(SECOND_BYTES) }));
  expect(sent).toMatchObject({ stored: 1, next_seq: 4, recorded_until: startMs + 1_000 });
});
