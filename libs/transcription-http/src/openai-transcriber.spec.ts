// SPDX-License-Identifier: Apache-2.0
import { wavOf } from '@writ/audio';
import { FakeTranscriber, type Audio, type TranscriptionModel } from '@writ/transcription';
import { transcriberContract } from '@writ/transcription/contract';
import { OpenAiTranscriber, type OpenAiTranscriberOptions } from './openai-transcriber.ts';
import { formServer, sendDirectly, type Form, type FormServer } from './specs/form-server.ts';

const MODELS: readonly TranscriptionModel[] = [{ id: 'whisper-1', languages: null, wordTimes: true }];
const TONE = Float32Array.from({ length: 32_000 }, (_, i) => (i < 8_000 || i >= 24_000 ? 0 : Math.sin(i)));
const { signal } = new AbortController();

/** What the fake hears, as a service says it. */
async function heardBy({ file }: Form): Promise<{ body: unknown }> {
  const transcript = await new FakeTranscriber().transcribe(
    { kind: 'file', bytes: file.bytes },
    { model: 'fake', signal },
  );
  const times = ({ start_ms, end_ms }: { start_ms: number; end_ms: number }) => ({
    start: start_ms / 1000,
    end: end_ms / 1000,
  });
  return {
    body: {
      task: 'transcribe',
      text: transcript.text,
      language: 'english',
      duration: transcript.duration_ms / 1000,
      words: transcript.words.map((word) => ({ word: word.text, ...times(word) })),
      segments: transcript.segments.map((segment) => ({
        text: ` ${segment.text}`,
        ...times(segment),
        avg_logprob: -0.1,
      })),
    },
  };
}

let server: FormServer;
let answer: (form: Form) => Promise<{ status?: number; body: unknown } | 'never'>;
beforeAll(async () => {
  server = await formServer((form) => answer(form));
});
beforeEach(() => {
  answer = heardBy;
  server.forms.length = 0;
});
afterAll(() => server.close());

const open = (options: Partial<OpenAiTranscriberOptions> = {}): OpenAiTranscriber =>
  new OpenAiTranscriber({ baseUrl: server.url, models: MODELS, send: sendDirectly, ...options });
const hear = (audio: Audio, options: Partial<OpenAiTranscriberOptions> = {}, language?: string) =>
  open(options).transcribe(audio, { model: 'whisper-1', language, signal });
const PCM: Audio = { kind: 'pcm', samples: TONE };

transcriberContract('a service with the API of OpenAI', () =>
  Promise.resolve({ transcriber: open(), speech: TONE, close: () => Promise.resolve() }),
);

describe('a request to a service of transcription', () => {
  it('is a form with the audio as WAV, the model, the language and the times that are wanted', async () => {
    await hear(PCM, { apiKey: 'sk-secret', baseUrl: `${server.url}//` }, 'pt-BR');
    const [form] = server.forms;
    expect(form?.path).toBe('/v1/audio/transcriptions');
    expect(form?.headers.authorization).toBe('Bearer sk-secret');
    expect(form?.fields).toEqual([
      ['model', 'whisper-1'],
      ['response_format', 'verbose_json'],
      ['timestamp_granularities[]', 'segment'],
      ['timestamp_granularities[]', 'word'],
      ['temperature', '0'],
      ['language', 'pt'],
    ]);
    expect(form?.file).toMatchObject({ name: 'audio.wav', type: 'audio/wav' });
    expect(Buffer.compare(form!.file.bytes, wavOf(TONE))).toBe(0);
  });

  it('has no header of authorization without a key, and no language that nobody named', async () => {
    await hear(PCM);
    expect(server.forms[0]?.headers.authorization).toBeUndefined();
    expect(server.forms[0]?.fields.map(([name]) => name)).not.toContain('language');
  });

  it.each([
    ['FLAC', 'fLaC', 'audio.flac'],
    ['MP3', 'ID3', 'audio.mp3'],
    ['Ogg', 'OggS', 'audio.ogg'],
    ['M4A', '\0\0\0\x20ftypM4A ', 'audio.m4a'],
  ])('carries %s as it is, under a name that tells the format', async (_, begin, name) => {
    answer = () => Promise.resolve({ body: { text: 'x' } });
    const bytes = Buffer.concat([
      Buffer.from(begin, 'latin1'),
      Buffer.from('\r\n--writ-\r\n\0\xff', 'latin1'),
      Buffer.alloc(20),
    ]);
    await hear({ kind: 'file', bytes });
    expect(server.forms[0]?.file.name).toBe(name);
    expect(Buffer.compare(server.forms[0]!.file.bytes, bytes)).toBe(0);
  });

  it('is not made for bytes of no format, or for too many', async () => {
    await expect(hear({ kind: 'file', bytes: Buffer.from('#!/bin/sh') })).rejects.toMatchObject({
      code: 'audio.unreadable',
    });
    await expect(hear(PCM, { fileBytesMax: 1_000 })).rejects.toMatchObject({ code: 'audio.too_long' });
    expect(server.forms).toEqual([]);
  });
});

