// SPDX-License-Identifier: Apache-2.0
export { ReportSystem } from './report-system.ts';
export { SystemController } from './system.controller.ts';
