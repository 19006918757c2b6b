// SPDX-License-Identifier: Apache-2.0
export interface CanaryResult {
  readonly rule: string;
  readonly what: string;
  readonly fired: boolean;
}