describe('a reply of a service of transcription', () => {
  it.each<[number, string]>([
    [400, 'transcription.failed'],
    [401, 'transcription.unavailable'],
    [404, 'transcription.unavailable'],
    [413, 'audio.too_long'],
    [429, 'overloaded'],
    [500, 'transcription.unavailable'],
    [302, 'transcription.unavailable'],
  ])('with status %i is `%s`, without the words of the service', async (status, code) => {
    answer = () => Promise.resolve({ status, body: 'the key sk-secret is wrong' });
    await expect(hear(PCM)).rejects.toMatchObject({ code, message: expect.not.stringContaining('sk-') as string });
  });

  it.each<[string, unknown]>([
    ['no JSON', 'hello'],
    ['without a text', { words: [] }],
    ['with a word that is no text', { text: 'x', words: [{ word: 1, start: 0, end: 1 }] }],
  ])('that is %s is refused', async (_, body) => {
    answer = () => Promise.resolve({ body });
    await expect(hear(PCM)).rejects.toMatchObject({ code: 'transcription.failed' });
  });

  it('that never comes is ended after its time, or with the call', async () => {
    answer = () => Promise.resolve('never');
    await expect(hear(PCM, { replyMs: 200 })).rejects.toMatchObject({ code: 'deadline' });
    const abort = new AbortController();
    const call = open().transcribe(PCM, { model: 'whisper-1', signal: abort.signal });
    setTimeout(() => abort.abort(new Error('enough')), 100);
    await expect(call).rejects.toThrow('enough');
  });

  it('of a service that cannot be reached is `transcription.unavailable`', async () => {
    const send = () => Promise.reject(new Error('connect ECONNREFUSED'));
    await expect(hear(PCM, { send })).rejects.toMatchObject({ code: 'transcription.unavailable' });
  });

  it('loses what the model invented in silence, by its own probabilities', async () => {
    answer = () =>
      Promise.resolve({
        body: {
          text: 'Hello. Thanks for watching!',
          language: 'german',
          duration: 2,
          words: [
            { word: 'Hello', start: 0.1, end: 0.5 },
            { word: 'Thanks', start: 1.1, end: 1.3 },
          ],
          segments: [
            { text: ' Hello.', start: 0, end: 1, avg_logprob: -0.2, no_speech_prob: 0.1 },
            { text: ' Thanks for watching!', start: 1, end: 2, avg_logprob: -1.5, no_speech_prob: 0.9 },
          ],
        },
      });
    expect(await hear(PCM)).toMatchObject({
      text: 'Hello.',
      language: 'de',
      words: [{ text: 'Hello', start_ms: 100, end_ms: 500 }],
      segments: [{ text: 'Hello.', confidence: expect.closeTo(0.819, 3) as number }],
    });
  });

  it('has its times put in order and within the audio', async () => {
    const words = [
      { word: 'one', start: -0.1, end: 0.6 },
      { word: 'two', start: 0.5, end: 0.4 },
      { word: 'three', start: 1.9, end: 7 },
    ];
    answer = () => Promise.resolve({ body: { text: 'one two three', words } });
    const heard = await hear(PCM, {}, 'en');
    expect(heard.words.map(({ start_ms, end_ms }) => [start_ms, end_ms])).toEqual([
      [0, 600],
      [600, 600],
      [1_900, 2_000],
    ]);
    expect(heard).toMatchObject({ language: 'en', confidence: null, segments: [] });
  });
});
