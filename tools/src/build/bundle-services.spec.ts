// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { freshService } from '@writ/testing';
import { SetupError } from '../setup-error.ts';
import { bundleServices, PROGRAMS, serviceProgram } from './bundle-services.ts';
import { NODE_MAJOR_MIN, SERVICE_FILE } from './start-program.ts';

/** Bundling four programs takes a process each, on a busy machine. */
const JOINED_MS = 60_000;
const PART = 'libs/part/dist/part.js';
const THREADS = [
  'libs/signing/dist/ed25519/sodium-thread.js',
  'apps/executor/dist/runners/page-reader.js',
  'libs/transcription-local/dist/hearing-program.js',
  'libs/info-store-pg/dist/vector-scan.worker.js',
  'libs/embedding-onnx/dist/engine-program.js',
  ...['kernel', 'executor', 'orchestrator'].map((service) => `apps/${service}/dist/${service}.worker.js`),
];

let checkout: string;
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(checkout, path)), { recursive: true });
  writeFileSync(join(checkout, path), text);
};
const partOf = (word: string): string => `export function say() {\n  console.log('${word}', new Error().stack);\n}\n`;

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'writ-joined-'));
  write('package.json', '{"type":"module"}');
  write('package-lock.json', '{}');
  write(PART, partOf('before'));
  // A CommonJS module that requires a Node.js module: it only runs in a bundle that has `require`.
  write('libs/part/dist/old.cjs', `module.exports = require('path').sep + __dirname;`);
  for (const service of PROGRAMS)
    write(
      `apps/${service}/dist/main.js`,
      `import '../../../libs/part/dist/old.cjs';\nimport { say } from '../../../${PART}';\nsay();\n`,
    );
  for (const thread of THREADS) write(thread, '');
});
afterEach(() => {
  rmSync(checkout, { recursive: true });
});

const started = (): string =>
  spawnSync(process.execPath, ['--enable-source-maps', serviceProgram(checkout, 'ledger')], { encoding: 'utf8' })
    .stdout;

it(
  'a bundled program starts without its modules, and a stack trace names module and line of the source',
  async () => {
    await bundleServices(checkout);
    for (const path of ['apps', 'libs']) rmSync(join(checkout, path), { recursive: true });
    expect(started()).toMatch(/^before Error[^]*libs\/part\/dist\/part\.js:2:/);
  },
  JOINED_MS,
);

it(
  'an unchanged program is not bundled again; a changed one is refused by name until it is bundled',
  async () => {
    expect(() => freshService(checkout, 'ledger')).toThrow(
      '`dist/services/ledger/main.js` is missing: run `npm run build`',
    );
    await bundleServices(checkout);
    const made = statSync(serviceProgram(checkout, 'ledger')).mtimeMs;
    await bundleServices(checkout);
    expect(statSync(serviceProgram(checkout, 'ledger')).mtimeMs).toBe(made);

    write(PART, partOf('after'));
    expect(() => freshService(checkout, 'ledger')).toThrow(
      `\`dist/services/ledger/main.js\` is older than \`${PART}\`: run \`npm run build\``,
    );
    await bundleServices(checkout);
    expect(freshService(checkout, 'ledger')).toBe(serviceProgram(checkout, 'ledger'));
    expect(started()).toMatch(/^after /);

    write('package-lock.json', '{"other":1}');
    rmSync(join(checkout, PART));
    // Of several files it names the first by name: one is enough for the reader.
    expect(() => freshService(checkout, 'kernel')).toThrow(`is older than \`${PART}\``);
  },
  JOINED_MS,
);

it(
  'a service whose bundle is missing is bundled again',
  async () => {
    await bundleServices(checkout);
    const service = join(dirname(serviceProgram(checkout, 'ledger')), SERVICE_FILE);
    rmSync(service);
    await bundleServices(checkout);
    expect(statSync(service).isFile()).toBe(true);
  },
  JOINED_MS,
);

describe('a Node.js that is too old', () => {
  /** Node.js 20 can't link this: it ends with a SyntaxError before it runs a line of the program. */
  const NEWER = `import { registerHooks } from 'node:module';\nconsole.log('the service runs', typeof registerHooks);\n`;
  const REFUSED = /^Node\.js 24 or later is needed, and \S+ is v\d+\.\d+\.\d+: nothing was started\. [^\n]+\n$/;
  const start = async (node: string, ...options: string[]): Promise<[number | null, string, string]> => {
    write('apps/ledger/dist/main.js', NEWER);
    await bundleServices(checkout);
    const { status, stdout, stderr } = spawnSync(node, [...options, serviceProgram(checkout, 'ledger')], {
      encoding: 'utf8',
    });
    return [status, stdout, stderr];
  };
  const olderThan = (version: string): string =>
    `data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '${version}' })`;

  it(
    'is refused with the required version, and the service is not loaded',
    async () => {
      expect(await start(process.execPath, '--import', olderThan('23.11.0'))).toEqual([
        1,
        '',
        expect.stringMatching(REFUSED),
      ]);
      expect(await start(process.execPath)).toEqual([0, 'the service runs function\n', '']);
    },
    JOINED_MS,
  );

  const old = oldNode();
  (old === undefined ? it.skip : it)(
    `is refused by itself${old === undefined ? ' (there is none in PATH)' : ''}`,
    async () => {
      expect(await start(old!)).toEqual([1, '', expect.stringMatching(REFUSED)]);
    },
    JOINED_MS,
  );
});

/** A Node.js in PATH that is too old for the services. */
function oldNode(): string | undefined {
  const found = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  return found.find((node) => {
    const [, major = ''] = /^v(\d+)\./.exec(spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout ?? '') ?? [];
    return major !== '' && Number(major) < NODE_MAJOR_MIN;
  });
}

it.each([
  ['executor', 'page-reader.js'],
  ['executor', 'hearing-program.js'],
  ['executor', 'vector-scan.worker.js'],
  ['executor', 'engine-program.js'],
  ['kernel', 'kernel.worker.js'],
] as const)(
  'a missing worker program of the %s is bundled again: %s',
  async (service, program) => {
    await bundleServices(checkout);
    const reader = join(dirname(serviceProgram(checkout, service)), program);
    rmSync(reader);
    await bundleServices(checkout);
    expect(statSync(reader).isFile()).toBe(true);
  },
  JOINED_MS,
);

it(
  'a failed bundling explains itself, and an earlier bundle is not started any more',
  async () => {
    await bundleServices(checkout);
    write('apps/ledger/dist/main.js', `import './nowhere.js';`);
    const failure = await bundleServices(checkout).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SetupError);
    expect((failure as SetupError).details.join('\n')).toContain('nowhere.js');
    expect(() => freshService(checkout, 'ledger')).toThrow('is missing: run `npm run build`');
  },
  JOINED_MS,
);
