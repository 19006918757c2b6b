// SPDX-License-Identifier: Apache-2.0
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { callerOf, refusalOf, requestBy, type TestManagement } from '../../specs/test-management.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { ExpireAudio } from './index.ts';

let kernel: TestKernel;
let manage: TestManagement;
let tenant: TestTenant;
openKernelSpec((on) => {
  ({ kernel, manage } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
});

const admin = () => callerOf(tenant.tenantId);
const SETTINGS = { retention_seconds: 60, buffer_bytes: 8_388_608 };
const create = (name: string, settings: Record<string, unknown> = SETTINGS) =>
  manage.resources.create({ ...requestBy(admin()), kind: 'audio_device', name, settings });
const begin = (resource_id: string, caller = admin()) => manage.beginUpload.run({ ...requestBy(caller), resource_id });
const agentKey = (agentId = tenant.agentId) => callerOf(tenant.tenantId, 'agent', agentId);

/** The frames of a device; null for one that is not open. */
async function stateOf(resource_id: string): Promise<{ frames: number; bytes: number } | null> {
  const { rows } = await kernel.admin.query<{ frames: number; bytes: number }>(
    `SELECT d.bytes::int, (SELECT count(*)::int FROM audio.ingest_segment s WHERE s.device_id = d.device_id) AS frames
     FROM audio.ingest_device d WHERE d.device_id = $1`,
    [resource_id],
  );
  return rows[0] ?? null;
}

describe('an upload of an audio device', () => {
  it('begins with a record and the key of the device, which no other device has', async () => {
    const [one, two] = [await create('one'), await create('two')];
    const upload = await begin(one.resource_id);
    expect(upload).toMatchObject({ resource_id: one.resource_id, name: 'one', ...SETTINGS });
    expect(Buffer.from(upload.key, 'base64')).toHaveLength(32);
    expect(await begin(one.resource_id)).toEqual(upload);
    expect((await begin(two.resource_id)).key).not.toBe(upload.key);
    const records = (await tenant.records()).filter(({ change }) => change?.verb === 'audio_upload_begun');
    expect(records.map(({ change }) => change?.subject)).toEqual([
      'audio_device:one',
      'audio_device:one',
      'audio_device:two',
    ]);
    expect(records[0]?.change?.digest).toBe(one.digest);
    expect(JSON.stringify(records)).not.toContain(upload.key);
  });

  it('is begun by administrators, operators and the agent that the device names, and by nobody else', async () => {
    const other = await manage.agents.create({ ...requestBy(admin()), name: 'other' });
    const mine = await create('mine', { ...SETTINGS, uploader: tenant.agentId });
    const plain = await create('plain');
    for (const caller of [admin(), callerOf(tenant.tenantId, 'operator'), agentKey()])
      expect(await begin(mine.resource_id, caller)).toMatchObject({ name: 'mine' });
    expect(await refusalOf(begin(mine.resource_id, callerOf(tenant.tenantId, 'auditor')))).toMatchObject({
      code: 'auth.role',
    });
    const elsewhere = await kernel.newTenant();
    const store = await manage.resources.create({
      ...requestBy(admin()),
      kind: 'website',
      name: 'site',
      settings: { url: 'https://example.org' },
    });
    const answers = await Promise.all([
      refusalOf(begin(newId('resource'))),
      refusalOf(begin('nonsense')),
      refusalOf(begin(plain.resource_id, agentKey())),
      refusalOf(begin(mine.resource_id, agentKey(other.agent_id))),
      refusalOf(begin(mine.resource_id, callerOf(elsewhere.tenantId))),
      refusalOf(begin(store.resource_id)),
    ]);
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]).toMatchObject({ code: 'not_found' });
  });

  it('opens the device, and its removal forgets it with the key of no later one', async () => {
    const device = await create('mic');
    expect(await stateOf(device.resource_id)).toBeNull();
    const { key } = await begin(device.resource_id);
    expect(await stateOf(device.resource_id)).toEqual({ frames: 0, bytes: 0 });
    await manage.resources.remove({ ...requestBy(admin()), resource_id: device.resource_id });
    expect(await stateOf(device.resource_id)).toBeNull();
    expect(await refusalOf(begin(device.resource_id))).toMatchObject({ code: 'not_found' });
    const again = await create('mic');
    expect((await begin(again.resource_id)).key).not.toBe(key);
  });

  it('never leaves a device open that is removed at the same time', async () => {
    for (let n = 0; n < 10; n++) {
      const { resource_id } = await create(`mic-${String(n)}`);
      await Promise.allSettled([
        begin(resource_id),
        manage.resources.remove({ ...requestBy(admin()), resource_id }),
        begin(resource_id),
      ]);
      expect(await stateOf(resource_id)).toBeNull();
    }
  });

  it('of a device whose settings name an agent that is not there is refused with its place', async () => {
    expect(await refusalOf(create('mic', { ...SETTINGS, uploader: newId('agent') }))).toMatchObject({
      code: 'not_found',
      pointer: '/settings/uploader',
    });
  });
});

