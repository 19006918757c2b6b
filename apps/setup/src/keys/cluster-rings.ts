// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { ApiException, type V1Secret } from '@kubernetes/client-node';
import { publishedOf, textsOf, type Announced, type Rings } from '@writ/nest-kit/keys';
import { KeyStoreError, parseRing, type KeyRing, type Purpose } from '@writ/signing';
import { Failure, reasonOf } from '../failure.ts';
import type { ClusterPlace } from './cluster-store.ts';
import { PUBLISHED } from './layout.ts';
import { mergePublished, NO_IDS, type Merged, type PublishedIds } from './merge-published.ts';
import type { RingChange, RingTexts } from './change-rings.ts';

const CONFLICT = 409;
const FORBIDDEN = [401, 403];
const NOT_FOUND = 404;

/** Which Secret holds the ring of a purpose. */
const SECRET_OF: Readonly<Record<Purpose, 'kernel' | 'ledger'>> = {
  permit: 'kernel',
  record: 'kernel',
  checkpoint: 'ledger',
};

/** The lists of the public keys that a Secret's rings are behind. */
const LISTS_OF = { kernel: ['permit', 'record'], ledger: ['log'] } as const;

/** Whoever conflicts lost to somebody who got on, so this many are only lost where something writes all the time. */
const TRIES = 20;

/** Written to a Secret for its version alone, where a run has no ring to write. */
const SWEPT = 'writ.dev/signing-keys-swept';

type Secrets = Readonly<Record<'kernel' | 'ledger', V1Secret>>;

/** What a publication found, with the rings as it read them after that. */
interface Seen extends Omit<Merged, 'published'> {
  readonly secrets: Secrets;
}

/**
 * The rings of a release, in Secrets, with what is published of them in a ConfigMap. Several runs may change them at
 * once, and any may end between two writes. Versions of the objects are the only lock: a lock that runs out protects
 * from nobody who is slow, and one that doesn't has to be removed by hand.
 *
 * A change publishes its new key, writes its ring, and publishes what the ring says then: that the old key ends, or is
 * revoked. It begins with that last step as well, for what a run before it left undone.
 *
 * INVARIANT (known before it signs): a key is in the ConfigMap before it is in a ring. INVARIANT (no lost update): an
 * object is written only as it was read. INVARIANT (merged): a publication reads the ConfigMap, then the Secrets, then
 * writes the ConfigMap. So it knows every ring that any earlier publication knew. It keeps the keys that no ring holds,
 * which may be of a run under way. INVARIANT (fenced): a key that no ring holds goes only if it was published before a
 * write to its Secret. Its run read that Secret before it published, so its own write fails from then on. After such a
 * conflict a run begins again, with another key. INVARIANT (ring first): the end and the revocation of a key are in its
 * ring before they are published. Otherwise a run that ends in between has refused what the old key still signs.
 */
export class ClusterRings {
  readonly #place: ClusterPlace;
  readonly #deployment: string;

  constructor(place: ClusterPlace, deployment: string) {
    this.#place = place;
    this.#deployment = deployment;
  }

  /**
   * Changes the ring of one purpose. Answers what the change says to a person. `decide` is asked again where somebody
   * else changed the Secret meanwhile, and MUST then bring another key.
   * @throws Failure
   */
  async change(decide: (texts: RingTexts) => RingChange): Promise<string> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const seen = await this.#publish();
      const change = await this.#decided(decide, seen);
      const { ids } = await this.#publish(change);
      const set = SECRET_OF[change.purpose];
      const entry = { [`${change.purpose}.json`]: Buffer.from(change.ring).toString('base64') };
      const secret = seen.secrets[set];
      if (!(await this.#write({ ...secret, data: { ...secret.data, ...entry } }))) continue;
      await this.#settle(change, listsOf(set, ids));
      return change.told;
    }
    throw this.#busy('the Secrets of the signing keys');
  }

