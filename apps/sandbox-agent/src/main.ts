// SPDX-License-Identifier: Apache-2.0
import { FrameDecoder, HOST_FRAMES, parseHostMessage } from '@writ/sandbox';
import { Agent } from './agent.ts';
import { Greeting } from './greeting.ts';
import { parseOptions, type AgentOptions } from './options.ts';
import { makePipes } from './pipes.ts';
import { rehearse } from './rehearse.ts';
import { sealMessages, sendMessage } from './send-message.ts';
import { UsageReporter } from './usage.ts';

/** The path of the agent in the image. */
const AGENT_PATH = '/opt/writ/agent';
/** Idle time before the rehearsal: a host whose call waits sends the files sooner. */
const IDLE_MS = 20;

// At the end of a job the agent kills every process of its user, so it must not run outside of its container.
if (process.execPath !== AGENT_PATH || process.getuid?.() === 0) {
  process.stderr.write('the sandbox agent runs in its container only\n');
  process.exit(2);
}

const options = readOptions();

/** Parses the arguments; exits if the agent lacks one of them. */
function readOptions(): AgentOptions {
  try {
    return parseOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(2);
  }
}

/**
 * Kills every process of the container except the agent and process 1: a command could leave its own group with
 * `setsid`.
 */
function endAll(): void {
  try {
    process.kill(-1, 'SIGKILL');
  } catch {
    // ESRCH: nothing is left to kill.
  }
}

// Files of the workspace have mode 644 or 755, whatever umask the container started with.
process.umask(0o022);

const [pipes, rehearsalPipes] = makePipes('/tmp');
const usage = options.reportsUsage ? new UsageReporter(sendMessage) : null;
const agent = new Agent(
  { root: '/workspace', scratch: '/tmp', pipes, endAll },
  usage === null ? sendMessage : (message) => usage.send(message),
);
const frames = new FrameDecoder(HOST_FRAMES, true);

const greeting = new Greeting(options);

// Runs once, when there is nothing else to do; messages that arrive meanwhile wait for its end. A step that fails is
// tried again for the job.
let rehearsed = false;
const idleTimer = setTimeout(() => {
  rehearsed = true;
  if (agent.isStarted) return;
  process.stdin.pause();
  void rehearse('/tmp', rehearsalPipes)
    .then(() => agent.prepare())
    .catch(() => undefined)
    .finally(() => process.stdin.resume());
}, IDLE_MS);

process.stdin.on('data', (chunk: Buffer) => {
  if (!rehearsed) idleTimer.refresh();
  for (const frame of frames.push(chunk)) {
    const message = parseHostMessage(frame);
    if (greeting.handle(message)) {
      if (message.type === 'greet') sealMessages(message.key);
      continue;
    }
    usage?.onHostMessage(message);
    agent.handle(message);
  }
});
// The executor is gone or done: the container ends with its main process.
process.stdin.on('end', () => process.exit(0));
process.stdin.on('error', () => process.exit(1));

greeting.done().then(
  (refusedAt) => {
    sendMessage({ type: 'hello', agent: 'writ-sandbox-agent', ...(refusedAt.length === 0 ? {} : { refusedAt }) });
  },
  (error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  },
);
