// SPDX-License-Identifier: Apache-2.0
import type { PolicyJson } from '@cedar-policy/cedar-wasm/nodejs';

/** One rule of the text. */
export interface RuleText {
  readonly text: string;
  /** offset in the whole text */
  readonly at: number;
  readonly json: PolicyJson;
}
