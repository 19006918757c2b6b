// SPDX-License-Identifier: Apache-2.0
export { Announcer } from './announcer.ts';
export { BusEvents } from './bus-events.ts';
