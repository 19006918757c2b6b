// SPDX-License-Identifier: Apache-2.0
import { formatId } from '@writ/contract';
import type { AudioIngest, Retention } from './audio-ingest.ts';
import type { AudioFrame } from './frames.ts';

export interface AudioIngestUnderTest {
  readonly ingest: AudioIngest;
  readonly close: () => Promise<void>;
}

const ALICE = formatId('tenant', new Uint8Array(16).fill(1));
const BOB = formatId('tenant', new Uint8Array(16).fill(2));
const SECOND_BYTES = 32_000;
/** A time in 2027; frames are relative to it. */
const T0 = 1_800_000_000_000;
const RETENTION: Retention = { bytesMax: 100 * SECOND_BYTES, ageMsMax: 3_600_000 };
const OPTIONS = { retention: RETENTION, nowMs: T0 + 20_000, key: Buffer.alloc(32, 7) };

/** A second of one value, which tells frames apart. */
const second = (seq: number, value: number, startMs = T0 + seq * 1000): AudioFrame => ({
  seq,
  startMs,
  pcm: new Uint8Array(SECOND_BYTES).fill(value),
});
const range = (from: number, to: number): { fromMs: number; toMs: number } => ({ fromMs: T0 + from, toMs: T0 + to });
/** The values of a window with the number of bytes of each. */
const runs = (pcm: Uint8Array): [value: number, bytes: number][] => {
  const all: [number, number][] = [];
  for (const value of pcm) {
    const last = all.at(-1);
    if (last?.[0] === value) last[1]++;
    else all.push([value, 1]);
  }
  return all;
};

