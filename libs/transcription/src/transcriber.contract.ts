// SPDX-License-Identifier: Apache-2.0
import { wavOf } from '@writ/audio';
import { parseTranscript } from './parse-transcript.ts';
import type { Audio, Transcriber } from './transcriber.ts';

export interface TranscriberUnderTest {
  readonly transcriber: Transcriber;
  /** samples in which something is said, or what the engine takes for it */
  readonly speech: Float32Array;
  readonly close: () => Promise<void>;
}

const SILENCE = new Float32Array(32_000);
const file = (samples: Float32Array): Audio => ({ kind: 'file', bytes: wavOf(samples) });
const pcm = (samples: Float32Array): Audio => ({ kind: 'pcm', samples });

/** Some engines tell words without the punctuation that their text has. */
const lettersOf = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();

/** The requirements on every engine of transcription; runs on the fake and on each adapter. */
export function transcriberContract(name: string, make: () => Promise<TranscriberUnderTest>): void {
  describe(`${name} as a transcriber`, () => {
    let subject: TranscriberUnderTest;
    let transcriber: Transcriber;
    let model: string;
    const { signal } = new AbortController();
    beforeAll(async () => {
      subject = await make();
      transcriber = subject.transcriber;
      model = transcriber.models()[0]?.id ?? '';
    });
    afterAll(() => subject.close());

    it('offers a model at least', () => {
      expect(model).not.toBe('');
    });

    it('hears speech in samples and in a file, with words in order within the audio', async () => {
      for (const audio of [pcm(subject.speech), file(subject.speech)]) {
        const transcript = parseTranscript(await transcriber.transcribe(audio, { model, signal }));
        expect(transcript.text).not.toBe('');
        expect(transcript.duration_ms).toBeCloseTo(subject.speech.length / 16, 0);
        expect(lettersOf(transcript.words.map(({ text }) => text).join(''))).toBe(lettersOf(transcript.text));
        expect(transcript.segments.length).toBeGreaterThan(0);
      }
    });

    it('hears nothing in silence', async () => {
      const transcript = parseTranscript(await transcriber.transcribe(pcm(SILENCE), { model, signal }));
      expect(transcript).toMatchObject({ text: '', words: [], segments: [], confidence: null, duration_ms: 2_000 });
    });

    it('hears nothing in an audio without samples', async () => {
      const transcript = await transcriber.transcribe(pcm(new Float32Array()), { model, signal });
      expect(transcript).toMatchObject({ text: '', words: [], duration_ms: 0 });
    });

    it('refuses a model that it does not have, and names those that it has', async () => {
      await expect(transcriber.transcribe(pcm(SILENCE), { model: 'none', signal })).rejects.toMatchObject({
        code: 'transcription.model_unknown',
        message: expect.stringContaining(`\`${model}\``) as string,
      });
    });

    it.each(['english please', 'e', 'en_US', ''])('refuses `%s`, which is no language tag', async (language) => {
      await expect(transcriber.transcribe(pcm(SILENCE), { model, language, signal })).rejects.toMatchObject({
        code: 'args.invalid',
      });
    });

    it('takes a language with a region', async () => {
      const transcript = await transcriber.transcribe(pcm(SILENCE), { model, language: 'en-GB', signal });
      expect(transcript.text).toBe('');
    });

    it('rejects with the reason of a signal that is aborted already', async () => {
      const reason = new Error('not wanted any more');
      await expect(
        transcriber.transcribe(pcm(subject.speech), { model, signal: AbortSignal.abort(reason) }),
      ).rejects.toBe(reason);
    });

    it('keeps working after all of that', async () => {
      const transcript = await transcriber.transcribe(pcm(subject.speech), { model, signal });
      expect(transcript.text).not.toBe('');
    });
  });
}
