// SPDX-License-Identifier: Apache-2.0
//
// The local engine with real audio: espeak-ng speaks, and the engine hears. It lies here because the set-up of the
// model does, which no library may use. A sentence and a cut file are heard in each run, and the rest on request.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { durationMsOf, readWav, wavOf } from '@writ/audio';
import type { Transcript } from '@writ/transcription';
import { transcriberContract } from '@writ/transcription/contract';
import { wordErrors } from '@writ/testing';
import { LocalTranscriber } from '@writ/transcription-local';
import { ensureProgram } from '../parts/packages.ts';
import { SetupError } from '../setup-error.ts';
import { defaultStateDir, makeSetup } from '../setup.ts';
import { ensureSpeechModel } from './ensure.ts';

const MINUTES_MS = 600_000;
const setup = makeSetup(
  defaultStateDir(process.env),
  join(defaultStateDir(process.env), 'cache'),
  process.env,
  () => undefined,
);

/** The speaker and the model, or why one of them can't be had. Anything but that is an error. */
async function prepare(): Promise<{ espeak: string; modelDir: string } | string> {
  try {
    const espeak = await ensureProgram(setup, 'espeak-ng', ['espeak-ng'], 'to speak to the engine');
    return { espeak, modelDir: await ensureSpeechModel(setup) };
  } catch (error) {
    if (error instanceof SetupError) return error.message;
    throw error;
  }
}

/** The whole corpus takes two minutes of a processor. */
const isWhole = process.env['WRIT_HEARING'] === 'all';
const onRequest = isWhole ? '' : ' (skipped: on request, WRIT_HEARING=all)';

const prepared = await prepare();
const why = typeof prepared === 'string' ? ` (skipped: ${prepared})` : '';
const { espeak, modelDir } = typeof prepared === 'string' ? { espeak: '', modelDir: '' } : prepared;
const folder = mkdtempSync(join(tmpdir(), 'hearing-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Speaks a text into samples. */
function say(text: string, voice = 'en-us'): Float32Array {
  const file = join(folder, 'said.wav');
  execFileSync(espeak, ['-v', voice, '-s', '150', '-w', file, text]);
  return readWav(readFileSync(file), { durationMsMax: 60_000 });
}

const silence = (ms: number): Float32Array => new Float32Array(ms * 16);
const joined = (...parts: readonly Float32Array[]): Float32Array => {
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
};

/** Noise that is the same in every run. */
function noise(ms: number, volume: number): Float32Array {
  let state = 1;
  return silence(ms).map(() => {
    state = (state * 48_271) % 2_147_483_647;
    return (state / 2_147_483_647 - 0.5) * volume;
  });
}

describe.skipIf(why !== '')(`the local engine with real speech${why}`, () => {
  const transcriber = new LocalTranscriber({ modelDir });
  afterAll(() => transcriber.close());
  const hear = (samples: Float32Array): Promise<Transcript> =>
    transcriber.transcribe(
      { kind: 'pcm', samples },
      { model: 'moonshine-base-en', signal: AbortSignal.timeout(MINUTES_MS) },
    );

  it(
    'understands a sentence, and tells when its words were said',
    async () => {
      const sentence = 'The train from London arrives on platform seven.';
      const { text, words, duration_ms } = await hear(say(sentence));
      expect(wordErrors(sentence, text).errors).toBeLessThanOrEqual(2);
      expect(words.length).toBeGreaterThan(5);
      expect(words.at(-1)?.end_ms).toBeLessThanOrEqual(duration_ms);
    },
    MINUTES_MS,
  );

  it('reads files itself: a cut file is refused, and the engine goes on', async () => {
    const { signal } = new AbortController();
    const options = { model: 'moonshine-base-en', signal };
    const cut = wavOf(noise(100, 0.1)).subarray(0, 1_000);
    await expect(transcriber.transcribe({ kind: 'file', bytes: cut }, options)).rejects.toMatchObject({
      code: 'audio.unreadable',
      message: expect.stringContaining('cut off') as string,
    });
    await expect(transcriber.transcribe({ kind: 'file', bytes: wavOf(silence(200)) }, options)).resolves.toMatchObject({
      text: '',
    });
  });

  if (why === '' && isWhole)
    transcriberContract('the local engine', () => {
      const other = new LocalTranscriber({ modelDir });
      return Promise.resolve({
        transcriber: other,
        speech: say('Thank you for calling.'),
        close: () => Promise.resolve(other.close()),
      });
    });

  describe.skipIf(!isWhole)(`with the whole corpus${onRequest}`, () => {
    it(
      'understands five of six words of a synthetic voice, in British and American English',
      async () => {
        const sentences = [
          'Please send the report to the office before Monday morning.',
          'The train from London arrives on platform seven.',
          'He opened the window because the room was too warm.',
          'Nobody knows when the mountain road will open again.',
        ];
        let [errors, words] = [0, 0];
        for (const [i, sentence] of sentences.entries()) {
          const { text, language } = await hear(say(sentence, i % 2 === 0 ? 'en-us' : 'en-gb'));
          expect(language).toBe('en');
          const result = wordErrors(sentence, text);
          errors += result.errors;
          words += result.words;
        }
        expect(errors / words).toBeLessThan(1 / 6);
      },
      MINUTES_MS,
    );

    it(
      'tells when words were said, to a third of a second, around pauses that are known',
      async () => {
        const parts = ['The garden', 'is full of', 'yellow flowers.', 'We walked'].map((text) => say(text));
        const starts: number[] = [];
        let audio = silence(500);
        for (const part of parts) {
          starts.push(durationMsOf(audio.length));
          audio = joined(audio, part, silence(400));
        }
        const { words, text, duration_ms } = await hear(audio);
        expect(wordErrors('The garden is full of yellow flowers we walked', text).errors).toBe(0);
        const at = (word: string): number =>
          words.find((each) => each.text.toLowerCase() === word)?.start_ms ?? Number.NaN;
        for (const [i, word] of ['the', 'is', 'yellow', 'we'].entries())
          expect(Math.abs(at(word) - starts[i]!), `${word} at ${at(word)}, said at ${starts[i]}`).toBeLessThan(333);
        let before = 0;
        for (const { start_ms, end_ms } of words) {
          expect(start_ms).toBeGreaterThanOrEqual(before);
          expect(end_ms).toBeGreaterThan(start_ms);
          before = end_ms;
        }
        expect(before).toBeLessThanOrEqual(duration_ms);
      },
      MINUTES_MS,
    );

    it(
      'hears no words in silence, in noise and in a tone, and still hears what is said between them',
      async () => {
        const tone = silence(2_000).map((_, i) => Math.sin(i / 6) / 4);
        for (const quiet of [silence(3_000), noise(3_000, 0.02), noise(3_000, 0.4), tone])
          expect(await hear(quiet)).toMatchObject({ text: '', words: [], segments: [], confidence: null });
        const { text, words } = await hear(
          joined(silence(4_000), say('My brother is learning to play the piano.'), silence(4_000)),
        );
        expect(wordErrors('My brother is learning to play the piano', text).errors).toBe(0);
        expect(words[0]?.start_ms).toBeGreaterThan(3_900);
      },
      MINUTES_MS,
    );

    it(
      'hears speech that is longer than what its model hears at once, in order',
      async () => {
        const one = say('The bridge was closed for repairs last week.');
        const { text, segments } = await hear(joined(...Array<Float32Array>(5).fill(one)));
        expect(segments.length).toBeGreaterThan(1);
        expect(text.match(/bridge/g)).toHaveLength(5);
      },
      MINUTES_MS,
    );
  });
});
