// SPDX-License-Identifier: Apache-2.0
// The agent in the pods of a fake API server: the fake agent of libs/sandbox behind the real frames, with the programs
// of its contract suite.
import {
  encodeAgentMessage,
  fakeNameOf,
  FrameDecoder,
  HOST_FRAMES,
  parseHostMessage,
  type AgentMessage,
  type FakeEnd,
  type FakeProgram,
  type FakeShellProgram,
  type JobOrder,
} from '@writ/sandbox';
import { FakeAgent, FakeShellAgent } from '@writ/sandbox/contract';
import type { Attached } from './fake-api.contract.ts';

/** The addresses that a pod's arguments tell its agent to try. */
export const canariesOf = ({ pod }: Attached): string[] =>
  (pod.spec?.containers[0]?.args ?? [])
    .filter((arg) => arg.startsWith('--refused-at='))
    .map((arg) => arg.slice('--refused-at='.length));

/** Greets as an agent does that every canary has refused; passes on all other messages. */
export function greeting(
  attached: Attached,
  take: (message: ReturnType<typeof parseHostMessage>) => void,
  refusedAt?: readonly string[],
): void {
  const asked = canariesOf(attached);
  const frames = new FrameDecoder(HOST_FRAMES);
  attached.onStdin((bytes) => {
    for (const frame of frames.push(bytes)) {
      const message = parseHostMessage(frame);
      if (message.type === 'greet') {
        attached.seal(message.key);
        say(attached, { type: 'hello', agent: 'fake', refusedAt: refusedAt ?? asked });
      } else if (message.type === 'canaries') asked.push(...message.refusedAt);
      else take(message);
    }
  });
}

export const say = (attached: Attached, ...messages: AgentMessage[]): void =>
  attached.stdout(Buffer.concat(messages.map(encodeAgentMessage)));

/** Runs programs in place of commands. */
export function programsIn(programs: Readonly<Record<string, FakeProgram>>): (attached: Attached) => void {
  return (attached) => {
    const agent = new FakeAgent((bytes) => attached.stdout(bytes));
    greeting(attached, (message) => {
      agent.receive(message);
      if (message.type === 'job') void run(attached, agent, message.job, programs[fakeNameOf(message.job)]);
    });
  };
}

/** Runs fake commands of shells. A pod's agent reports usage before it ends a turn. */
export function shellsIn(programs: Readonly<Record<string, FakeShellProgram>>): (attached: Attached) => void {
  return (attached) => {
    const agent = new FakeShellAgent(programs, (bytes) => attached.stdout(bytes));
    greeting(attached, (message) => {
      if (message.type === 'turn')
        say(attached, { type: 'usage', cpuMs: 1, memoryPeakBytes: 1_000_000, outOfMemory: null });
      agent.receive(message);
    });
  };
}

async function run(
  attached: Attached,
  agent: FakeAgent,
  order: JobOrder,
  program: FakeProgram | undefined,
): Promise<void> {
  const began = performance.now();
  const end: FakeEnd = await (program ?? notFound)(agent.world);
  if (typeof end === 'object' && 'ended' in end) return;
  const usage = (cpuMs: number) =>
    say(attached, { type: 'usage', cpuMs: Math.round(cpuMs), memoryPeakBytes: 1_000_000, outOfMemory: null });
  if (end === 'never' || end === 'busy') {
    const timer = setInterval(() => usage(end === 'busy' ? performance.now() - began : 1), 100);
    const ended = new Promise((resolve) => attached.socket.once('close', resolve));
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, order.timeout_ms))]);
    clearInterval(timer);
  }
  if (attached.socket.readyState !== attached.socket.OPEN) return;
  usage(1);
  agent.exit(end === 'busy' ? 'never' : end);
}

const notFound: FakeProgram = (world) => {
  world.err('command not found\n');
  return 127;
};
