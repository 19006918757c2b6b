// SPDX-License-Identifier: Apache-2.0

/** Arguments that no request can carry exactly. The message has no value of an argument. */
export class RequestError extends Error {
  /** JSON pointer (RFC 6901) of the argument, from the arguments as a whole */
  readonly pointer: string;

  constructor(pointer: string, message: string) {
    super(message);
    this.name = 'RequestError';
    this.pointer = pointer;
  }
}
