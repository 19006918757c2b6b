// SPDX-License-Identifier: Apache-2.0
import { Fault, type Caller } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { Webhooks, type WebhookCondition, type WebhookKind, type WebhookRow } from '../../store/webhooks/webhooks.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import type { WebhookSecrets } from '../../delivery/webhooks/secrets.ts';
import { parseWebhookUrl } from '../../edge/outbound/webhook-url.ts';

/** Most webhooks of one tenant: nobody looks through a longer list. */
export const WEBHOOKS_MAX = 10;
/** How long a replaced secret stays valid by default. */
const OVERLAP_MS = 24 * 3_600_000;

/** The values of a webhook in a request. */
export interface WebhookSettings {
  readonly name: string;
  readonly url: string;
  readonly events: readonly WebhookKind[];
}

/** A webhook and its new secret. */
export interface WebhookWithSecret {
  readonly webhook: WebhookRow;
  readonly secret: string;
}

/**
 * Creates and changes webhooks. INVARIANT (recorded first): a change is durable in the kernel's outbox before it takes
 * effect.
 */
export class ChangeWebhooks {
  readonly #kernel: KernelClient;
  readonly #webhooks: Webhooks;
  readonly #secrets: WebhookSecrets;
  readonly #allowed: ReadonlySet<string>;

  constructor(kernel: KernelClient, webhooks: Webhooks, secrets: WebhookSecrets, allowed: ReadonlySet<string>) {
    this.#kernel = kernel;
    this.#webhooks = webhooks;
    this.#secrets = secrets;
    this.#allowed = allowed;
  }

  /** Faults: `request.malformed` for a URL that is refused, `limit.exceeded`. */
  async create(caller: Caller, { name, url, events }: WebhookSettings): Promise<WebhookWithSecret> {
    const { href } = parseWebhookUrl(url, this.#allowed);
    const webhook_id = newId('webhook');
    await this.#record(caller, 'webhook_created', webhook_id);
    const { text, sealed } = this.#secrets.make({ tenant_id: caller.tenant_id, webhook_id });
    const created = {
      webhook_id,
      name,
      url: href,
      events: sortedUnique(events),
      secret: sealed,
      created_by: caller.api_key_id,
    };
    return { webhook: await this.#webhooks.create(caller.tenant_id, created, WEBHOOKS_MAX), secret: text };
  }

  /** Faults: `not_found`, `precondition.failed`, `request.malformed` for a URL that is refused. */
  async change(
    caller: Caller,
    webhookId: string,
    { name, url, events, state }: WebhookSettings & { readonly state: WebhookRow['state'] },
    condition?: (present: WebhookRow) => void,
  ): Promise<WebhookRow> {
    const { href } = parseWebhookUrl(url, this.#allowed);
    await this.#verifyExists(caller, webhookId);
    const recorded = await this.#recordedUnder(caller, 'webhook_changed', webhookId, condition);
    const values = { name, url: href, events: sortedUnique(events), state };
    return orNotFound(await this.#webhooks.change(caller.tenant_id, webhookId, values, recorded));
  }

  /** Faults: `not_found`, `precondition.failed`. */
  async remove(caller: Caller, webhookId: string, condition?: (present: WebhookRow) => void): Promise<WebhookRow> {
    await this.#verifyExists(caller, webhookId);
    const recorded = await this.#recordedUnder(caller, 'webhook_deleted', webhookId, condition);
    return orNotFound(await this.#webhooks.remove(caller.tenant_id, webhookId, recorded));
  }

  /** Faults: `not_found`. */
  async rotate(caller: Caller, webhookId: string, overlapMs = OVERLAP_MS): Promise<WebhookWithSecret> {
    await this.#verifyExists(caller, webhookId);
    await this.#record(caller, 'webhook_secret_rotated', webhookId);
    const { text, sealed } = this.#secrets.make({ tenant_id: caller.tenant_id, webhook_id: webhookId });
    return {
      webhook: orNotFound(await this.#webhooks.rotate(caller.tenant_id, webhookId, sealed, overlapMs)),
      secret: text,
    };
  }

  async #verifyExists({ tenant_id }: Caller, webhookId: string): Promise<void> {
    orNotFound(await this.#webhooks.read(tenant_id, webhookId));
  }

  /** Records a change at once, or under its condition, so that a change that is refused has no record. */
  async #recordedUnder(
    caller: Caller,
    verb: string,
    subject: string,
    condition?: (present: WebhookRow) => void,
  ): Promise<WebhookCondition | undefined> {
    const record = (): Promise<void> => this.#record(caller, verb, subject);
    if (condition !== undefined)
      return async (present) => {
        condition(present);
        await record();
      };
    await record();
    return undefined;
  }

  async #record(caller: Caller, verb: string, subject: string): Promise<void> {
    await this.#kernel.ask('change.record', caller, { verb, subject });
  }
}

const sortedUnique = (events: readonly string[]): string[] => [...new Set(events)].toSorted();

function orNotFound<T>(row: T | null): T {
  if (row === null) throw new Fault('not_found');
  return row;
}
