// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import type Docker from 'dockerode';
import { pack } from 'tar-stream';
import type { ImageSource } from '@writ/contract';
import { findUser, type PackageRegistries } from '@writ/sandbox/images';
import { testAddress } from '@writ/testing';
import type { DockerSandbox } from '../docker-sandbox.ts';
import { openSandbox, runIn, textOf, until } from '../engine.contract.ts';
import { DockerImages, type DockerImagesConfig } from './docker-images.ts';

const TENANT = 'ten_00000000000000000000000000';
const OTHER = 'ten_00000000000000000000000001';
const OWNER = `images-${process.pid}`;
const NEVER = new AbortController().signal;

let docker: Docker;
let sandbox: DockerSandbox;
let image: string;
let images: DockerImages;
beforeAll(async () => {
  ({ docker, sandbox, image } = await openSandbox());
  images = imagesOf();
}, 240_000);
afterAll(async () => {
  await sandbox.close();
  await Promise.allSettled(made.map((id) => docker.getImage(id).remove({ force: true })));
});

const made: string[] = [];
type Bounds = Partial<DockerImagesConfig['bounds']>;
const imagesOf = (bounds: Bounds = {}): DockerImages =>
  new DockerImages({
    docker,
    sandboxImage: image,
    bounds: { bytesMax: 8 * 1024 ** 3, wallMs: 300_000, ...bounds },
    labels: { writ: testAddress('WRIT_TEST_LABEL'), 'writ.role': 'image', 'writ.owner': OWNER },
  });

/** An image of the base's files and these, whose entry point and triggers would show that they ran. */
async function plantedImage(files: Readonly<Record<string, string>>, changes: readonly string[] = []): Promise<string> {
  const container = await docker.createContainer({ Image: testAddress('WRIT_TEST_SANDBOX_BASE'), Cmd: ['/bin/true'] });
  try {
    const archive = pack();
    for (const [name, text] of Object.entries(files)) archive.entry({ name, mode: 0o755 }, text);
    archive.finalize();
    await container.putArchive(archive as unknown as NodeJS.ReadableStream, { path: '/' });
    const { Id } = (await container.commit({ ...(changes.length === 0 ? {} : { changes: changes.join('\n') }) })) as {
      Id: string;
    };
    made.push(Id);
    return Id;
  } finally {
    await container.remove({ force: true });
  }
}

/** The containers in which images are made. */
const containers = (): Promise<Docker.ContainerInfo[]> =>
  docker.listContainers({ all: true, filters: { label: [`writ.owner=${OWNER}`, 'writ.role=image'] } });

const outputIn = async (id: string, command: string): Promise<string> => textOf(await runIn(sandbox, id, command));

describe('an image of a tenant', () => {
  it('runs commands as the sandbox image does, with its own files', async () => {
    const digest = await plantedImage({ 'opt/edition': 'ours\n' }, ['ENTRYPOINT ["/bin/false"]', 'USER 0:0']);
    const id = await images.runnable({ tenantId: TENANT, source: { digest } }, digest, NEVER);
    made.push(id);
    expect(await outputIn(id, 'cat /opt/edition; id -un; node -p 1+1')).toBe('ours\nsandbox\n2\n');
    expect(findUser('sandbox', await images.passwd(id))).toEqual({ uid: 10_001, gid: 10_001, name: 'sandbox' });
    // Made once, and found again.
    expect(await imagesOf().runnable({ tenantId: TENANT, source: { digest } }, digest, NEVER)).toBe(id);
  });

  it('is as if it were not there, where it was built for another tenant', async () => {
    const digest = await plantedImage({ x: '' }, [`LABEL writ.image.tenant=${OTHER}`]);
    await expect(images.runnable({ tenantId: TENANT, source: { digest } }, digest, NEVER)).rejects.toThrow(
      `the engine here has no image \`${digest}\``,
    );
  });

  it.each([
    ['declares volumes', { changes: ['VOLUME /data'], bytesMax: 8 * 1024 ** 3 }, 'declares volumes'],
    ['is larger than allowed', { changes: [], bytesMax: 1_000 }, 'one may have 1000'],
  ])('that %s is refused', async (_what, { changes, bytesMax }, why) => {
    const digest = await plantedImage({ [`marker-${bytesMax}`]: '' }, changes);
    const refusing = imagesOf({ bytesMax }).runnable({ tenantId: TENANT, source: { digest } }, digest, NEVER);
    await expect(refusing).rejects.toThrow(why);
  });

  it('that the engine lacks, or that has another digest, is refused', async () => {
    const digest = `sha256:${'0'.repeat(64)}`;
    await expect(images.runnable({ tenantId: TENANT, source: { digest } }, digest, NEVER)).rejects.toThrow('no image');
    await expect(images.runnable({ tenantId: TENANT, source: { digest } }, image, NEVER)).rejects.toThrow('digest');
  });
});

