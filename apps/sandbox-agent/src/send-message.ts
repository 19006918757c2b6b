// SPDX-License-Identifier: Apache-2.0
import { writeSync } from 'node:fs';
import { encodeAgentMessage, outputSealer, type AgentMessage } from '@writ/sandbox';
import { codeOf } from './fault.ts';
import { pause } from './pause.ts';

const STDOUT = 1;

let seal: ((bytes: Uint8Array) => Buffer) | null = null;

/** Encrypts all messages from now on. */
export function sealMessages(key: Buffer): void {
  seal = outputSealer(key);
}

/**
 * Writes one message to the adapter and returns when the pipe has accepted it: so the agent holds no queue that a flood
 * of output could grow. Ends the process when the adapter no longer reads.
 */
export function sendMessage(message: AgentMessage): void {
  const encoded = encodeAgentMessage(message);
  const bytes = seal === null ? encoded : seal(encoded);
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(STDOUT, bytes, at);
    } catch (error) {
      if (codeOf(error) !== 'EAGAIN') process.exit(1);
      // If a process made the pipe non-blocking, this polls a full one each millisecond.
      pause(1);
    }
  }
}
