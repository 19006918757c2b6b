// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { RegistrarKeyView, SandboxPut, SandboxView, SandboxWhole } from '@writ/contract';
import { Asked } from '../../edge/requests/asked.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { Route, type AskedOf } from '../../edge/requests/route.ts';
import { SANDBOXES } from './routes.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';

@Controller()
export class SandboxesController {
  constructor(private readonly kernel: KernelClient) {}

  @Route(SANDBOXES.list)
  list(
    @Asked() { caller, query }: AskedOf<typeof SANDBOXES.list>,
  ): Promise<{ items: SandboxView[]; next_cursor: string | null }> {
    return this.kernel.ask('sandbox.list', caller, { page: pageOf(query) });
  }

  @Route(SANDBOXES.put)
  put(@Asked() { caller, body: { name, ...definition } }: AskedOf<typeof SANDBOXES.put>): Promise<SandboxPut> {
    return this.kernel.ask('sandbox.put', caller, { name, definition });
  }

  @Route(SANDBOXES.read)
  read(@Asked() { caller, params: { sandbox: name } }: AskedOf<typeof SANDBOXES.read>): Promise<SandboxWhole> {
    return this.kernel.ask('sandbox.read', caller, { name });
  }

  @Route(SANDBOXES.sign)
  sign(
    @Asked() { caller, params: { sandbox: name }, body: { envelope } }: AskedOf<typeof SANDBOXES.sign>,
  ): Promise<SandboxWhole> {
    return this.kernel.ask('sandbox.sign', caller, { name, envelope });
  }

  @Route(SANDBOXES.remove)
  remove(
    @Asked() { caller, params: { sandbox: name } }: AskedOf<typeof SANDBOXES.remove>,
  ): Promise<{ removed: string }> {
    return this.kernel.ask('sandbox.remove', caller, { name });
  }

  @Route(SANDBOXES.listKeys)
  listKeys(
    @Asked() { caller, query }: AskedOf<typeof SANDBOXES.listKeys>,
  ): Promise<{ items: RegistrarKeyView[]; next_cursor: string | null }> {
    return this.kernel.ask('registrar.list', caller, { page: pageOf(query) });
  }

  @Route(SANDBOXES.addKey)
  addKey(@Asked() { caller, body: { public_key, note } }: AskedOf<typeof SANDBOXES.addKey>): Promise<RegistrarKeyView> {
    return this.kernel.ask('registrar.add', caller, { public_key, note: note ?? null });
  }

  @Route(SANDBOXES.retireKey)
  retireKey(@Asked() { caller, params }: AskedOf<typeof SANDBOXES.retireKey>): Promise<RegistrarKeyView> {
    return this.kernel.ask('registrar.end', caller, { ...params, as: 'retired' });
  }

  @Route(SANDBOXES.revokeKey)
  revokeKey(@Asked() { caller, params }: AskedOf<typeof SANDBOXES.revokeKey>): Promise<RegistrarKeyView> {
    return this.kernel.ask('registrar.end', caller, { ...params, as: 'revoked' });
  }
}
