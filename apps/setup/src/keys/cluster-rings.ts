// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { ApiException, type V1Secret } from '@kubernetes/client-node';
import { publishedOf, textsOf, type Announced, type Rings } from '@writ/nest-kit/keys';
import { KeyStoreError, parseRing, type KeyRing, type Purpose } from '@writ/signing';
import { Failure, reasonOf } from '../failure.ts';
import type { ClusterTarget } from './cluster-store.ts';
import { PUBLISHED } from './layout.ts';
import { mergePublished, NO_IDS, type Merged, type PublishedIds } from './merge-published.ts';
import type { RingChange, RingTexts } from './change-rings.ts';

const CONFLICT = 409;
const FORBIDDEN = [401, 403];
const NOT_FOUND = 404;

/** The Secret with the ring of each purpose. */
const SECRET_OF: Readonly<Record<Purpose, 'kernel' | 'ledger'>> = {
  permit: 'kernel',
  record: 'kernel',
  checkpoint: 'ledger',
};

/** The public lists that belong to each Secret's rings. */
const LISTS_OF = { kernel: ['permit', 'record'], ledger: ['log'] } as const;

/** Each conflict means that another run succeeded, so this many happen only if something writes all the time. */
const TRIES = 20;

/** An annotation that is written only to change a Secret's version, when a run has no ring to write. */
const SWEPT_ANNOTATION = 'writ.dev/signing-keys-swept';

type Secrets = Readonly<Record<'kernel' | 'ledger', V1Secret>>;

/** The published keys that a publication found, and the rings that it read after that. */
interface PublicationState extends Omit<Merged, 'published'> {
  readonly secrets: Secrets;
}

/**
 * The rings of a release in Secrets, and their published keys in a ConfigMap. Several runs may change them
 * concurrently, and any may die between two writes. The versions of the objects are the only lock: a lock that expires
 * doesn't stop a slow run, and one that doesn't expire must be removed by an operator.
 *
 * A change publishes its new key, writes its ring, and publishes the ring's new state: that the old key ends, or is
 * revoked. It also begins with that last step, to finish what an earlier run left undone.
 *
 * INVARIANT (published before it signs): a key is in the ConfigMap before it is in a ring. INVARIANT (no lost update):
 * an object is written only if it is unchanged since it was read. INVARIANT (merged): a publication reads the
 * ConfigMap, then the Secrets, then writes the ConfigMap. So it includes every ring that any earlier publication
 * included. It keeps the keys that no ring has, which may belong to a running change. INVARIANT (fenced): a key that no
 * ring has is removed only if it was published before a write to its Secret. Its run read that Secret before it
 * published, so its own write fails from then on. After such a conflict a run starts again with another key. INVARIANT
 * (ring first): the end and the revocation of a key are in its ring before they are published. Otherwise a run that
 * dies in between would have published the refusal of a key that still signs.
 */
export class ClusterRings {
  readonly #target: ClusterTarget;
  readonly #deployment: string;

  constructor(target: ClusterTarget, deployment: string) {
    this.#target = target;
    this.#deployment = deployment;
  }

  /**
   * Changes the ring of one purpose. Resolves with the message of the change. `decide` is called again after a conflict
   * on the Secret, and MUST then bring another key.
   * @throws Failure
   */
  async change(decide: (texts: RingTexts) => RingChange): Promise<string> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const state = await this.#publish();
      const change = await this.#decide(decide, state);
      const { ids } = await this.#publish(change);
      const set = SECRET_OF[change.purpose];
      const entry = { [`${change.purpose}.json`]: Buffer.from(change.ring).toString('base64') };
      const secret = state.secrets[set];
      if (!(await this.#write({ ...secret, data: { ...secret.data, ...entry } }))) continue;
      await this.#publishRest(change, listsOf(set, ids));
      return change.message;
    }
    throw this.#conflictFailure('the Secrets of the signing keys');
  }

  /** Resolves with the rings as they are. @throws Failure */
  async read(): Promise<RingTexts> {
    return textsIn(await this.#secrets());
  }

  /**
   * If the change is refused, this first removes keys that an earlier run published without writing its ring: they may
   * be why the operator made this change.
   */
  async #decide(decide: (texts: RingTexts) => RingChange, { secrets, strays }: PublicationState): Promise<RingChange> {
    try {
      return decide(textsIn(secrets));
    } catch (error) {
      for (const set of ['kernel', 'ledger'] as const) {
        if (LISTS_OF[set].every((list) => strays[list].length === 0)) continue;
        const { metadata, ...secret } = secrets[set];
        const annotations = { ...metadata?.annotations, [SWEPT_ANNOTATION]: randomUUID() };
        if (await this.#write({ ...secret, metadata: { ...metadata, annotations } })) {
          await this.#publish(null, listsOf(set, strays));
        }
      }
      throw error;
    }
  }

