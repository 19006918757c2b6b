// SPDX-License-Identifier: Apache-2.0

/** Why nobody is signed in. The text is for the person, and quotes nothing that another side chose. */
export class SignInRefused extends Error {
  /** which check failed, for operators: a word of this program or of a library */
  readonly check: string;

  constructor(message: string, check: string, options?: ErrorOptions) {
    super(message, options);
    this.check = check;
  }
}
