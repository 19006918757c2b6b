// SPDX-License-Identifier: Apache-2.0
export { Announcer, type HeadsKnown } from './announcer.ts';
export { Outcomes, type Heard, type Outcome } from './outcomes.ts';
export { OutcomesController } from './outcomes.controller.ts';
export { BusEvents } from './bus-events.ts';
