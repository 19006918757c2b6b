// SPDX-License-Identifier: Apache-2.0
import { FrameDecoder, HOST_FRAMES, parseHostMessage } from '@writ/sandbox';
import { Agent } from './agent.ts';
import { Greeting } from './greeting.ts';
import { parseOptions, type AgentOptions } from './options.ts';
import { makePipes } from './pipes.ts';
import { rehearse } from './rehearse.ts';
import { sealVoice, speak } from './speak.ts';
import { UsageTeller } from './usage.ts';

/** Where the image has it. */
const OWN_PATH = '/opt/writ/agent';
/** Whoever started it because somebody waits sends its files sooner. */
const REST_MS = 20;

// At the end of a job everything that its user runs is killed: outside its container the agent must not run.
if (process.execPath !== OWN_PATH || process.getuid?.() === 0) {
  process.stderr.write('the sandbox agent runs in its container only\n');
  process.exit(2);
}

const options = readOptions();

/** An agent that isn't what it is asked to be doesn't begin. */
function readOptions(): AgentOptions {
  try {
    return parseOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(2);
  }
}

/** Every process of the container but the agent and process 1: the command's own group could be left by `setsid`. */
function endAll(): void {
  try {
    process.kill(-1, 'SIGKILL');
  } catch {
    // ESRCH: nothing is left to kill.
  }
}

// Files of the workspace have mode 644 or 755, whatever the container was started with.
process.umask(0o022);

const [pipes, own] = makePipes('/tmp');
const usage = options.tellsUsage ? new UsageTeller(speak) : null;
const agent = new Agent(
  { root: '/workspace', scratch: '/tmp', pipes, endAll },
  usage === null ? speak : (message) => usage.speak(message),
);
const frames = new FrameDecoder(HOST_FRAMES, true);

const greeting = new Greeting(options);

// Once, when there is nothing else to do; what comes meanwhile waits for its end. What fails is tried again for the
// job.
let rehearsed = false;
const rest = setTimeout(() => {
  rehearsed = true;
  if (agent.isStarted) return;
  process.stdin.pause();
  void rehearse('/tmp', own)
    .then(() => agent.prepare())
    .catch(() => undefined)
    .finally(() => process.stdin.resume());
}, REST_MS);

process.stdin.on('data', (chunk: Buffer) => {
  if (!rehearsed) rest.refresh();
  for (const frame of frames.push(chunk)) {
    const message = parseHostMessage(frame);
    if (greeting.take(message)) {
      if (message.type === 'greet') sealVoice(message.key);
      continue;
    }
    usage?.hears(message);
    agent.take(message);
  }
});
// The executor is gone, or done with us: the container ends with its main process.
process.stdin.on('end', () => process.exit(0));
process.stdin.on('error', () => process.exit(1));

greeting.done().then(
  (refusedAt) => {
    speak({ type: 'hello', agent: 'writ-sandbox-agent', ...(refusedAt.length === 0 ? {} : { refusedAt }) });
  },
  (error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  },
);
