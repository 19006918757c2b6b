// SPDX-License-Identifier: Apache-2.0
export { Announcer, type HeadListener } from './announcer.ts';
export { Outcomes, type OutcomeNews, type Outcome } from './outcomes.ts';
export { OutcomesController } from './outcomes.controller.ts';
export { BusEvents } from './bus-events.ts';
