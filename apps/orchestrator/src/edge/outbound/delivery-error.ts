// SPDX-License-Identifier: Apache-2.0

/**
 * Why a request to a URL of a tenant failed, in texts that a tenant may read: nothing about this machine or its
 * networks.
 */
export const DELIVERY_ERRORS = {
  'url.refused': 'the URL is not one that may be delivered to',
  'host.unknown': 'the host has no address',
  'address.refused': 'the host has an address that is not public',
  'connect.failed': 'no connection could be made, or it broke',
  timeout: 'there was no answer in time',
  status: 'the answer was not a success',
  'secret.unreadable': 'the secret can not be opened: rotate it',
} as const;
export type DeliveryErrorCode = keyof typeof DELIVERY_ERRORS;

/** A failed request to a URL of a tenant. `cause` is for operators. */
export class DeliveryError extends Error {
  readonly code: DeliveryErrorCode;

  constructor(code: DeliveryErrorCode, options?: ErrorOptions) {
    super(DELIVERY_ERRORS[code], options);
    this.name = 'DeliveryError';
    this.code = code;
  }
}
