// SPDX-License-Identifier: Apache-2.0
import type { Meter } from '@writ/telemetry';
import type { DeliveryObserver } from './deliver-due.ts';

/** Records metrics of delivery attempts. */
export function watchDeliveries(meter: Meter): NonNullable<DeliveryObserver['attempted']> {
  const [attempts, seconds] = [
    meter.counter('writ.webhook.deliveries'),
    meter.histogram('writ.webhook.delivery.duration'),
  ];
  return (outcome, ms) => {
    attempts.add(1, { outcome });
    seconds.record(ms / 1_000, { outcome });
  };
}
