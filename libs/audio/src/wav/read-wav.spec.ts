// SPDX-License-Identifier: Apache-2.0
import { readWav } from './read-wav.ts';
import { wavOf } from './write-wav.ts';

const LIMITS = { durationMsMax: 60_000 };

interface Shape {
  readonly codec?: number;
  readonly channels?: number;
  readonly rate?: number;
  readonly bits?: number;
  readonly blockAlign?: number;
  readonly subformat?: string;
  readonly dataSize?: number;
}

/** A WAV file of these sample bytes. */
function wav(data: Uint8Array, shape: Shape = {}): Uint8Array {
  const { codec = 1, channels = 1, rate = 16_000, bits = 16, subformat } = shape;
  const { blockAlign = (channels * bits) / 8, dataSize = data.length } = shape;
  const fmt = Buffer.alloc(subformat === undefined ? 16 : 40);
  fmt.writeUInt16LE(subformat === undefined ? codec : 0xfffe, 0);
  fmt.writeUInt16LE(channels, 2);
  fmt.writeUInt32LE(rate, 4);
  fmt.writeUInt32LE(rate * blockAlign, 8);
  fmt.writeUInt16LE(blockAlign, 12);
  fmt.writeUInt16LE(bits, 14);
  if (subformat !== undefined) Buffer.from(subformat, 'hex').copy(fmt, 24);
  const chunk = (id: string, body: Uint8Array, size = body.length): Buffer => {
    const head = Buffer.alloc(8);
    head.write(id);
    head.writeUInt32LE(size, 4);
    return Buffer.concat([head, body]);
  };
  const body = Buffer.concat([
    Buffer.from('WAVE'),
    chunk('fmt ', fmt),
    chunk('LIST', Buffer.from('odd')),
    Buffer.alloc(1),
    chunk('data', data, dataSize),
  ]);
  return chunk('RIFF', body);
}

const PCM_GUID = '0100000000001000800000aa00389b71';

