// SPDX-License-Identifier: Apache-2.0
import { FakeTranscriber } from './fake-transcriber.ts';
import { transcriberContract } from './transcriber.contract.ts';

/** A tone of a second between two silences of half a second. */
const TONE = Float32Array.from({ length: 32_000 }, (_, i) => (i < 8_000 || i >= 24_000 ? 0 : Math.sin(i)));

transcriberContract('the fake', () =>
  Promise.resolve({ transcriber: new FakeTranscriber(), speech: TONE, close: () => Promise.resolve() }),
);

describe('the fake transcriber', () => {
  it('tells when a tone begins and ends', async () => {
    const { words } = await new FakeTranscriber().transcribe(
      { kind: 'pcm', samples: TONE },
      { model: 'fake', signal: new AbortController().signal },
    );
    expect(words).toEqual([{ text: 'beep', start_ms: 500, end_ms: 1_500, confidence: 1 }]);
  });

  it('refuses a language that its model does not hear', async () => {
    await expect(
      new FakeTranscriber().transcribe(
        { kind: 'pcm', samples: TONE },
        { model: 'fake', language: 'pt-BR', signal: new AbortController().signal },
      ),
    ).rejects.toMatchObject({ code: 'args.invalid', message: 'the model `fake` hears en, and not `pt`' });
  });
});
