// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { RegistrarKeyView, SandboxPutReply, SandboxView, SandboxDetails } from '@writ/contract';
import { conditionMembers } from '../../edge/requests/conditions.ts';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { SANDBOXES } from './routes.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';

@Controller()
export class SandboxesController {
  constructor(private readonly kernel: KernelClient) {}

  @Route(SANDBOXES.list)
  list(
    @RequestInput() { caller, query }: RequestInputOf<typeof SANDBOXES.list>,
  ): Promise<{ items: SandboxView[]; next_cursor: string | null }> {
    return this.kernel.ask('sandbox.list', caller, { page: pageOf(query) });
  }

  @Route(SANDBOXES.put)
  put(@RequestInput() request: RequestInputOf<typeof SANDBOXES.put>): Promise<SandboxPutReply> {
    const { name, ...definition } = request.body;
    return this.kernel.ask('sandbox.put', request.caller, { name, definition, ...conditionMembers(request) });
  }

  @Route(SANDBOXES.read)
  read(
    @RequestInput() { caller, params: { sandbox: name } }: RequestInputOf<typeof SANDBOXES.read>,
  ): Promise<SandboxDetails> {
    return this.kernel.ask('sandbox.read', caller, { name });
  }

  @Route(SANDBOXES.sign)
  sign(@RequestInput() request: RequestInputOf<typeof SANDBOXES.sign>): Promise<SandboxDetails> {
    const { caller, params, body } = request;
    return this.kernel.ask('sandbox.sign', caller, { name: params.sandbox, ...body, ...conditionMembers(request) });
  }

  @Route(SANDBOXES.remove)
  remove(@RequestInput() request: RequestInputOf<typeof SANDBOXES.remove>): Promise<{ removed: string }> {
    const { caller, params } = request;
    return this.kernel.ask('sandbox.remove', caller, { name: params.sandbox, ...conditionMembers(request) });
  }

  @Route(SANDBOXES.listKeys)
  listKeys(
    @RequestInput() { caller, query }: RequestInputOf<typeof SANDBOXES.listKeys>,
  ): Promise<{ items: RegistrarKeyView[]; next_cursor: string | null }> {
    return this.kernel.ask('registrar.list', caller, { page: pageOf(query) });
  }

  @Route(SANDBOXES.addKey)
  addKey(
    @RequestInput() { caller, body: { public_key, note } }: RequestInputOf<typeof SANDBOXES.addKey>,
  ): Promise<RegistrarKeyView> {
    return this.kernel.ask('registrar.add', caller, { public_key, note: note ?? null });
  }

  @Route(SANDBOXES.retireKey)
  retireKey(@RequestInput() { caller, params }: RequestInputOf<typeof SANDBOXES.retireKey>): Promise<RegistrarKeyView> {
    return this.kernel.ask('registrar.end', caller, { ...params, as: 'retired' });
  }

  @Route(SANDBOXES.revokeKey)
  revokeKey(@RequestInput() { caller, params }: RequestInputOf<typeof SANDBOXES.revokeKey>): Promise<RegistrarKeyView> {
    return this.kernel.ask('registrar.end', caller, { ...params, as: 'revoked' });
  }
}
