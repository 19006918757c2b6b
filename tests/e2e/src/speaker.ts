// SPDX-License-Identifier: Apache-2.0
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { framesOfWav, type AudioFrame } from '@writ/audio';
import { repositoryRoot } from '@writ/testing';

/** A synthetic voice, and the model that hears it. */
export interface Speaker {
  readonly modelDir: string;
  /** A WAV file with the text. */
  readonly say: (text: string) => Buffer;
}

/** The speaker; or why this machine has none, in words. */
export function findSpeaker(): Speaker | string {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['tools/with-node.mjs', 'tools/src/speech-model/speaker.ts'],
    { cwd: repositoryRoot(), encoding: 'utf8' },
  );
  const [program, modelDir] = stdout.trim().split('\n').slice(-2);
  if (status !== 0 || program === undefined || modelDir === undefined)
    return stderr.trim().split('\n').at(-1) ?? 'no speaker';
  const say = (text: string): Buffer => {
    const folder = mkdtempSync(join(tmpdir(), 'said-'));
    try {
      execFileSync(program, ['-v', 'en-us', '-s', '150', '-w', join(folder, 'said.wav'), text]);
      return readFileSync(join(folder, 'said.wav'));
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
  return { modelDir, say };
}

/** The frames of a WAV file, from a number and a time on. */
export const framesFrom = (wav: Uint8Array, seq: number, startMs: number): AudioFrame[] =>
  framesOfWav(wav, { seq, startMs: 0 }, { durationMsMax: 60_000 }).map((frame) => ({
    ...frame,
    startMs: startMs + frame.startMs,
  }));
