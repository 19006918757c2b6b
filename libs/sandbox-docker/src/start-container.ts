// SPDX-License-Identifier: Apache-2.0
import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { AgentContainer } from '@writ/sandbox-host';
import { containerOptions, type DockerContainerSpec } from './container-options.ts';
import { openInput } from './direct-input.ts';
import { DockerWire } from './docker-wire.ts';
import { askEngine } from './engine-requests.ts';
import { DockerMeter } from './measure.ts';

/**
 * Makes, attaches and starts a container; tells its id as soon as there is one; resolves when its agent has said hello.
 * Rejects when the engine can't.
 */
export async function startContainer(
  docker: Docker,
  spec: DockerContainerSpec,
  made: (id: string) => void,
): Promise<AgentContainer> {
  const making = docker.createContainer(containerOptions(spec));
  const container = await askEngine(
    docker,
    'make a container',
    making,
    (late) => void late.remove({ force: true }).catch(() => undefined),
  );
  made(container.id);
  try {
    const options = { stream: true, hijack: true, stdin: true, stdout: true, stderr: true };
    const stream = await askEngine(docker, 'attach to a container', container.attach(options));
    const wire = new DockerWire(stream as Duplex);
    const started = new AgentContainer({ id: container.id, wire, remove: () => removeContainer(docker, container) });
    const hello = started.hello();
    // The hello is awaited last, and a failed start is the better explanation.
    hello.catch(() => undefined);
    await askEngine(docker, 'start a container', container.start());
    const looked = askEngine(docker, 'look at a container', container.inspect());
    started.measureBy(new DockerMeter(container, looked));
    await askEngine(docker, 'get an answer from an agent', hello);
    // Where nobody tells its number it is spoken to through the engine.
    await looked.then(
      ({ State, Id }) => wire.shorten(openInput(State.Pid, Id)),
      () => undefined,
    );
    return started;
  } catch (error) {
    await askEngine(docker, 'remove a container', container.remove({ force: true })).catch(() => undefined);
    throw error;
  }
}

async function removeContainer(docker: Docker, container: Docker.Container): Promise<void> {
  try {
    await askEngine(docker, 'remove a container', container.remove({ force: true }));
  } catch (error) {
    if (statusOf(error) === GONE) return;
    if (statusOf(error) !== BEING_REMOVED) throw error;
    // Its end of the stream is closed, so it may end by itself, and the engine removes it then.
    await askEngine(docker, 'remove a container', container.wait({ condition: 'removed' })).catch((late: unknown) => {
      if (statusOf(late) !== GONE) throw late;
    });
  }
}

/** What an engine answers of a container that isn't there. */
const GONE = 404;
const BEING_REMOVED = 409;

/** The status of an engine's answer; undefined for any other error. */
function statusOf(error: unknown): unknown {
  return error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
}
