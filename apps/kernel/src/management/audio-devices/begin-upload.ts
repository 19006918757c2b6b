// SPDX-License-Identifier: Apache-2.0
import type { AudioDeviceSettings, AudioUpload, Caller, KernelRequest } from '@writ/contract';
import type { Changed, Changes } from '../../evidence/changes/index.ts';
import type { TenantVault } from '../../evidence/payload/index.ts';
import { audioSql, kernelSql } from '../../foundation/database/functions/index.ts';
import { agentFilterOf, callIn, requireFound, requireId, requireRole } from '../../foundation/tenancy/index.ts';

/**
 * Begins uploads of audio devices. INVARIANT (nothing unrecorded): the key that seals frames is handed out only with
 * the record of the upload, so that nobody stores a frame of an upload that no record tells of. INVARIANT (no frames
 * after a removal): the device is opened while its resource is locked. The removal forgets the device, and its frames
 * are refused from then on.
 */
export class BeginUpload {
  readonly #changes: Changes;
  readonly #vault: TenantVault;

  constructor(changes: Changes, vault: TenantVault) {
    this.#changes = changes;
    this.#vault = vault;
  }

  /** @throws Fault `auth.role`; `not_found`, also for the key of an agent that isn't the device's uploader */
  async run({ caller, resource_id }: KernelRequest<'audio_device.upload'>): Promise<AudioUpload> {
    requireRole(caller, 'admin', 'operator', 'agent');
    requireId('resource', resource_id);
    const { tenant_id, api_key_id } = caller;
    const cipher = await this.#vault.cipherFor(tenant_id);
    return await this.#changes.make(tenant_id, async (rows): Promise<Changed<AudioUpload>> => {
      const { name, settings, digest } = requireFound(
        uploadable(await callIn(rows, kernelSql.lockAudioDevice, { tenant: tenant_id, resource: resource_id }), caller),
      );
      const { retention_seconds, buffer_bytes } = settings;
      await callIn(rows, audioSql.open, { tenant: tenant_id, device: resource_id, keep: retention_seconds * 1000 });
      return {
        value: {
          v: 1,
          resource_id: resource_id as AudioUpload['resource_id'],
          name,
          retention_seconds,
          buffer_bytes,
          key: cipher.audioKey(resource_id).toString('base64'),
        },
        records: [
          {
            kind: 'change',
            actor: api_key_id,
            ...agentFilterOf(caller),
            change: { verb: 'audio_upload_begun', subject: `audio_device:${name}`, digest },
          },
        ],
      };
    });
  }
}

/** INVARIANT (least privilege): of all agents, only the one that the settings name uploads for a device. */
function uploadable<D extends { readonly settings: AudioDeviceSettings }>(device: D | null, caller: Caller): D | null {
  const { agent_id } = agentFilterOf(caller);
  return device === null || agent_id === undefined || device.settings.uploader === agent_id ? device : null;
}