describe('recordings', () => {
  it('that are older than the retention are removed, also those of a device that sends no more', async () => {
    const device = await create('mic');
    await begin(device.resource_id);
    const now = Date.now();
    for (const [seq, startMs] of [
      [0, now - 120_000],
      [1, now - 1_000],
    ])
      await kernel.admin.query(
        `INSERT INTO audio.ingest_segment VALUES ($1, $2, $3, $4, $4::bigint + 10, decode(repeat('00', 348), 'hex'))`,
        [tenant.tenantId, device.resource_id, seq, startMs],
      );
    await kernel.admin.query(`UPDATE audio.ingest_device SET bytes = 640 WHERE device_id = $1`, [device.resource_id]);
    expect(await stateOf(device.resource_id)).toMatchObject({ frames: 2, bytes: 640 });
    const expire = (at: number) => new ExpireAudio(kernel.workers, kernel.tenants, () => at).run();
    await expire(now);
    expect(await stateOf(device.resource_id)).toMatchObject({ frames: 1, bytes: 320 });
    await manage.resources.update({
      ...requestBy(admin()),
      resource_id: device.resource_id,
      settings: { ...SETTINGS, retention_seconds: 3_600 },
      expected_version: 1,
    });
    await expire(now + 120_000);
    expect(await stateOf(device.resource_id)).toMatchObject({ frames: 1 });
    await expire(now + 3_700_000);
    expect(await stateOf(device.resource_id)).toMatchObject({ frames: 0 });
  });

  it('of a device are removed though those of another device cannot be', async () => {
    const devices = [await create('one'), await create('two')].map(({ resource_id }) => resource_id).sort();
    const now = Date.now();
    for (const device of devices) {
      await begin(device);
      await kernel.admin.query(
        `INSERT INTO audio.ingest_segment VALUES ($1, $2, 0, $3, $3::bigint + 10, decode(repeat('00', 348), 'hex'))`,
        [tenant.tenantId, device, now - 120_000],
      );
      await kernel.admin.query(`UPDATE audio.ingest_device SET bytes = 320 WHERE device_id = $1`, [device]);
    }
    const [broken = '', other = ''] = devices;
    // The bytes of a device are never below zero.
    await kernel.admin.query(`UPDATE audio.ingest_device SET bytes = 1 WHERE device_id = $1`, [broken]);
    await expect(new ExpireAudio(kernel.workers, kernel.tenants, () => now).run()).rejects.toThrow(
      '1 of 2 audio devices keep recordings that are too old',
    );
    expect([await stateOf(broken), await stateOf(other)]).toEqual([
      { frames: 1, bytes: 1 },
      { frames: 0, bytes: 0 },
    ]);
    await kernel.admin.query(`UPDATE audio.ingest_device SET bytes = 320 WHERE device_id = $1`, [broken]);
    await new ExpireAudio(kernel.workers, kernel.tenants, () => now).run();
    expect(await stateOf(broken)).toEqual({ frames: 0, bytes: 0 });
  });
});
