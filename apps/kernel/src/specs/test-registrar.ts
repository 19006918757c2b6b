// SPDX-License-Identifier: Apache-2.0
import { signSandbox } from '@writ/mk8-shell';
import type { Signer } from '@writ/signing';
import { newSigner } from './test-kernel.ts';
import { requestBy, callerOf, type TestManagement } from './test-management.ts';
import type { TestTenant } from './test-tenant.ts';

/** A person of a tenant who registers sandboxes, and signs them with a new key. */
export class TestRegistrar {
  readonly signer: Signer = newSigner();
  readonly #manage: TestManagement;
  readonly #tenant: TestTenant;
  #signedAt = 1;

  private constructor(manage: TestManagement, tenant: TestTenant) {
    [this.#manage, this.#tenant] = [manage, tenant];
  }

  static async of(manage: TestManagement, tenant: TestTenant): Promise<TestRegistrar> {
    const registrar = new TestRegistrar(manage, tenant);
    await manage.registrars.add({ ...registrar.#request, public_key: { ...registrar.signer.publicJwk }, note: null });
    return registrar;
  }

  get #request() {
    return requestBy(callerOf(this.#tenant.tenantId));
  }

  /** Registers a sandbox of the tenant's workspace by default. A problem in its definition is a fault of the test. */
  async register(definition: Record<string, unknown> = {}, name = 'build'): Promise<void> {
    const { problems } = await this.#manage.registerSandbox.put({
      ...this.#request,
      name,
      definition: { workspace_id: this.#tenant.workspaceId, ...definition },
    });
    if (problems.length > 0) throw new Error(JSON.stringify(problems));
  }

  /** Signs it as it is now, later than before, and returns its digest. */
  async sign(environment = '', name = 'build'): Promise<string> {
    const { definition_digest } = await this.#manage.listSandboxes.read({ ...this.#request, name });
    const envelope = signSandbox(
      {
        v: 1,
        tenant_id: this.#tenant.tenantId,
        sandbox: name,
        definition_digest,
        environment,
        signed_at: this.#signedAt++,
      },
      this.signer,
    );
    const { digest } = await this.#manage.registerSandbox.sign({ ...this.#request, name, envelope });
    if (digest === null) throw new Error(`the sandbox \`${name}\` was signed and is not verified`);
    return digest;
  }

  async remove(name = 'build'): Promise<void> {
    await this.#manage.registerSandbox.remove({ ...this.#request, name });
  }

  async revoke(): Promise<void> {
    await this.#manage.registrars.end({ ...this.#request, keyid: this.signer.keyid, as: 'revoked' });
  }
}
