// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { SecretView } from '@writ/contract';
import { sealTo, secretContext } from '@writ/sealing';
import { conditionMembers } from '../../edge/requests/conditions.ts';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { SECRETS } from './routes.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';

@Controller()
export class SecretsController {
  constructor(private readonly kernel: KernelClient) {}

  @Route(SECRETS.list)
  list(
    @RequestInput() { caller, query }: RequestInputOf<typeof SECRETS.list>,
  ): Promise<{ items: SecretView[]; next_cursor: string | null }> {
    return this.kernel.ask('secret.list', caller, { page: pageOf(query) });
  }

  @Route(SECRETS.set)
  async set(@RequestInput() request: RequestInputOf<typeof SECRETS.set>): Promise<SecretView> {
    const { caller, body } = request;
    const { name, value, note = null } = body;
    const { public_key } = await this.kernel.ask('value.key', caller, {});
    // Encrypted before it is sent: no message on the bus contains it.
    const sealed = await sealTo(
      Buffer.from(public_key, 'base64'),
      Buffer.from(value, 'utf8'),
      secretContext(caller.tenant_id, name),
    );
    const sent = { name, value: sealed.toString('base64'), note };
    return await this.kernel.ask('secret.set', caller, { ...sent, ...conditionMembers(request) });
  }

  @Route(SECRETS.read)
  read(@RequestInput() { caller, params }: RequestInputOf<typeof SECRETS.read>): Promise<SecretView> {
    return this.kernel.ask('secret.read', caller, params);
  }

  @Route(SECRETS.remove)
  remove(@RequestInput() request: RequestInputOf<typeof SECRETS.remove>): Promise<SecretView> {
    return this.kernel.ask('secret.remove', request.caller, { ...request.params, ...conditionMembers(request) });
  }
}