describe('a WAV file', () => {
  const int16 = new Uint8Array(Int16Array.from([0, 16_384, -32_768, 32_767]).buffer);
  it.each<[string, Uint8Array, Shape, number[]]>([
    ['8 bits, unsigned', Uint8Array.from([128, 192, 0, 255]), { bits: 8 }, [0, 0.5, -1, 0.992]],
    ['16 bits', int16, {}, [0, 0.5, -1, 1]],
    ['24 bits', Uint8Array.from([0, 0, 0, 0, 0, 64, 0, 0, 128, 255, 255, 127]), { bits: 24 }, [0, 0.5, -1, 1]],
    ['32 bits', new Uint8Array(Int32Array.from([0, 2 ** 30, -(2 ** 31)]).buffer), { bits: 32 }, [0, 0.5, -1]],
    [
      '32-bit float, limited to full scale',
      new Uint8Array(Float32Array.from([0, 0.5, -3, 2]).buffer),
      { codec: 3, bits: 32 },
      [0, 0.5, -1, 1],
    ],
    ['the extensible format', int16, { subformat: PCM_GUID }, [0, 0.5, -1, 1]],
    ['two channels, which are averaged', int16, { channels: 2 }, [0.25, 0]],
  ])('is read with %s', (_, data, shape, expected) => {
    const samples = readWav(wav(data, shape), LIMITS);
    expect(samples.length).toBe(expected.length);
    expected.forEach((value, i) => expect(samples[i]).toBeCloseTo(value, 2));
  });

  it('of a writer that streams, without a length, is read to its end', () => {
    for (const dataSize of [0, 0xffff_ffff, 0x7fff_f000])
      expect(readWav(wav(int16, { dataSize }), LIMITS).length).toBe(4);
  });

  it('that Writ writes is read back', () => {
    const samples = Float32Array.from({ length: 1_000 }, (_, i) => Math.sin(i / 10) / 2);
    readWav(wavOf(samples), LIMITS).forEach((value, i) => expect(value).toBeCloseTo(samples[i]!, 3));
  });

  it.each([8_000, 11_025, 22_050, 44_100, 48_000])('with %i samples a second keeps its tone at 16 kHz', (rate) => {
    const tone = Float32Array.from({ length: rate }, (_, i) => Math.sin((2 * Math.PI * 1_000 * i) / rate) / 2);
    const samples = readWav(wav(new Uint8Array(tone.buffer), { codec: 3, bits: 32, rate }), LIMITS);
    expect(samples.length).toBe(16_000);
    for (let i = 1_000; i < 15_000; i += 7)
      expect(Math.abs(samples[i]! - Math.sin((2 * Math.PI * 1_000 * i) / 16_000) / 2)).toBeLessThan(0.01);
  });

  it('loses what 16 kHz cannot carry, and does not fold it down', () => {
    const tone = Float32Array.from({ length: 48_000 }, (_, i) => Math.sin((2 * Math.PI * 11_000 * i) / 48_000));
    const samples = readWav(wav(new Uint8Array(tone.buffer), { codec: 3, bits: 32, rate: 48_000 }), LIMITS);
    expect(Math.max(...samples.subarray(1_000, 15_000).map(Math.abs))).toBeLessThan(0.01);
  });

  it.each<[string, Uint8Array, string]>([
    ['other bytes', new Uint8Array(100), 'no audio format'],
    ['FLAC', Buffer.from('fLaC and so on'), 'the audio is FLAC; send WAV'],
    ['Ogg', Buffer.from('OggS and so on'), 'Ogg (Opus or Vorbis); send WAV'],
    ['MP3', Buffer.from([0xff, 0xfb, 0x90, 0x64, 0, 0, 0, 0, 0, 0, 0, 0]), 'MP3; send WAV'],
    ['MP4', Buffer.from('\0\0\0\x20ftypM4A and so on', 'latin1'), 'MP4'],
    ['a cut file', wav(int16).subarray(0, -2), 'cut off'],
    ['no samples', wav(int16).subarray(0, 40), 'no samples'],
    ['five channels', wav(int16, { channels: 5 }), '5 channels'],
    ['an unknown codec', wav(int16, { codec: 2, bits: 4, blockAlign: 1 }), 'codec 2'],
    ['12 bits', wav(int16, { bits: 12, blockAlign: 2 }), '12 bits'],
    ['frames of a wrong length', wav(int16, { blockAlign: 3 }), 'frames of 3 bytes'],
    ['a rate of 1 Hz', wav(int16, { rate: 1 }), '1 samples a second'],
    ['a codec of its own', wav(int16, { subformat: 'ff'.repeat(16) }), 'own maker'],
    ['a float that is no number', wav(new Uint8Array([0, 0, 192, 127]), { codec: 3, bits: 32 }), 'no number'],
  ])('is refused with a reason for %s', (_, bytes, reason) => {
    expect(() => readWav(bytes, LIMITS)).toThrow(
      expect.objectContaining({
        code: 'audio.unreadable',
        message: expect.stringContaining(reason) as string,
      }) as Error,
    );
  });

  it('that is too long is refused before its samples are read', () => {
    expect(() => readWav(wav(new Uint8Array(64_002)), { durationMsMax: 2_000 })).toThrow(
      expect.objectContaining({
        code: 'audio.too_long',
        message: 'the audio takes 3 s, and at most 2 s are read',
      }) as Error,
    );
  });

  it('with thousands of empty chunks is not walked to its end', () => {
    const header = Buffer.from('RIFF\0\0\0\0WAVE', 'latin1');
    const empty = Buffer.from('junk\0\0\0\0', 'latin1');
    expect(() => readWav(Buffer.concat([header, ...Array<Buffer>(2_000).fill(empty)]), LIMITS)).toThrow('1024 chunks');
  });
});
