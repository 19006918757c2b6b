// SPDX-License-Identifier: Apache-2.0
export { CLOSED_MS, dueEvents, eventNameOf, type DueEvent } from './due-events.ts';
export { RecordKeys } from './record-keys.ts';
