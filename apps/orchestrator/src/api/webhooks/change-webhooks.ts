// SPDX-License-Identifier: Apache-2.0
import { Fault, type Caller } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { Webhooks, type WebhookKind, type WebhookRow } from '../../store/webhooks/webhooks.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import type { WebhookSecrets } from '../../delivery/webhooks/secrets.ts';
import { parseWebhookUrl } from '../../delivery/webhooks/webhook-url.ts';

/** More listeners of one team than this are a list that nobody looks through. */
export const WEBHOOKS_MAX = 10;
/** How long an old secret goes on unless said. */
const OVERLAP_MS = 24 * 3_600_000;

/** What a webhook is asked to be. */
export interface WebhookWish {
  readonly name: string;
  readonly url: string;
  readonly events: readonly WebhookKind[];
}

/** A webhook and the secret that is new. */
export interface WithSecret {
  readonly webhook: WebhookRow;
  readonly secret: string;
}

/**
 * Makes and changes webhooks. INVARIANT (recorded first): the change is in the kernel's outbox, durable, before it
 * takes effect.
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
  async create(caller: Caller, { name, url, events }: WebhookWish): Promise<WithSecret> {
    const { href } = parseWebhookUrl(url, this.#allowed);
    const webhook_id = newId('webhook');
    await this.#record(caller, 'webhook_created', webhook_id);
    const { text, sealed } = this.#secrets.make({ tenant_id: caller.tenant_id, webhook_id });
    const created = {
      webhook_id,
      name,
      url: href,
      events: inOrder(events),
      secret: sealed,
      created_by: caller.api_key_id,
    };
    return { webhook: await this.#webhooks.create(caller.tenant_id, created, WEBHOOKS_MAX), secret: text };
  }

  /** Faults: `not_found`, `request.malformed` for a URL that is refused. */
  async change(
    caller: Caller,
    webhookId: string,
    { name, url, events, state }: WebhookWish & { readonly state: WebhookRow['state'] },
  ): Promise<WebhookRow> {
    const { href } = parseWebhookUrl(url, this.#allowed);
    await this.#find(caller, webhookId);
    await this.#record(caller, 'webhook_changed', webhookId);
    return there(
      await this.#webhooks.change(caller.tenant_id, webhookId, { name, url: href, events: inOrder(events), state }),
    );
  }

  /** Faults: `not_found`. */
  async remove(caller: Caller, webhookId: string): Promise<WebhookRow> {
    await this.#find(caller, webhookId);
    await this.#record(caller, 'webhook_deleted', webhookId);
    return there(await this.#webhooks.remove(caller.tenant_id, webhookId));
  }

  /** Faults: `not_found`. */
  async rotate(caller: Caller, webhookId: string, overlapMs = OVERLAP_MS): Promise<WithSecret> {
    await this.#find(caller, webhookId);
    await this.#record(caller, 'webhook_secret_rotated', webhookId);
    const { text, sealed } = this.#secrets.make({ tenant_id: caller.tenant_id, webhook_id: webhookId });
    return {
      webhook: there(await this.#webhooks.rotate(caller.tenant_id, webhookId, sealed, overlapMs)),
      secret: text,
    };
  }

  async #find({ tenant_id }: Caller, webhookId: string): Promise<void> {
    there(await this.#webhooks.read(tenant_id, webhookId));
  }

  async #record(caller: Caller, verb: string, subject: string): Promise<void> {
    await this.#kernel.ask('change.record', caller, { verb, subject });
  }
}

const inOrder = (events: readonly string[]): string[] => [...new Set(events)].toSorted();

function there<T>(row: T | null): T {
  if (row === null) throw new Fault('not_found');
  return row;
}
