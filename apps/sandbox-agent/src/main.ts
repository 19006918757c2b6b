// SPDX-License-Identifier: Apache-2.0
import { FrameDecoder, HOST_FRAMES, parseHostMessage } from '@writ/sandbox';
import { Agent } from './agent.ts';
import { makePipes } from './pipes.ts';
import { speak } from './speak.ts';

// Files of the workspace have mode 644 or 755, whatever the container was started with.
process.umask(0o022);

const agent = new Agent('/workspace', makePipes('/tmp'), speak);
const frames = new FrameDecoder(HOST_FRAMES);

process.stdin.on('data', (chunk: Buffer) => {
  for (const frame of frames.push(chunk)) agent.take(parseHostMessage(frame));
});
// The executor is gone, or done with us: the container ends with its main process.
process.stdin.on('end', () => process.exit(0));
process.stdin.on('error', () => process.exit(1));

speak({ type: 'hello', agent: 'writ-sandbox-agent' });
