// SPDX-License-Identifier: Apache-2.0
//
// Access tokens of persons, for calls of MCP servers. INVARIANT (one's own rights): a call has the token of the person
// whose OAuth credential proposed it, and of nobody else.
import { Fault, PERSON_TOKEN, RESOURCE_SECRET_PREFIX, type BoundResource } from '@writ/contract';
import { takesPersons } from '../../judging/definitions/person-consents.ts';
import type { TenantVault } from '../../evidence/payload/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { NoToken } from '../../foundation/database/functions/mcp-connections.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import { openConnection } from './connection-content.ts';

/** An access token, or why there is none. */
export type PersonToken = { readonly status: 'ready'; readonly token: string } | { readonly status: NoToken };

/** Reads access tokens. One that is about to expire is made due for renewal by that. */
export class PersonTokens {
  readonly #tenants: TenantPool;
  readonly #vault: TenantVault;

  constructor(tenants: TenantPool, vault: TenantVault) {
    this.#tenants = tenants;
    this.#vault = vault;
  }

  /** @param key the API key of the call; null: the token that lists the tools of the server */
  async find(tenant: string, key: string | null, resource_id: string): Promise<PersonToken> {
    const found = await kernelSql.mcpToken(this.#tenants.pool, { tenant, key, resource: resource_id });
    if (found.status !== 'ready') return found;
    const { connection_id, subject, sealed } = found;
    const of = { resource_id, connection_id, subject_hash: Buffer.from(subject, 'hex') };
    const { access_token } = openConnection(await this.#vault.cipherFor(tenant), of, Buffer.from(sealed, 'base64'));
    if (access_token === undefined) throw new Error(`the connection \`${connection_id}\` has no access token`);
    return { status: 'ready', token: access_token };
  }

  /**
   * The tokens of the call's person at its servers, as secrets of resources; empty where no server takes persons.
   * @throws Fault `mcp.consent_required`, `mcp.token_unavailable`; `overloaded` where asking again soon helps
   */
  async forCall(
    { tenant_id, proposed_by }: Pick<OperationRow, 'tenant_id' | 'proposed_by'>,
    resources: readonly BoundResource[],
  ): Promise<Readonly<Record<string, string>>> {
    const server = resources.find(takesPersons);
    if (server === undefined) return {};
    const found = await this.find(tenant_id, proposed_by, server.resource_id);
    if (found.status === 'ready') return { [`${RESOURCE_SECRET_PREFIX}${PERSON_TOKEN}`]: found.token };
    throw faultOf(found.status, server.name);
  }

  /**
   * Makes an executor ask again while the token of the call is being renewed: nothing is redeemed meanwhile, so that no
   * attempt is lost. Resolves at once for any other call.
   * @throws Fault `overloaded`
   */
  async requireRenewed({ tenant_id, operation_id }: Pick<OperationRow, 'tenant_id' | 'operation_id'>): Promise<void> {
    const status = await kernelSql.mcpTokenOfCall(this.#tenants.pool, { tenant: tenant_id, operation: operation_id });
    if (status === 'waits') throw beingRenewed();
  }
}

function faultOf(status: NoToken, server: string): Fault {
  switch (status) {
    case 'waits':
      return beingRenewed();
    case 'unavailable':
      return new Fault(
        'mcp.token_unavailable',
        `the person's access token for the MCP server \`${server}\` could not be renewed`,
      );
    case 'no_connection':
    case 'no_person':
      return new Fault(
        'mcp.consent_required',
        `the person's connection to the MCP server \`${server}\` is over since the call was decided`,
      );
  }
}

const beingRenewed = (): Fault => new Fault('overloaded', "the person's access token is being renewed");
