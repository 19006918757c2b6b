// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { createReadStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import tar from 'tar-stream';
import { writeImage, type ImageFile } from './oci-image.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'writ-oci-'));
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

const FILES: ImageFile[] = [
  { path: '/usr/bin/tool', content: Buffer.from('tool') },
  { path: '/bin', content: { linkTo: 'usr/bin' } },
  { path: '/tmp', content: 'directory', mode: 0o1777 },
];
const CONFIG = { entrypoint: ['/usr/bin/tool'], user: '65532:65532' };
const write = (name: string, files = FILES): Promise<string> =>
  writeImage(join(dir, name), 'writ.local/tool:1', files, CONFIG);

const entriesOf = async (stream: NodeJS.ReadableStream): Promise<Map<string, { header: tar.Header; body: Buffer }>> => {
  const found = new Map<string, { header: tar.Header; body: Buffer }>();
  for await (const entry of stream.pipe(tar.extract()))
    found.set(entry.header.name, { header: entry.header, body: await buffer(entry) });
  return found;
};
const layout = async (name: string) => {
  const files = await entriesOf(createReadStream(join(dir, name)));
  const json = (path: string) => JSON.parse(files.get(path)?.body.toString() ?? 'null');
  const blob = (digest: string) => files.get(`blobs/${digest.replace(':', '/')}`)?.body as Buffer;
  return {
    json,
    blob,
    index: json('index.json'),
    manifest: JSON.parse(blob(json('index.json').manifests[0].digest).toString()),
  };
};

test('the index names the image, with the returned digest', async () => {
  const digest = await write('a.tar');
  const { index, blob } = await layout('a.tar');
  expect(index.manifests[0]).toMatchObject({
    digest,
    annotations: { 'io.containerd.image.name': 'writ.local/tool:1', 'org.opencontainers.image.ref.name': '1' },
  });
  expect(`sha256:${createHash('sha256').update(blob(digest)).digest('hex')}`).toBe(digest);
});

test('the layer holds the files, owned by root, with the folders above them', async () => {
  await write('a.tar');
  const { manifest, blob } = await layout('a.tar');
  const pack = tar.extract();
  pack.end(blob(manifest.layers[0].digest));
  const headers: tar.Header[] = [];
  for await (const entry of pack) {
    headers.push(entry.header);
    entry.resume();
  }
  expect(headers.map(({ name, type }) => `${name} ${type}`)).toEqual([
    'bin symlink',
    'tmp/ directory',
    'usr/ directory',
    'usr/bin/ directory',
    'usr/bin/tool file',
  ]);
  for (const { uid, gid } of headers) expect([uid, gid]).toEqual([0, 0]);
  expect(headers.find(({ name }) => name === 'tmp/')?.mode).toBe(0o1777);
});

test('the configuration has the command and the digest of the layer', async () => {
  await write('a.tar');
  const { manifest, blob } = await layout('a.tar');
  const config = JSON.parse(blob(manifest.config.digest).toString());
  expect(config).toMatchObject({
    os: 'linux',
    config: { Entrypoint: ['/usr/bin/tool'], User: '65532:65532' },
    rootfs: { diff_ids: [manifest.layers[0].digest] },
  });
});

test('the same files give the same bytes, in whatever order they come', async () => {
  expect(await write('a.tar')).toBe(await write('b.tar', FILES.toReversed()));
  expect(readFileSync(join(dir, 'a.tar')).equals(readFileSync(join(dir, 'b.tar')))).toBe(true);
});