/** The requirements on every audio ingest; runs on the fake and on each adapter. */
export function audioIngestContract(name: string, make: () => Promise<AudioIngestUnderTest>): void {
  describe(`${name} as an audio ingest`, () => {
    let subject: AudioIngestUnderTest;
    let ingest: AudioIngest;
    let devices = 0;
    const newDevice = () => formatId('resource', new Uint8Array(16).fill(++devices));
    const openDevice = async () => {
      const device = newDevice();
      await ingest.open(ALICE, device, RETENTION);
      return device;
    };
    beforeAll(async () => {
      subject = await make();
      ingest = subject.ingest;
    });
    afterAll(() => subject.close());

    it('returns a window of what was appended, to the sample, across frames', async () => {
      const device = await openDevice();
      expect(await ingest.append(ALICE, device, [second(0, 1), second(1, 2)], OPTIONS)).toEqual({
        stored: 2,
        repeated: 0,
        nextSeq: 2,
        recordedUntilMs: T0 + 2_000,
      });
      const window = await ingest.read(ALICE, device, range(500, 1250), OPTIONS);
      expect(window).toMatchObject({ ...range(500, 1250), gaps: [], nextSeq: 2 });
      expect(runs(window.pcm)).toEqual([
        [1, 16_000],
        [2, 8_000],
      ]);
    });

    it('returns the last seconds before the end of the newest frame, and null for a device without any', async () => {
      const device = await openDevice();
      expect(await ingest.last(ALICE, device, 1000, OPTIONS)).toBeNull();
      await ingest.append(ALICE, device, [second(0, 1), second(1, 2)], OPTIONS);
      const window = await ingest.last(ALICE, device, 1500, OPTIONS);
      expect(window).toMatchObject(range(500, 2000));
      expect(runs(window?.pcm ?? new Uint8Array())).toEqual([
        [1, 16_000],
        [2, 32_000],
      ]);
    });

    it('marks as gaps what was not sent, and fills it with zeros', async () => {
      const device = await openDevice();
      await ingest.append(ALICE, device, [second(0, 1), second(2, 3)], OPTIONS);
      const window = await ingest.read(ALICE, device, range(0, 4000), OPTIONS);
      expect(runs(window.pcm)).toEqual([
        [1, SECOND_BYTES],
        [0, SECOND_BYTES],
        [3, SECOND_BYTES],
        [0, SECOND_BYTES],
      ]);
      expect(window.gaps).toEqual([
        { ...range(1000, 2000), reason: 'missing' },
        { ...range(3000, 4000), reason: 'missing' },
      ]);
    });

    it('shows a device that never sent anything as one gap', async () => {
      expect(await ingest.read(ALICE, newDevice(), range(0, 1000), OPTIONS)).toMatchObject({
        gaps: [{ ...range(0, 1000), reason: 'missing' }],
        nextSeq: null,
      });
    });

    it('ignores frames that were sent before, and never accepts a number that was skipped', async () => {
      const device = await openDevice();
      await ingest.append(ALICE, device, [second(0, 1), second(5, 6)], OPTIONS);
      const again = await ingest.append(ALICE, device, [second(0, 9), second(3, 9), second(6, 7)], OPTIONS);
      expect(again).toEqual({ stored: 1, repeated: 2, nextSeq: 7, recordedUntilMs: T0 + 7_000 });
      const { pcm } = await ingest.read(ALICE, device, range(0, 7000), OPTIONS);
      expect(runs(pcm).map(([value]) => value)).toEqual([1, 0, 6, 7]);
    });

    it('stores a frame once that two uploads send at once', async () => {
      const device = await openDevice();
      const results = await Promise.all(
        [1, 2, 3].map(() => ingest.append(ALICE, device, [second(0, 1), second(1, 2)], OPTIONS)),
      );
      expect(results.map(({ stored }) => stored).sort()).toEqual([0, 0, 2]);
    });

    it('keeps a device below its limit on bytes, removes the oldest first, and says so in gaps', async () => {
      const device = await openDevice();
      const options = { ...OPTIONS, retention: { ...RETENTION, bytesMax: 3 * SECOND_BYTES } };
      for (let seq = 0; seq < 5; seq++) await ingest.append(ALICE, device, [second(seq, seq + 1)], options);
      const window = await ingest.read(ALICE, device, range(0, 6000), options);
      expect(runs(window.pcm).map(([value]) => value)).toEqual([0, 3, 4, 5, 0]);
      expect(window.gaps).toEqual([
        { ...range(0, 2000), reason: 'removed' },
        { ...range(5000, 6000), reason: 'missing' },
      ]);
    });

    it('returns nothing beyond the age of the retention, removed or not', async () => {
      const device = await openDevice();
      await ingest.append(ALICE, device, [second(0, 1), second(5, 6)], OPTIONS);
      const later = { ...OPTIONS, retention: { ...RETENTION, ageMsMax: 10_000 }, nowMs: T0 + 12_000 };
      const window = await ingest.read(ALICE, device, range(0, 6000), later);
      expect(runs(window.pcm).map(([value]) => value)).toEqual([0, 6]);
      expect(window.gaps[0]).toEqual({ ...range(0, 1000), reason: 'removed' });
      expect(await ingest.last(ALICE, device, 1000, { ...later, nowMs: T0 + 60_000 })).toBeNull();
    });

    it('removes what is older than a time, and forgets a device', async () => {
      const device = await openDevice();
      await ingest.append(ALICE, device, [second(0, 1), second(1, 2)], OPTIONS);
      expect(await ingest.expire(ALICE, device, T0 + 1500)).toBe(1);
      expect(runs((await ingest.read(ALICE, device, range(0, 2000), OPTIONS)).pcm)).toEqual([
        [0, SECOND_BYTES],
        [2, SECOND_BYTES],
      ]);
      await ingest.forget(ALICE, device);
      expect(await ingest.last(ALICE, device, 1000, OPTIONS)).toBeNull();
      await expect(ingest.append(ALICE, device, [second(2, 3)], OPTIONS)).rejects.toMatchObject({ code: 'not_found' });
      await ingest.open(ALICE, device, RETENTION);
      expect(await ingest.append(ALICE, device, [second(0, 1)], OPTIONS)).toMatchObject({ stored: 1 });
    });

    it('accepts times that a device rounded, and lets the later frame win there', async () => {
      const device = await openDevice();
      await ingest.append(ALICE, device, [second(0, 1), second(1, 2, T0 + 995)], OPTIONS);
      expect(runs((await ingest.read(ALICE, device, range(0, 1995), OPTIONS)).pcm)).toEqual([
        [1, 31_840],
        [2, 32_000],
      ]);
      expect(await ingest.append(ALICE, device, [second(2, 3, T0 + 1990)], OPTIONS)).toMatchObject({ stored: 1 });
    });

    it('refuses frames that begin before the end of the frame before them, and names the time to begin at', async () => {
      const device = await openDevice();
      const refused = { code: 'audio.unreadable', message: expect.stringContaining(String(T0 + 1000)) as string };
      const setBack = [second(0, 1), second(1, 2, T0 + 994)];
      await expect(ingest.append(ALICE, device, setBack, OPTIONS)).rejects.toMatchObject(refused);
      expect(await ingest.last(ALICE, device, 1000, OPTIONS)).toBeNull();
      await ingest.append(ALICE, device, [second(0, 1)], OPTIONS);
      for (const startMs of [T0 + 994, T0, T0 - 3_000_000])
        await expect(ingest.append(ALICE, device, [second(1, 2, startMs)], OPTIONS)).rejects.toMatchObject(refused);
      expect(await ingest.state(ALICE, device, OPTIONS)).toMatchObject({ nextSeq: 1, frames: 1 });
      // What is sent again is no new frame, and the device goes on where it should.
      await ingest.append(ALICE, device, [second(0, 1), second(1, 2)], OPTIONS);
      const [first, rest] = [
        await ingest.since(ALICE, device, { seq: 0, ms: 1000 }, OPTIONS),
        await ingest.since(ALICE, device, { seq: 1, ms: 1000 }, OPTIONS),
      ];
      expect([first, rest].map((window) => runs(window?.pcm ?? new Uint8Array()))).toEqual([
        [[1, SECOND_BYTES]],
        [[2, SECOND_BYTES]],
      ]);
    });

    it('refuses frames that begin before the end of what retention has removed', async () => {
      const device = await openDevice();
      await ingest.append(ALICE, device, [second(0, 1), second(1, 2)], OPTIONS);
      await ingest.expire(ALICE, device, T0 + 3_000);
      await expect(ingest.append(ALICE, device, [second(2, 3, T0)], OPTIONS)).rejects.toMatchObject({
        code: 'audio.unreadable',
      });
      expect(await ingest.append(ALICE, device, [], OPTIONS)).toMatchObject({
        nextSeq: 2,
        recordedUntilMs: T0 + 2_000,
      });
    });

    it('tells the end of the newest frame that is young enough, and null if there is none', async () => {
      const device = await openDevice();
      expect(await ingest.newestMs(ALICE, device, OPTIONS)).toBeNull();
      await ingest.append(ALICE, device, [second(0, 1), second(1, 2)], OPTIONS);
      expect(await ingest.newestMs(ALICE, device, OPTIONS)).toBe(T0 + 2_000);
      expect(await ingest.newestMs(BOB, device, OPTIONS)).toBeNull();
      expect(await ingest.newestMs(ALICE, device, { ...OPTIONS, nowMs: T0 + 4_000_000 })).toBeNull();
    });

    it('separates devices, and tenants whose devices have the same id', async () => {
      const device = await openDevice();
      await ingest.append(ALICE, device, [second(0, 1)], OPTIONS);
      expect(await ingest.last(BOB, device, 1000, OPTIONS)).toBeNull();
      expect(await ingest.last(ALICE, newDevice(), 1000, OPTIONS)).toBeNull();
      await ingest.forget(BOB, device);
      expect(await ingest.last(ALICE, device, 1000, OPTIONS)).not.toBeNull();
    });

    it('accepts nothing of a device that was not opened, and opening one again keeps what it has', async () => {
      const device = newDevice();
      await expect(ingest.append(ALICE, device, [second(0, 1)], OPTIONS)).rejects.toMatchObject({ code: 'not_found' });
      expect(await ingest.state(ALICE, device, OPTIONS)).toBeNull();
      await ingest.open(ALICE, device, RETENTION);
      await ingest.append(ALICE, device, [second(0, 1)], OPTIONS);
      await ingest.open(ALICE, device, RETENTION);
      expect(await ingest.append(ALICE, device, [second(1, 2)], OPTIONS)).toMatchObject({ stored: 1, nextSeq: 2 });
    });

    it('returns whole frames from a number on, and continues after them without a gap', async () => {
      const device = await openDevice();
      await ingest.append(ALICE, device, [second(0, 1), second(1, 2), second(2, 3), second(3, 4)], OPTIONS);
      const first = await ingest.since(ALICE, device, { seq: 1, ms: 2500 }, OPTIONS);
      expect(first).toMatchObject({ ...range(1000, 3000), nextSeq: 3, gaps: [] });
      expect(runs(first?.pcm ?? new Uint8Array()).map(([value]) => value)).toEqual([2, 3]);
      const rest = await ingest.since(ALICE, device, { seq: 3, ms: 2500 }, OPTIONS);
      expect(rest).toMatchObject({ ...range(3000, 4000), nextSeq: 4 });
      expect(await ingest.since(ALICE, device, { seq: 4, ms: 2500 }, OPTIONS)).toBeNull();
    });

    it('tells what it has of a device: numbers, bytes, times and gaps', async () => {
      const device = await openDevice();
      const empty = { nextSeq: 0, frames: 0, bytes: 0, fromMs: null, toMs: null, gaps: [] };
      expect(await ingest.state(ALICE, device, OPTIONS)).toEqual(empty);
      await ingest.append(ALICE, device, [second(0, 1), second(1, 2), second(4, 5)], OPTIONS);
      expect(await ingest.state(ALICE, device, OPTIONS)).toEqual({
        nextSeq: 5,
        frames: 3,
        bytes: 3 * SECOND_BYTES,
        fromMs: T0,
        toMs: T0 + 5000,
        gaps: [{ ...range(2000, 4000), reason: 'missing' }],
      });
      const later = { ...OPTIONS, retention: { ...RETENTION, ageMsMax: 10_000 }, nowMs: T0 + 14_000 };
      expect(await ingest.state(ALICE, device, later)).toMatchObject({ nextSeq: 5, frames: 1, fromMs: T0 + 4000 });
      expect(await ingest.state(BOB, device, OPTIONS)).toBeNull();
    });

    it('refuses frames that are malformed, out of order or in the future, and stores none of them', async () => {
      const device = await openDevice();
      const bad: AudioFrame[][] = [
        [second(0, 1), { ...second(1, 2), pcm: new Uint8Array(319) }],
        [second(1, 1), second(0, 2)],
        [second(0, 1), second(1, 2, T0 + 3_600_000)],
        [second(0, 1), second(-1, 2)],
        [second(0, 1), second(1, 2, 0.5)],
        Array.from({ length: 257 }, (_, seq) => ({ ...second(seq, 1), pcm: new Uint8Array(320) })),
      ];
      for (const frames of bad)
        await expect(ingest.append(ALICE, device, frames, OPTIONS)).rejects.toMatchObject({ code: 'audio.unreadable' });
      expect(await ingest.last(ALICE, device, 1000, OPTIONS)).toBeNull();
    });

    it.each([
      ['empty', 5, 5],
      ['reversed', 5, 4],
      ['too long', 0, 600_001],
      ['not in whole milliseconds', 0, 1.5],
    ])('refuses a window that is %s', async (_, from, to) => {
      await expect(ingest.read(ALICE, newDevice(), range(from, to), OPTIONS)).rejects.toMatchObject({
        code: 'args.invalid',
      });
    });
  });
}