describe('a recipe', () => {
  const recipe = (source: ImageSource, bounds: Bounds = {}, signal = NEVER) => {
    let log = '';
    const context = {
      registries: REGISTRIES,
      ca: readFileSync('/etc/ssl/certs/ca-certificates.crt', 'utf8'),
      egress: (hosts: readonly string[]) => ({ serve: (connection: Duplex) => void forward(connection, hosts) }),
      digest: 'd'.repeat(64),
      log: (text: string) => (log += text),
    };
    const making = imagesOf(bounds).make({ tenantId: TENANT, source }, context, signal);
    return making.then(
      (digest) => {
        made.push(digest);
        return { digest, log };
      },
      (error: Error) => ({ digest: null, log: `${log}\n${error.message}` }),
    );
  };

  it('adds a package of Debian in its exact version, which calls then find', async () => {
    const { digest, log } = await recipe({
      recipe: { debian: [{ name: 'hello', version: await versionOf('hello') }] },
    });
    expect(log).toContain('apt-get');
    expect(digest, log).toMatch(/^sha256:/);
    const id = await images.runnable({ tenantId: TENANT, source: { digest: digest! } }, digest!, NEVER);
    expect(id).toBe(digest);
    expect(await outputIn(digest!, 'hello; id -u')).toBe('Hello, world!\n10001\n');
  });

  it('with a version that does not exist fails, and its log says why', async () => {
    const { digest, log } = await recipe({ recipe: { debian: [{ name: 'hello', version: '0.0-0' }] } });
    expect(digest).toBeNull();
    expect(log).toContain("Version '0.0-0' for 'hello' was not found");
  });

  it('ends at its time limit, and leaves no container behind', async () => {
    const { digest, log } = await recipe({ recipe: { debian: [{ name: 'hello', version: '1' }] } }, { wallMs: 1_500 });
    expect(digest).toBeNull();
    expect(log).toContain('took more than 1500 ms');
    expect(await containers()).toEqual([]);
  });

  /** A recipe whose package manager is a script of its base, as the scripts of packages are. */
  const scripted = async (script: string): Promise<{ readonly source: ImageSource; readonly bytes: number }> => {
    const base = await plantedImage({ 'usr/local/bin/npm': `#!/bin/sh\n${script}\n` });
    made.push(await images.runnable({ tenantId: TENANT, source: { digest: base } }, base, NEVER));
    const { Size: bytes } = await docker.getImage(base).inspect();
    return { source: { recipe: { base, npm: [{ name: 'x', version: '1.0.0' }] } }, bytes };
  };

  it('whose packages write more than an image may have is killed while it runs', async () => {
    const { source, bytes } = await scripted('head -c 2000000000 /dev/zero > /big; sleep 600');
    const { digest, log } = await recipe(source, { bytesMax: bytes + 500_000_000 });
    expect(digest).toBeNull();
    expect(log).toMatch(/the build has \d+ bytes, and an image may have \d+$/);
    expect(await containers()).toEqual([]);
  }, 400_000);

  it('ends at a signal during its commit, and leaves no container behind', async () => {
    const { source } = await scripted('head -c 600000000 /dev/urandom > /big');
    const stop = new AbortController();
    const making = recipe(source, {}, stop.signal);
    const paused = async () => (await containers()).some(({ State }) => State === 'paused');
    await until('it commits', paused);
    stop.abort(new Error('the executor stops'));
    expect((await making).log).toMatch(/the executor stops|aborted/);
    expect(await containers()).toEqual([]);
  }, 400_000);

  it('without a registry for its packages is not begun', async () => {
    const { log } = await recipe({ recipe: { pip: [{ name: 'x', version: '1.0.0' }] } });
    expect(log).toContain('its operator configured no such registry');
  });
});

const run = promisify(execFile);
const text = async (program: string, args: readonly string[]): Promise<string> => (await run(program, args)).stdout;

/** The mirror that this machine's own apt uses. */
const sites = await text('apt-get', [
  'indextargets',
  '--format',
  '$(SITE) $(CODENAME) $(COMPONENT)',
  'Created-By: Packages',
]);
const [site = ''] =
  sites
    .split('\n')
    .find((line) => /\/debian\/? bookworm main$/.test(line))
    ?.split(' ') ?? [];
const REGISTRIES: PackageRegistries = {
  debian: { url: site, suites: ['bookworm'], components: ['main'] },
  npm: { url: 'http://npm.example.org/' },
};

async function versionOf(name: string): Promise<string> {
  const [, version = ''] = /^Version: (.+)$/m.exec(await text('apt-cache', ['show', name])) ?? [];
  return version;
}

/** A plain proxy for the hosts of the plan; the executor's gate does it in service. */
async function forward(connection: Duplex, hosts: readonly string[]): Promise<void> {
  connection.on('error', () => undefined);
  const [head] = (await once(connection, 'data')) as [Buffer];
  const [, host = '', port = '80', path = ''] =
    /^GET http:\/\/([^/:]+)(?::(\d+))?(\/\S*)/.exec(head.toString('latin1')) ?? [];
  if (!hosts.includes(host)) return void connection.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
  const out = connect(Number(port), host);
  out.on('error', () => connection.destroy());
  out.write(head.toString('latin1').replace(/^GET \S+/, `GET ${path}`), 'latin1');
  connection.pipe(out).pipe(connection);
}