  /** Resolves with the rings as they are. @throws Failure */
  async read(): Promise<RingTexts> {
    return textsIn(await this.#secrets());
  }

  /** Where the change is refused, what an earlier run published and never wrote goes: it may be what was asked for. */
  async #decided(decide: (texts: RingTexts) => RingChange, { secrets, strays }: Seen): Promise<RingChange> {
    try {
      return decide(textsIn(secrets));
    } catch (error) {
      for (const set of ['kernel', 'ledger'] as const) {
        if (LISTS_OF[set].every((list) => strays[list].length === 0)) continue;
        const { metadata, ...secret } = secrets[set];
        const annotations = { ...metadata?.annotations, [SWEPT]: randomUUID() };
        if (await this.#write({ ...secret, metadata: { ...metadata, annotations } })) {
          await this.#publish(null, listsOf(set, strays));
        }
      }
      throw error;
    }
  }

  async #settle({ told }: RingChange, dead: PublishedIds): Promise<void> {
    try {
      await this.#publish(null, dead);
    } catch (error) {
      throw new Failure(
        `${told}; its ring is written, but not all of it is published yet (${reasonOf(error)}). ` +
          'Run this again: it publishes the rest, and then refuses to make the same change twice',
        error,
      );
    }
  }

  async #publish(announced: Announced | null = null, dead: PublishedIds = NO_IDS): Promise<Seen> {
    const name = this.#nameOf('public-keys');
    for (let tries = 0; tries < TRIES; tries += 1) {
      const open = await this.#asked('read', name, (request) => this.#place.api.readNamespacedConfigMap(request));
      const secrets = await this.#secrets();
      const known = publishedOf(ringsIn(secrets), this.#deployment, announced);
      const { published, ...seen } = mergePublished(open.data ?? {}, known, dead);
      const texts = textsOf(published);
      const names = Object.keys(PUBLISHED) as (keyof typeof PUBLISHED)[];
      if (names.every((each) => open.data?.[PUBLISHED[each]] === texts[each])) return { secrets, ...seen };
      const data = { ...open.data, ...Object.fromEntries(names.map((each) => [PUBLISHED[each], texts[each]])) };
      const isWritten = await this.#unlessChanged(name, (request) =>
        this.#place.api.replaceNamespacedConfigMap({ ...request, body: { ...open, data } }),
      );
      if (isWritten) return { secrets, ...seen };
    }
    throw this.#busy(`\`${name}\` in namespace \`${this.#place.namespace}\``);
  }

  async #secrets(): Promise<Secrets> {
    return { kernel: await this.#secret('kernel'), ledger: await this.#secret('ledger') };
  }

  #write(secret: V1Secret): Promise<boolean> {
    return this.#unlessChanged(secret.metadata?.name ?? '', (request) =>
      this.#place.api.replaceNamespacedSecret({ ...request, body: secret }),
    );
  }

  /** Resolves with false where the object isn't as it was read. */
  async #unlessChanged(
    name: string,
    write: (request: { name: string; namespace: string }) => Promise<unknown>,
  ): Promise<boolean> {
    return await this.#asked('update', name, async (request) => {
      try {
        await write(request);
        return true;
      } catch (error) {
        if (error instanceof ApiException && error.code === CONFLICT) return false;
        throw error;
      }
    });
  }

  #busy(what: string): Failure {
    return new Failure(
      `${what} was changed by somebody else meanwhile, ${String(TRIES)} times: find out what writes it all the time, ` +
        'and run this again',
    );
  }

  #secret(name: 'kernel' | 'ledger'): Promise<V1Secret> {
    return this.#asked('read', this.#nameOf(name), (request) => this.#place.api.readNamespacedSecret(request));
  }

  #nameOf(set: string): string {
    return `${this.#place.prefix}-${set}`;
  }

  async #asked<T>(
    verb: 'read' | 'update',
    name: string,
    ask: (request: { name: string; namespace: string }) => Promise<T>,
  ): Promise<T> {
    const { namespace } = this.#place;
    try {
      return await ask({ name, namespace });
    } catch (error) {
      throw explained(verb, `\`${name}\` in namespace \`${namespace}\``, error);
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

/** A ring without its private keys, which what is published has no need of. */
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

function explained(verb: 'read' | 'update', what: string, error: unknown): Failure {
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