  async #publishRest({ message }: RingChange, removed: PublishedIds): Promise<void> {
    try {
      await this.#publish(null, removed);
    } catch (error) {
      throw new Failure(
        `${message}; its ring is written, but not all of it is published yet (${reasonOf(error)}). ` +
          'Run this again: it publishes the rest, and then refuses to make the same change twice',
        error,
      );
    }
  }

  async #publish(announced: Announced | null = null, removed: PublishedIds = NO_IDS): Promise<PublicationState> {
    const name = this.#nameOf('public-keys');
    for (let tries = 0; tries < TRIES; tries += 1) {
      const configMap = await this.#callApi('read', name, (request) =>
        this.#target.api.readNamespacedConfigMap(request),
      );
      const secrets = await this.#secrets();
      const current = publishedOf(ringsIn(secrets), this.#deployment, announced);
      const { published, ...seen } = mergePublished(configMap.data ?? {}, current, removed);
      const texts = textsOf(published);
      const names = Object.keys(PUBLISHED) as (keyof typeof PUBLISHED)[];
      if (names.every((each) => configMap.data?.[PUBLISHED[each]] === texts[each])) return { secrets, ...seen };
      const data = { ...configMap.data, ...Object.fromEntries(names.map((each) => [PUBLISHED[each], texts[each]])) };
      const isWritten = await this.#unlessChanged(name, (request) =>
        this.#target.api.replaceNamespacedConfigMap({ ...request, body: { ...configMap, data } }),
      );
      if (isWritten) return { secrets, ...seen };
    }
    throw this.#conflictFailure(`\`${name}\` in namespace \`${this.#target.namespace}\``);
  }

  async #secrets(): Promise<Secrets> {
    return { kernel: await this.#secret('kernel'), ledger: await this.#secret('ledger') };
  }

  #write(secret: V1Secret): Promise<boolean> {
    return this.#unlessChanged(secret.metadata?.name ?? '', (request) =>
      this.#target.api.replaceNamespacedSecret({ ...request, body: secret }),
    );
  }

  /** Resolves with false if the object has changed since it was read. */
  async #unlessChanged(
    name: string,
    write: (request: { name: string; namespace: string }) => Promise<unknown>,
  ): Promise<boolean> {
    return await this.#callApi('update', name, async (request) => {
      try {
        await write(request);
        return true;
      } catch (error) {
        if (error instanceof ApiException && error.code === CONFLICT) return false;
        throw error;
      }
    });
  }

  #conflictFailure(what: string): Failure {
    return new Failure(
      `${what} was changed by somebody else meanwhile, ${String(TRIES)} times: find out what writes it all the time, ` +
        'and run this again',
    );
  }

  #secret(name: 'kernel' | 'ledger'): Promise<V1Secret> {
    return this.#callApi('read', this.#nameOf(name), (request) => this.#target.api.readNamespacedSecret(request));
  }

  #nameOf(set: string): string {
    return `${this.#target.prefix}-${set}`;
  }

  async #callApi<T>(
    verb: 'read' | 'update',
    name: string,
    ask: (request: { name: string; namespace: string }) => Promise<T>,
  ): Promise<T> {
    const { namespace } = this.#target;
    try {
      return await ask({ name, namespace });
    } catch (error) {
      throw failureOf(verb, `\`${name}\` in namespace \`${namespace}\``, error);
    }
  }
}

const listsOf = (set: keyof Secrets, ids: PublishedIds): PublishedIds => ({
  ...NO_IDS,
  ...Object.fromEntries(LISTS_OF[set].map((list) => [list, ids[list]])),
});

const textsIn = (secrets: Secrets): RingTexts => ({
  permit: ringIn(secrets.kernel, 'permit'),
  record: ringIn(secrets.kernel, 'record'),
  checkpoint: ringIn(secrets.ledger, 'checkpoint'),
});

function ringsIn(secrets: Secrets): Rings {
  const { permit, record, checkpoint } = textsIn(secrets);
  try {
    return { permit: publicRing(permit), record: publicRing(record), checkpoint: publicRing(checkpoint) };
  } catch (error) {
    if (error instanceof KeyStoreError) throw new Failure(error.message, error);
    if (error instanceof SyntaxError) throw new Failure('a ring in the Secrets is not JSON: restore it from a backup');
    throw error;
  }
}

/** A ring without its private keys, which a publication doesn't need. */
function publicRing(text: string): KeyRing {
  if (!text.trimStart().startsWith('{')) return parseRing(text);
  return parseRing(JSON.stringify(JSON.parse(text), (name, value: unknown) => (name === 'pem' ? null : value)));
}

function ringIn({ data, metadata }: V1Secret, purpose: Purpose): string {
  const found = data?.[`${purpose}.json`];
  if (found === undefined)
    throw new Failure(
      `the Secret \`${metadata?.name ?? ''}\` has no entry \`${purpose}.json\`: run \`setup keys\` first`,
    );
  return Buffer.from(found, 'base64').toString('utf8');
}

function failureOf(verb: 'read' | 'update', what: string, error: unknown): Failure {
  const code = error instanceof ApiException ? error.code : null;
  if (code === NOT_FOUND) return new Failure(`there is no ${what}: is \`--prefix\` the name of the release?`, error);
  if (code !== null && FORBIDDEN.includes(code)) {
    return new Failure(
      `the pod's service account may not ${verb} ${what}: bind it to a Role with the verbs get and update on it`,
      error,
    );
  }
  return new Failure(
    `the API can't ${verb} ${what} (${code === null ? reasonOf(error) : `status ${String(code)}`}): run this again`,
    error,
  );
}
