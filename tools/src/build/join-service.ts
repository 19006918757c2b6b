// SPDX-License-Identifier: Apache-2.0
// `node join-service.ts CHECKOUT FOLDER ENTRY…`: bundles each entry with its imports into one file in FOLDER. The
// `main.js` of a service becomes `service.js`; another one keeps its name. It is a separate program, so that esbuild
// ends with it.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { packagesOf, PACKAGES_FILE } from './bundled-packages.ts';
import { NODE_MAJOR_MIN, SERVICE_FILE, startProgram } from './start-program.ts';

/**
 * Globals that CommonJS modules expect and ES modules lack. The last line loads the source map at the start, in a
 * process that uses source maps. Loading takes as long as many calls do, and would delay all of them when the first one
 * fails. A thread for one task loads it only when needed.
 */
const BANNER = `import { createRequire as joinedCreateRequire } from 'node:module';
import { isMainThread as joinedIsMainThread } from 'node:worker_threads';
const require = joinedCreateRequire(import.meta.url);
const __filename = import.meta.filename;
const __dirname = import.meta.dirname;
if (joinedIsMainThread && process.sourceMapsEnabled) new Error().stack;`;

const EXTERNAL = [
  // Native modules, and files that are read from their folder: Piscina starts its threads from its own file.
  'sodium-native',
  'piscina',
  'cpu-features',
  '*.node',
  '*.wasm',
  '@cedar-policy/*',
  'web-tree-sitter',
  'onnxruntime-node',
  'onnxruntime-web',
  // dockerode always requires them, and only needs them for an engine over SSH and for builds.
  'ssh2',
  '@grpc/*',
  // Optional dependencies of NestJS and others.
  '@nestjs/websockets',
  '@nestjs/websockets/*',
  '@nestjs/platform-express',
  '@nestjs/platform-socket.io',
  '@fastify/multipart',
  '@fastify/view',
  '@fastify/static',
  'kafkajs',
  'mqtt',
  'amqplib',
  'amqp-connection-manager',
  'ioredis',
  'nats',
  'class-transformer',
  'class-transformer/*',
  'class-validator',
  'pg-native',
];

/**
 * OpenTelemetry's SDK for Node.js imports its gRPC exporters statically. No service exports over gRPC, so they are
 * replaced by an empty module. They would take a tenth of a second of every start.
 */
const WITHOUT_GRPC: Plugin = {
  name: 'without-grpc',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@grpc\/grpc-js$/ }, ({ importer }) =>
      importer.includes('@opentelemetry/') ? { path: 'grpc', namespace: 'left-out' } : null,
    );
    onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({ contents: 'export {};', loader: 'js' }));
  },
};

const [given = '', folder = '', ...entries] = process.argv.slice(2);
// The bundler's names of its inputs.
const checkout = realpathSync(given);
const record = join(folder, 'inputs.json');
mkdirSync(folder, { recursive: true });
// Written last: an incomplete bundle has no such file and is not started.
rmSync(record, { force: true });
const { metafile } = await build({
  absWorkingDir: checkout,
  entryPoints: entries.map((entry) => ({
    in: entry,
    out: basename(entry.endsWith('/main.js') ? SERVICE_FILE : entry, '.js'),
  })),
  outdir: folder,
  bundle: true,
  platform: 'node',
  target: `node${NODE_MAJOR_MIN}`,
  format: 'esm',
  banner: { js: BANNER },
  external: EXTERNAL,
  plugins: [WITHOUT_GRPC],
  // Of packages in two formats, choose the one whose imports a bundler can resolve.
  mainFields: ['module', 'main'],
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
});
writeFileSync(join(folder, 'main.js'), startProgram());
// The lockfile determines what is installed; these files determine how it is bundled.
const joining = ['join-service.ts', 'start-program.ts', 'bundled-packages.ts'].map((name) =>
  relative(checkout, join(import.meta.dirname, name)),
);
writeFileSync(join(folder, PACKAGES_FILE), `${JSON.stringify(packagesOf(checkout, metafile), null, 1)}\n`);
const ours = Object.keys(metafile.inputs).filter((path) => !/^left-out:|(?:^|\/)node_modules\//.test(path));
const inputs = [...ours, 'package-lock.json', ...joining];
const hashes = inputs.sort().map(
  (path) =>
    [
      path,
      createHash('sha256')
        .update(readFileSync(join(checkout, path)))
        .digest('hex'),
    ] as const,
);
writeFileSync(record, `${JSON.stringify(Object.fromEntries(hashes), null, 1)}\n`);
