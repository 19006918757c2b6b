// SPDX-License-Identifier: Apache-2.0
// `node join-service.ts CHECKOUT FOLDER ENTRY…`: joins each entry with what it imports into one file in FOLDER. The
// `main.js` of a service becomes `service.js`; another one keeps its name. A program of its own, so that esbuild ends
// with it.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { packagesOf, PACKAGES_FILE } from './bundled-packages.ts';
import { NODE_MAJOR_MIN, SERVICE_FILE, startProgram } from './start-program.ts';

/**
 * What modules of CommonJS expect to be there, and a module of the other kind has to make. The last line has the source
 * map read, where a process is told to heed it: that takes as long as many calls do, and would stand in the way of all
 * of them when the first one fails. A thread of one question reads it where it must.
 */
const BANNER = `import { createRequire as joinedCreateRequire } from 'node:module';
import { isMainThread as joinedIsMainThread } from 'node:worker_threads';
const require = joinedCreateRequire(import.meta.url);
const __filename = import.meta.filename;
const __dirname = import.meta.dirname;
if (joinedIsMainThread && process.sourceMapsEnabled) new Error().stack;`;

const EXTERNAL = [
  // Native, or read as files from where they are: Piscina starts its threads from a file of its own.
  'sodium-native',
  'piscina',
  'cpu-features',
  '*.node',
  '*.wasm',
  '@cedar-policy/*',
  'web-tree-sitter',
  // dockerode asks for them whatever it is used for, and only an engine that is reached by SSH or that builds needs
  // them.
  'ssh2',
  '@grpc/*',
  // What NestJS and others ask for where it is installed, or where it is used.
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
 * OpenTelemetry's SDK for Node.js names its exporters over gRPC in an import that is followed before anything else
 * runs. No service exports over gRPC, so what loads gRPC for them is left out: it would take a tenth of a second of
 * every start.
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
// As the bundler names what it reads.
const checkout = realpathSync(given);
const record = join(folder, 'inputs.json');
mkdirSync(folder, { recursive: true });
// Written last: what was left half made has none, and isn't started.
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
  // Of packages that have two forms, the one that asks for its own files by names which a bundler sees.
  mainFields: ['module', 'main'],
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
});
writeFileSync(join(folder, 'main.js'), startProgram());
// What is installed stands in the lock; how it is joined, in these files.
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
