// SPDX-License-Identifier: Apache-2.0
import { engineTask } from '@writ/sandbox-docker';
import type Docker from 'dockerode';
import { LABEL } from '../supervisor/containers.ts';
import type { Setup } from '../setup.ts';
import type { Recipe } from './image-recipe.ts';

/** A registry without progress for this long counts as unreachable. */
const SILENCE_MS = 10_000;

/** The packages are some 90 MB; a slower mirror is no faster than a build from scratch. */
const INSTALL_MS = 180_000;

/** Rejects when the progress stream is silent for too long, or reports an error. */
const followPull = async (
  docker: Docker,
  stream: NodeJS.ReadableStream & { destroy?: () => void },
  onLine: (line: string) => void,
): Promise<void> => {
  const silence = Promise.withResolvers<never>();
  const giveUp = (): void => {
    stream.destroy?.();
    silence.reject(new Error(`the registry said nothing for ${SILENCE_MS / 1000} s`));
  };
  let timer = setTimeout(giveUp, SILENCE_MS);
  const pulled = engineTask(docker, stream, ({ status, id, progress }) => {
    clearTimeout(timer);
    timer = setTimeout(giveUp, SILENCE_MS);
    onLine([status, id, progress].filter(Boolean).join(' '));
  });
  try {
    await Promise.race([pulled, silence.promise]);
  } finally {
    clearTimeout(timer);
  }
};

/** Pulls an image from its registry; rejects soon when that is unreachable. */
export const pull = async (docker: Docker, reference: string, onLine: (line: string) => void): Promise<void> => {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), SILENCE_MS);
  try {
    const stream = await docker.pull(reference, { abortSignal: abort.signal });
    clearTimeout(timer);
    await followPull(docker, stream, onLine);
  } finally {
    clearTimeout(timer);
  }
};

const script = (recipe: Recipe): string =>
  [
    'set -eu',
    'apt-get update -qq',
    `DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends ${recipe.packages.join(' ')}`,
    'rm -rf /var/lib/apt/lists/* /var/cache/* /usr/share/doc/* /usr/share/man/* /usr/share/locale/* /usr/bin/*-lto-dump-*',
  ].join('; ');

/**
 * Makes the base image from a registry's Debian and its packages, installed in a container on the host's network, since
 * the engine may have no other.
 */
export const baseFromRegistry = async (setup: Setup, docker: Docker, recipe: Recipe, tag: string): Promise<void> => {
  await pull(docker, recipe.image, setup.report);
  const container = await docker.createContainer({
    Image: recipe.image,
    Cmd: ['/bin/sh', '-c', script(recipe)],
    Labels: { [LABEL]: setup.stateId },
    HostConfig: { NetworkMode: 'host' },
  });
  try {
    await container.start();
    setup.report(`installing ${recipe.packages.join(', ')}`);
    const late = setTimeout(() => {
      void container.kill().catch(() => undefined);
    }, INSTALL_MS);
    const { StatusCode } = (await container.wait()) as { StatusCode: number };
    clearTimeout(late);
    if (StatusCode !== 0) throw new Error(`installing packages ended with status ${StatusCode}`);
    const [repo, version] = tag.split(':');
    await container.commit({ repo, tag: version });
  } finally {
    await container.remove({ force: true, v: true });
  }
};
