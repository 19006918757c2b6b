// SPDX-License-Identifier: Apache-2.0
import { audioIngestContract } from './audio-ingest.contract.ts';
import { MemoryAudioIngest } from './memory-audio-ingest.ts';

audioIngestContract('memory', () =>
  Promise.resolve({ ingest: new MemoryAudioIngest(), close: () => Promise.resolve() }),
);
