// SPDX-License-Identifier: Apache-2.0
import { signSandbox } from '@writ/mk8-shell';
import type { Signer } from '@writ/signing';
import { newSigner } from './test-kernel.ts';
import { askedBy, callerOf, type TestManagement } from './test-management.ts';
import type { TestTenant } from './test-tenant.ts';

/** Somebody of a tenant who registers sandboxes, and signs them with a key of their own. */
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
    await manage.registrars.add({ ...registrar.#asked, public_key: { ...registrar.signer.publicJwk }, note: null });
    return registrar;
  }

  get #asked() {
    return askedBy(callerOf(this.#tenant.tenantId));
  }

  /**
   * Registers a sandbox of the tenant's workspace, unless said otherwise. What is wrong with it is a test's own fault.
   */
  async register(definition: Record<string, unknown> = {}, name = 'build'): Promise<void> {
    const { problems } = await this.#manage.registerSandbox.put({
      ...this.#asked,
      name,
      definition: { workspace_id: this.#tenant.workspaceId, ...definition },
    });
    if (problems.length > 0) throw new Error(JSON.stringify(problems));
  }

  /** Signs it as it stands, later than before, and answers its digest. */
  async sign(environment = '', name = 'build'): Promise<string> {
    const { definition_digest } = await this.#manage.listSandboxes.read({ ...this.#asked, name });
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
    const { digest } = await this.#manage.registerSandbox.sign({ ...this.#asked, name, envelope });
    if (digest === null) throw new Error(`the sandbox \`${name}\` was signed and is not verified`);
    return digest;
  }

  async remove(name = 'build'): Promise<void> {
    await this.#manage.registerSandbox.remove({ ...this.#asked, name });
  }

  async revoke(): Promise<void> {
    await this.#manage.registrars.end({ ...this.#asked, keyid: this.signer.keyid, as: 'revoked' });
  }
}
