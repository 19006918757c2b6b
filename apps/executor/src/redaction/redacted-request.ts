// SPDX-License-Identifier: Apache-2.0
import type { EgressRequest } from '@writ/contract';
import { SecretValues } from './redactor.ts';

/** The longest target and text of a listed request; a marker may be longer than the value that it replaces. */
const [TARGET_CHARS_MAX, TEXT_CHARS_MAX] = [512, 256];

/** A line of the list of requests, without secret values. */
export function requestWithout(values: SecretValues, request: EgressRequest): EgressRequest {
  return {
    ...request,
    target: values.redactText(request.target).slice(0, TARGET_CHARS_MAX),
    purpose: values.redactText(request.purpose).slice(0, TEXT_CHARS_MAX),
    reason: request.reason === null ? null : values.redactText(request.reason).slice(0, TEXT_CHARS_MAX),
  };
}
