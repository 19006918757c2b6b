// SPDX-License-Identifier: Apache-2.0
import type { Meter } from '@writ/telemetry';
import type { DeliveryLog } from './deliver-due.ts';

/** Counts and times attempts to deliver. */
export function watchDeliveries(meter: Meter): NonNullable<DeliveryLog['tried']> {
  const [attempts, seconds] = [
    meter.counter('writ.webhook.deliveries'),
    meter.histogram('writ.webhook.delivery.duration'),
  ];
  return (outcome, ms) => {
    attempts.add(1, { outcome });
    seconds.record(ms / 1_000, { outcome });
  };
}
