// SPDX-License-Identifier: Apache-2.0
//
// What the transcriber and its engine say to each other, as JSON in the messages of `@writ/engine-process`.
import type { FaultCode } from '@writ/contract';

export interface EngineRequest {
  /** how the bytes of the message are read: float samples of 32 bits, little-endian, or a file */
  readonly kind: 'pcm' | 'file';
  readonly duration_ms_max: number;
}

/** `ready` comes once, after the models are loaded; `begun` before an answer, once the audio is read. */
export type EngineReply =
  | { readonly is: 'ready' }
  | { readonly is: 'begun'; readonly duration_ms: number }
  | { readonly is: 'answer'; readonly transcript: unknown }
  | { readonly is: 'fault'; readonly code: FaultCode; readonly detail: string };
