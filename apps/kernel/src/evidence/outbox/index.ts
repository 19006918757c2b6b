// SPDX-License-Identifier: Apache-2.0
export { OutboxSender, type SenderWatch } from './outbox-sender.ts';
export { LogPositionTracker } from './log-position-tracker.ts';
