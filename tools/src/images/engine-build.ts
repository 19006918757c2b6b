// SPDX-License-Identifier: Apache-2.0
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type Docker from 'dockerode';
import { pack } from 'tar-stream';
import { SetupError } from '../setup-error.ts';

/** A file of a build's context. */
export interface ContextFile {
  readonly name: string;
  readonly path: string;
}

export interface EngineBuild {
  readonly docker: Docker;
  readonly reference: string;
  readonly dockerfile: ContextFile;
  readonly files: readonly ContextFile[];
  /** a stage of the file; the last one by default */
  readonly target?: string;
  readonly args: Readonly<Record<string, string>>;
  /** the network of its steps; none by default */
  readonly network?: 'host';
  /** builds every step again, without the engine's cache */
  readonly fresh?: boolean;
}

/** Builds an image from the given files only. Resolves with its id. */
export const engineBuild = async ({
  docker,
  reference,
  dockerfile,
  files,
  target,
  args,
  network,
  fresh = false,
}: EngineBuild): Promise<string> => {
  const context = pack();
  const filled = (async () => {
    for (const { name, path } of [dockerfile, ...files])
      await pipeline(createReadStream(path), context.entry({ name, size: (await stat(path)).size }));
    context.finalize();
  })();
  filled.catch((error: Error) => context.destroy(error));
  const stream = await docker.buildImage(Readable.from(context), {
    t: reference,
    dockerfile: dockerfile.name,
    ...(target === undefined ? {} : { target }),
    buildargs: args,
    networkmode: network ?? 'none',
    forcerm: true,
    nocache: fresh,
  });
  await Promise.all([filled, followed(docker, stream, `\`${reference}\` can't be built`)]);
  return (await idOf(docker, reference)) ?? '';
};

/** The id of an image; undefined where the engine has none with that name. */
export const idOf = async (docker: Docker, reference: string): Promise<string | undefined> =>
  docker
    .getImage(reference)
    .inspect()
    .then(
      ({ Id }) => Id,
      () => undefined,
    );

/**
 * Resolves when the engine has finished the reported task. It answers 200 before it starts: the result is in its last
 * line.
 */
export const followed = (docker: Docker, stream: NodeJS.ReadableStream, failure: string): Promise<void> =>
  new Promise((resolve, reject) => {
    docker.modem.followProgress(stream, (error: Error | null, lines: { error?: string; stream?: string }[] | null) => {
      const reason = error?.message ?? lines?.find((line) => line.error)?.error;
      if (reason === undefined) resolve();
      else
        reject(
          new SetupError(
            `${failure}: ${reason.trim()}`,
            lines?.slice(-10).flatMap((line) => line.stream?.trim() || []) ?? [],
            error ?? undefined,
          ),
        );
    });
  });

/** Writes an image in the format of `docker load` and `ctr images import`. */
export const saveImage = async (docker: Docker, reference: string, file: string): Promise<void> => {
  await pipeline(await docker.getImage(reference).get(), createWriteStream(`${file}.new`));
  await rename(`${file}.new`, file);
};
