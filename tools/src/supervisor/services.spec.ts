// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../setup.ts';
import { SERVICES, serviceEnvironments, type ServiceName, type ServiceSettings } from './services.ts';

const file = (name: string) => `/keys/${name}`;
const settings: ServiceSettings = {
  stateDir: '/state',
  deployment: 'writ.test',
  shard: 's0',
  httpPort: 7480,
  opsPorts: { ledger: 1, kernel: 2, executor: 3, orchestrator: 4 },
  nats: {
    url: 'nats://127.0.0.1:5',
    passwordFiles: Object.fromEntries(SERVICES.map((name) => [name, file(`nats-${name}`)])),
  },
  schema: { urlFor: (role) => `postgres://${role}@127.0.0.1/writ` },
  keys: {
    permitKeyFile: file('permit'),
    recordKeyFile: file('record'),
    checkpointKeyFile: file('checkpoint'),
    masterKeyFile: file('master'),
    webhookKeyFile: file('webhook'),
    permitPublicKeysFile: '/public/permit',
    recordPublicKeysFile: '/public/record',
    logPublicKeysFile: '/public/log',
    checkpointPublicKeysFile: '/public/checkpoint',
    publicKeysFile: '/public/all',
    platformKey: 'the-platform-key',
    platformKeyHashFile: '/public/platform',
    rolePasswords: {
      writ_orchestrator: '',
      writ_kernel: '',
      writ_kernel_worker: '',
      writ_executor: '',
      writ_ledger: '',
    },
  },
  dockerHost: 'unix:///d.sock',
  label: 'abc',
  image: { digest: 'sha256:0' },
  env: {
    PATH: '/bin',
    WRIT_MODELS_FILE: '/models.json',
    ANTHROPIC_API_KEY: 'model',
    SECRET_OF_THE_SHELL: 'x',
    WRIT_LEASE_MS: '5000',
    WRIT_HTTP_HOST: '0.0.0.0',
  },
};
const environments = serviceEnvironments(settings);
const holders = (value: string): ServiceName[] =>
  SERVICES.filter((name) => Object.values(environments[name]).includes(value));

test.each([
  [file('permit'), 'kernel'],
  [file('record'), 'kernel'],
  [file('master'), 'kernel'],
  [file('checkpoint'), 'ledger'],
  ['unix:///d.sock', 'executor'],
  ['/models.json', 'orchestrator'],
  ['postgres://writ_ledger@127.0.0.1/writ', 'ledger'],
  ...SERVICES.map((name) => [file(`nats-${name}`), name]),
])('only the environment of one service has %s: %s', (value, holder) => {
  expect(holders(value)).toEqual([holder]);
});

test('nothing else of the environment reaches a service, nor does the platform key', () => {
  expect(holders('x')).toEqual([]);
  // A service takes keys of models out of the file of models alone.
  expect(holders('model')).toEqual([]);
  expect(holders('the-platform-key')).toEqual([]);
});

test('tuning reaches the service it is for', () => {
  expect(environments.kernel).toMatchObject({ WRIT_LEASE_MS: '5000' });
  expect(environments.executor).not.toHaveProperty('WRIT_LEASE_MS');
  expect(environments.orchestrator).toMatchObject({ WRIT_HTTP_HOST: '0.0.0.0' });
});

test('with a NATS server of the operator its user is the operator’s too', () => {
  const { kernel } = serviceEnvironments({
    ...settings,
    nats: { url: 'nats://nats:4222', passwordFiles: {} },
    env: { WRIT_NATS_USER: 'me', WRIT_NATS_PASSWORD_FILE: '/pw' },
  });
  expect(kernel).toMatchObject({
    WRIT_NATS_URL: 'nats://nats:4222',
    WRIT_NATS_USER: 'me',
    WRIT_NATS_PASSWORD_FILE: '/pw',
  });
});

/** Read by Node.js and what it runs, not by a service's own settings. */
const OF_ANY_PROGRAM = new Set([
  'PATH',
  'HOME',
  'LANG',
  'TZ',
  'TMPDIR',
  'NODE_ENV',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
]);

test.each(SERVICES)('%s is passed no variable that it does not read', (name) => {
  const everything = new Proxy({}, { get: () => 'set' });
  const passed = Object.keys(serviceEnvironments({ ...settings, env: everything })[name]).filter(
    (variable) => !OF_ANY_PROGRAM.has(variable),
  );
  const read = [
    `apps/${name}/src/config.env.ts`,
    'libs/nest-kit/src/common-environment.ts',
    'libs/nest-kit/src/outbound.ts',
  ]
    .map((path) => readFileSync(join(checkout, path), 'utf8'))
    .join('');
  expect(passed.filter((variable) => !read.includes(`${variable}:`))).toEqual([]);
});
