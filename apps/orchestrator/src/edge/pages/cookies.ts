// SPDX-License-Identifier: Apache-2.0
import { stringifySetCookie } from 'cookie';

/**
 * Cookies of this site. INVARIANT (this host alone): on HTTPS their names begin with `__Host-`, so that neither another
 * host of the domain nor a plain connection sets or reads one. Plain HTTP is for loopback (`publicUrl`).
 */
export class SiteCookies {
  readonly #isSecure: boolean;

  /** @param publicUrl at which browsers reach this deployment */
  constructor(publicUrl: string) {
    this.#isSecure = publicUrl.startsWith('https:');
  }

  nameOf(name: string): string {
    return this.#isSecure ? `__Host-${name}` : name;
  }

  /**
   * The header that sets a cookie. `lax`: it comes along when another site sends the person here by a link or a
   * redirection, and never with what another site embeds or posts. `strict`: only with requests of our own pages.
   */
  set(name: string, value: string, seconds: number, sameSite: 'lax' | 'strict' = 'lax'): string {
    return stringifySetCookie({
      name: this.nameOf(name),
      value,
      maxAge: seconds,
      path: '/',
      httpOnly: true,
      secure: this.#isSecure,
      sameSite,
    });
  }

  /** The header that removes a cookie. */
  remove(name: string): string {
    return this.set(name, '', 0);
  }
}
