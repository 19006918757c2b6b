// SPDX-License-Identifier: Apache-2.0
// `npm run images`: builds the image of the services and that of the sandboxes, and prints their sizes.
import { cpSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { build } from '../build.ts';
import { docker as enginePart } from '../parts/docker.ts';
import { defaultStateDir, makeSetup, type Setup } from '../setup.ts';
import { throttle } from '../steps.ts';
import { supervise } from '../supervisor/supervise.ts';
import { buildImages, type BuiltImage, type Images } from './index.ts';

const MB = 1_000_000;
const LINE_MS = 2_000;

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

interface Options {
  readonly save?: string;
  readonly base?: string;
  readonly fresh?: true;
  readonly env?: string;
  readonly parts?: true;
}

const options = new Command('npm run images --')
  .description('Builds writ:<version> and writ-sandbox:<version> in the engine of DOCKER_HOST, or in one of its own.')
  .option('--save <dir>', 'also writes them as tar files, and beside them images.json and the list of packages')
  .option('--base <image>', 'the image to build that of the services on; else a minimal Debian is made of packages')
  .option('--env <file>', 'writes the variables that deploy/compose needs of both, `deploy/compose/.env` for example')
  .option('--parts', "also builds Postgres and NATS of Debian's packages, for machines that reach no registry")
  .option('--fresh', 'builds every step anew')
  .allowExcessArguments(false)
  .parse(process.argv)
  .opts<Options>();

/** The duration of a task in milliseconds, and its result. */
const timed = async <T>(work: () => Promise<T>): Promise<[T, number]> => {
  const began = performance.now();
  const result = await work();
  return [result, performance.now() - began];
};

/** Variables that deploy/compose/compose.yaml needs: the images, and the group of the engine's socket. */
const composeVariables = ({ writ, sandbox, parts }: Images, env: Setup['env']): string => {
  const socket = (env['DOCKER_HOST'] || 'unix:///var/run/docker.sock').replace(/^unix:\/\//, '');
  const found = statSync(socket, { throwIfNoEntry: false });
  const engine = found === undefined ? [] : [`WRIT_DOCKER_SOCKET=${socket}`, `WRIT_DOCKER_GID=${found.gid}`];
  const own = parts === undefined ? [] : [`POSTGRES_IMAGE=${parts.postgres.ref}`, `NATS_IMAGE=${parts.nats.ref}`];
  return [`WRIT_IMAGE=${writ.ref}`, `WRIT_SANDBOX_IMAGE_DIGEST=${sandbox.id}`, ...own, ...engine, ''].join('\n');
};

const root = defaultStateDir(process.env);
const report = throttle(
  (line) => print(`  ${line}`),
  LINE_MS,
  () => performance.now(),
);
const setup = makeSetup(join(root, 'images'), join(root, 'cache'), process.env, report);

// Supervised, since this may start the engine itself.
await supervise(setup, 'images', async () => {
  const [, buildMs] = await timed(() => build(process.env, setup.report));
  const { docker } = await enginePart.ensure(setup);
  const [images, imagesMs] = await timed(() => buildImages(setup, docker, options));
  const show = async ({ ref, id, tar }: BuiltImage): Promise<void> => {
    const { Size } = await docker.getImage(id).inspect();
    const saved = tar === undefined ? '' : `  ${tar} (${(statSync(tar).size / MB).toFixed(0)} MB)`;
    print(`${ref}  ${(Size / MB).toFixed(0)} MB  ${id}${saved}`);
  };
  for (const image of [images.writ, images.sandbox, ...Object.values(images.parts ?? {})]) await show(image);
  if (options.save !== undefined) {
    cpSync(images.writ.sbom, join(options.save, 'writ.cdx.json'));
    writeFileSync(join(options.save, 'images.json'), `${JSON.stringify(images, null, 2)}\n`);
  }
  if (options.env !== undefined) writeFileSync(options.env, composeVariables(images, setup.env));
  print(`packages: ${images.writ.sbom}`);
  print(`build ${(buildMs / 1_000).toFixed(1)} s, images ${(imagesMs / 1_000).toFixed(1)} s`);
  return 0;
});
