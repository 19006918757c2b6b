// SPDX-License-Identifier: Apache-2.0
export { DelegationsController } from './delegations.controller.ts';
export { Delegations } from './delegations.ts';
export { OffboardPerson } from './offboard-person.ts';
export { SuspendPerson } from './suspend-person.ts';
