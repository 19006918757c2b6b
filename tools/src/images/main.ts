// SPDX-License-Identifier: Apache-2.0
// `npm run images`: builds the image of the services and that of the sandboxes, and says how large they are.
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

const say = (line: string): void => {
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

/** Milliseconds that something took, and what it resolved with. */
const timed = async <T>(work: () => Promise<T>): Promise<[T, number]> => {
  const began = performance.now();
  const result = await work();
  return [result, performance.now() - began];
};

/** What deploy/compose/compose.yaml can't know: which images these are, and whose the engine's socket is. */
const composeVariables = ({ writ, sandbox, parts }: Images, env: Setup['env']): string => {
  const socket = (env['DOCKER_HOST'] || 'unix:///var/run/docker.sock').replace(/^unix:\/\//, '');
  const found = statSync(socket, { throwIfNoEntry: false });
  const engine = found === undefined ? [] : [`WRIT_DOCKER_SOCKET=${socket}`, `WRIT_DOCKER_GID=${found.gid}`];
  const own = parts === undefined ? [] : [`POSTGRES_IMAGE=${parts.postgres.ref}`, `NATS_IMAGE=${parts.nats.ref}`];
  return [`WRIT_IMAGE=${writ.ref}`, `WRIT_SANDBOX_IMAGE_DIGEST=${sandbox.id}`, ...own, ...engine, ''].join('\n');
};

const root = defaultStateDir(process.env);
const report = throttle(
  (line) => say(`  ${line}`),
  LINE_MS,
  () => performance.now(),
);
const setup = makeSetup(join(root, 'images'), join(root, 'cache'), process.env, report);

// Supervised, since the engine may be one that this starts.
await supervise(setup, 'images', async () => {
  const [, buildMs] = await timed(() => build(process.env, setup.report));
  const { docker } = await enginePart.ensure(setup);
  const [images, imagesMs] = await timed(() => buildImages(setup, docker, options));
  const show = async ({ ref, id, tar }: BuiltImage): Promise<void> => {
    const { Size } = await docker.getImage(id).inspect();
    const saved = tar === undefined ? '' : `  ${tar} (${(statSync(tar).size / MB).toFixed(0)} MB)`;
    say(`${ref}  ${(Size / MB).toFixed(0)} MB  ${id}${saved}`);
  };
  for (const image of [images.writ, images.sandbox, ...Object.values(images.parts ?? {})]) await show(image);
  if (options.save !== undefined) {
    cpSync(images.writ.sbom, join(options.save, 'writ.cdx.json'));
    writeFileSync(join(options.save, 'images.json'), `${JSON.stringify(images, null, 2)}\n`);
  }
  if (options.env !== undefined) writeFileSync(options.env, composeVariables(images, setup.env));
  say(`packages: ${images.writ.sbom}`);
  say(`build ${(buildMs / 1_000).toFixed(1)} s, images ${(imagesMs / 1_000).toFixed(1)} s`);
  return 0;
});
