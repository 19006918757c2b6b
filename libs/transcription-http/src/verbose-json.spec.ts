// SPDX-License-Identifier: Apache-2.0
import { transcriptOf } from './verbose-json.ts';

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
const SILENT = { avg_logprob: -2, no_speech_prob: 1 };

describe('a reply of a service of transcription', () => {
  it.each(['words', 'segments'])('with more %s than a transcript has is refused before they are read', (name) => {
    const body = bytes({ text: 'x', [name]: new Array(50_001).fill(null) });
    expect(() => transcriptOf(body, 1_000)).toThrow(`the service answered more than 50000 ${name}`);
  });

  it('loses words of invented segments, in whatever order both come', () => {
    const words = [5, 1, 3, 2, 9].map((at) => ({ word: `w${at}`, start: at, end: at + 0.5 }));
    const segments = [
      { text: 'b', start: 4, end: 6, ...SILENT },
      { text: 'a', start: 0, end: 3, ...SILENT },
      { text: 'c', start: 1, end: 2, ...SILENT },
      { text: 'kept', start: 8, end: 10 },
    ];
    const transcript = transcriptOf(bytes({ text: 'x', words, segments }), 10_000);
    expect(transcript.words.map(({ text }) => text)).toEqual(['w3', 'w9']);
  });

  it('of very many words and segments takes little time', () => {
    const words = new Array(40_000).fill({ word: 'a', start: 9, end: 9 });
    const segments = new Array(40_000).fill({ text: 'a', start: 1, end: 1, ...SILENT });
    const started = performance.now();
    expect(transcriptOf(bytes({ text: 'x', words, segments }), 10_000).words).toHaveLength(40_000);
    // Each word compared with each segment takes ten times as long on an idle machine.
    expect(performance.now() - started).toBeLessThan(4_000);
  });
});
