// SPDX-License-Identifier: Apache-2.0
import { ApiClient, ProblemError, type Whoami, type WritOptions } from '@writ/client/web';
import { createContext, useContext } from 'react';

/** Who is signed in, and the client that sends their requests. */
export interface Session {
  readonly me: Whoami;
  readonly api: ApiClient;
  /** of `api`, for another client with the same session */
  readonly options: WritOptions;
}

/** The members of `GET /v1/sign-in` that have the value of `Writ-CSRF`. */
interface CsrfSource {
  readonly sign_in: { readonly csrf_token: string | null } | null;
  readonly key_session?: { readonly csrf_token: string } | null;
}

/**
 * The session of this browser. Null: nobody is signed in.
 * @throws ProblemError, ConnectionError where the server can't say
 */
export async function openSession(): Promise<Session | null> {
  const anonymous = { url: window.location.origin, apiKey: null };
  const reader = new ApiClient(anonymous);
  try {
    const [me, signIn] = await Promise.all([reader.whoami.whoami(), reader.signIn.get() as Promise<CsrfSource>]);
    const csrf = signIn.sign_in?.csrf_token ?? signIn.key_session?.csrf_token ?? null;
    const options = csrf === null ? anonymous : { ...anonymous, headers: { 'writ-csrf': csrf } };
    return { me, api: new ApiClient(options), options };
  } catch (error) {
    if (error instanceof ProblemError && error.status === 401) return null;
    throw error;
  }
}

export const SessionContext = createContext<Session | null>(null);

/** The session, for parts that are shown to people who are signed in. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('this part is shown without a session');
  return session;
}
