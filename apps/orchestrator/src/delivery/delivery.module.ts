// SPDX-License-Identifier: Apache-2.0
import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { subjectsOf } from '@writ/contract';
import { provideBy, provideClass, provideValue, outboundOf, Repeated, type ProcessContext } from '@writ/nest-kit';
import { KernelClient } from '../calls/kernel/kernel-client.ts';
import { Published } from '../edge/published-keys.ts';
import { RegisteredLifetime } from '../store/registered-lifetime.ts';
import { ChannelMessages } from '../store/channels/channel-messages.ts';
import { Deliveries } from '../store/webhooks/deliveries.ts';
import { ChannelSecrets } from './channels/channel-secrets.ts';
import { SendDue } from './channels/send-due.ts';
import { providersBy } from './channels/providers.ts';
import { ExportBundle } from './exports/export-bundle.ts';
import { ExportHub } from './exports/export-hub.ts';
import { ExportRecords } from './exports/export-records.ts';
import { LoggedEventsController } from './exports/logged-events.controller.ts';
import { LedgerClient } from './ledger-client.ts';
import { ReadReceipt } from './read-receipt.ts';
import { ATTEMPT_MS, DeliverDue } from './webhooks/deliver-due.ts';
import { EgressGate, resolveByDns } from '../edge/outbound/egress-gate.ts';
import { GatherNotices } from './webhooks/gather-notices.ts';
import { WebhookSecrets } from './webhooks/secrets.ts';
import { watchDeliveries } from './webhooks/delivery-metrics.ts';

/**
 * How often notices are fetched from the kernel, and due deliveries attempted, in milliseconds: the longest delay of a
 * message here.
 */
const GATHER_MS = 1_000;
const DELIVER_MS = 500;
/** Ended deliveries are stored for a month, for people who look into them. */
const PRUNE_MS = 60_000;
const DELIVERIES_KEPT_MS = 30 * 24 * 3_600_000;
/** A message in a channel can be changed for so long after the last change: longer than approvals are pending. */
const CHANNEL_MESSAGES_KEPT_MS = 90 * 24 * 3_600_000;

/** The configuration of deliveries. */
export type DeliveryConfig = Parameters<typeof outboundOf>[0] & {
  readonly WRIT_SHARD: string;
  readonly WRIT_EVENT_STREAMS_MAX: number;
  /** the key that encrypts the secrets of webhooks */
  readonly webhookKey: Buffer;
  /** `host:port` */
  readonly webhookAllowed: ReadonlySet<string>;
  /** absent: nothing is sent to channels, since messages could lead nowhere */
  readonly WRIT_PUBLIC_URL?: string | undefined;
};

/** Provides exports of records to systems that store or monitor them. */
const exporting = (config: DeliveryConfig, { bus }: ProcessContext): Provider[] => [
  provideValue(new LedgerClient(bus, subjectsOf(config.WRIT_SHARD), Date.now)),
  provideClass(ReadReceipt, KernelClient, LedgerClient),
  provideBy(ExportHub, [RegisteredLifetime], (lifetime) => {
    const hub = new ExportHub(config.WRIT_EVENT_STREAMS_MAX);
    lifetime.onStop(() => hub.close());
    return hub;
  }),
  provideClass(ExportRecords, LedgerClient, ExportHub),
  provideClass(ExportBundle, KernelClient, LedgerClient, Published, ExportHub),
];

/** Provides deliveries to webhooks. */
function webhooks(config: DeliveryConfig, { logger, telemetry }: ProcessContext): Provider[] {
  const report = (err: unknown): void => logger.warn({ err }, 'webhooks: an error occurred; the work is retried');
  const gate = new EgressGate(config.webhookAllowed, resolveByDns, outboundOf(config));
  return [
    provideValue(new WebhookSecrets(config.webhookKey)),
    provideBy(
      GatherNotices,
      [KernelClient, Deliveries, ChannelMessages, RegisteredLifetime],
      (kernel, deliveries, messages, lifetime) => {
        const gather = new GatherNotices(kernel, deliveries, messages, report);
        lifetime.add(new Repeated(() => gather.run(), GATHER_MS, report));
        return gather;
      },
    ),
    provideBy(DeliverDue, [Deliveries, WebhookSecrets, RegisteredLifetime], (deliveries, secrets, lifetime) => {
      const deliver = new DeliverDue(
        deliveries,
        { gate, secrets, attemptMs: ATTEMPT_MS, now: Date.now, chance: Math.random },
        {
          disabled: (tenant_id, webhook) => logger.warn({ tenant_id, ...webhook }, 'a webhook was disabled'),
          failed: report,
          attempted: watchDeliveries(telemetry.meter),
        },
      );
      lifetime.add(
        new Repeated(() => deliver.run(), DELIVER_MS, report),
        new Repeated(() => deliveries.prune(DELIVERIES_KEPT_MS), PRUNE_MS, report),
        { start: () => undefined, stop: () => deliver.stop() },
      );
      return deliver;
    }),
  ];
}

/** Provides messages about approvals in channels. */
function channels(config: DeliveryConfig, { logger }: ProcessContext): Provider[] {
  const report = (err: unknown): void => logger.warn({ err }, 'channels: an error occurred; the work is retried');
  const gate = new EgressGate(config.webhookAllowed, resolveByDns, outboundOf(config));
  const { WRIT_PUBLIC_URL: url } = config;
  return [
    provideValue(new ChannelSecrets(config.webhookKey)),
    provideBy(
      SendDue,
      [KernelClient, ChannelMessages, ChannelSecrets, RegisteredLifetime],
      (kernel, messages, secrets, lifetime) => {
        const providers = providersBy({ gate, now: Date.now });
        const given = { kernel, messages, secrets, providers, report, chance: Math.random };
        const send = new SendDue({ ...given, url: url ?? '' });
        lifetime.add(
          ...(url === undefined ? [] : [new Repeated(() => send.run(), DELIVER_MS, report)]),
          new Repeated(() => messages.prune(CHANNEL_MESSAGES_KEPT_MS), PRUNE_MS, report),
          { start: () => undefined, stop: () => send.stop() },
        );
        return send;
      },
    ),
  ];
}

/** Everything that Writ sends out: messages to webhooks and channels, and exports of records. */
@Module({})
export class DeliveryModule {
  /** @param below the modules before this one */
  static with(config: DeliveryConfig, given: ProcessContext, below: DynamicModule[]): DynamicModule {
    const providers = [...exporting(config, given), ...webhooks(config, given), ...channels(config, given)];
    return {
      module: DeliveryModule,
      imports: below,
      controllers: [LoggedEventsController],
      providers,
      exports: providers,
    };
  }
}
