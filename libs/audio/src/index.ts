// SPDX-License-Identifier: Apache-2.0
export { containerOf, READABLE_FORMATS } from './container.ts';
export {
  AudioIngest,
  CLOCK_AHEAD_MS_MAX,
  FRAMES_PER_APPEND_MAX,
  OVERLAP_MS_MAX,
  STATE_FRAMES_MAX,
  STATE_GAPS_MAX,
  WINDOW_BYTES_MAX,
  WINDOW_MS_MAX,
  type AppendResult,
  type AudioWindow,
  type DeviceId,
  type Gap,
  type GapReason,
  type IngestOptions,
  type IngestState,
  type Retention,
  type TimeRange,
} from './ingest/audio-ingest.ts';
export {
  encodeFrame,
  endMsOf,
  FRAME_BYTES_MAX,
  FRAME_BYTES_MIN,
  FRAME_HEADER_BYTES,
  FrameReader,
  framesOfWav,
  verifyFrame,
  type AudioFrame,
} from './ingest/frames.ts';
export { MemoryAudioIngest } from './ingest/memory-audio-ingest.ts';
export { recentGaps, verifyFrames, verifyRange, verifyTimesRise, wholeFrames, windowOf } from './ingest/window.ts';
export { durationMsOf, pcmOfSamples, SAMPLE_BYTES, SAMPLE_RATE_HZ, samplesIn, samplesOfPcm } from './pcm.ts';
export { readWav, type WavLimits } from './wav/read-wav.ts';
export { resample } from './wav/resample.ts';
export { wavOf, wavOfPcm } from './wav/write-wav.ts';
