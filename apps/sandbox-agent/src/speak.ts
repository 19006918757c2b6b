// SPDX-License-Identifier: Apache-2.0
import { writeSync } from 'node:fs';
import { encodeAgentMessage, voiceSealer, type AgentMessage } from '@writ/sandbox';
import { codeOf } from './fault.ts';
import { pause } from './pause.ts';

const STDOUT = 1;

let seal: ((bytes: Uint8Array) => Buffer) | null = null;

/** Seals all that is said from now on. */
export function sealVoice(key: Buffer): void {
  seal = voiceSealer(key);
}

/**
 * Writes one message to the adapter and returns when the pipe has taken it: the agent then holds no queue that a flood
 * of output could grow. Ends the process when nobody reads any more.
 */
export function speak(message: AgentMessage): void {
  const said = encodeAgentMessage(message);
  const bytes = seal === null ? said : seal(said);
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(STDOUT, bytes, at);
    } catch (error) {
      if (codeOf(error) !== 'EAGAIN') process.exit(1);
      // Somebody made the pipe non-blocking: a full one is polled each millisecond instead of waited for.
      pause(1);
    }
  }
}
