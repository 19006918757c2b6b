// SPDX-License-Identifier: Apache-2.0
import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { AgentContainer, type Freezer } from '@writ/sandbox-host';
import { containerOptions, type DockerContainerSpec } from './container-options.ts';
import { openInput } from './direct-input.ts';
import { DockerWire } from './docker-wire.ts';
import { requestEngine } from './engine-requests.ts';
import { DockerMeter } from './measure.ts';

/**
 * Creates, attaches and starts a container. Calls back with its id as soon as there is one. Resolves when its agent has
 * sent hello; rejects when the engine fails.
 */
export async function startContainer(
  docker: Docker,
  spec: DockerContainerSpec,
  made: (id: string) => void,
  options: Docker.ContainerCreateOptions = containerOptions(spec),
): Promise<AgentContainer> {
  const making = docker.createContainer(options);
  const container = await requestEngine(
    docker,
    'make a container',
    making,
    (late) => void late.remove({ force: true }).catch(() => undefined),
  );
  made(container.id);
  try {
    const options = { stream: true, hijack: true, stdin: true, stdout: true, stderr: true };
    const stream = await requestEngine(docker, 'attach to a container', container.attach(options));
    const wire = new DockerWire(stream as Duplex);
    const started = new AgentContainer({
      id: container.id,
      wire,
      remove: () => removeContainer(docker, container),
      freezer: freezerOf(docker, container),
    });
    const hello = started.hello();
    // The hello is awaited last, and a failed start explains more than its absence.
    hello.catch(() => undefined);
    await requestEngine(docker, 'start a container', container.start());
    const looked = requestEngine(docker, 'look at a container', container.inspect());
    started.measureBy(new DockerMeter(container, looked));
    await requestEngine(docker, 'get an answer from an agent', hello);
    // Where its process number is unknown, input goes through the engine.
    await looked.then(
      ({ State, Id }) => wire.useDirectInput(openInput(State.Pid, Id)),
      () => undefined,
    );
    return started;
  } catch (error) {
    await requestEngine(docker, 'remove a container', container.remove({ force: true })).catch(() => undefined);
    throw error;
  }
}

/** The cgroup freezer stops every thread, whatever a process does against it. */
const freezerOf = (docker: Docker, container: Docker.Container): Freezer => ({
  freeze: async () => void (await requestEngine(docker, 'freeze a container', container.pause())),
  thaw: async () => void (await requestEngine(docker, 'thaw a container', container.unpause())),
});

async function removeContainer(docker: Docker, container: Docker.Container): Promise<void> {
  try {
    await requestEngine(docker, 'remove a container', container.remove({ force: true }));
  } catch (error) {
    if (statusOf(error) === GONE) return;
    if (statusOf(error) !== BEING_REMOVED) throw error;
    // Its end of the stream is closed, so it may end by itself, and the engine then removes it.
    await requestEngine(docker, 'remove a container', container.wait({ condition: 'removed' })).catch(
      (late: unknown) => {
        if (statusOf(late) !== GONE) throw late;
      },
    );
  }
}

/** The engine's status for a container that doesn't exist. */
const GONE = 404;
const BEING_REMOVED = 409;

/** The status of an engine's answer; undefined for any other error. */
function statusOf(error: unknown): unknown {
  return error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
}
