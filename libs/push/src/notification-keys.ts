import { SealedSecretError, type Logger, type NotificationKey, type NotificationKeyStore, type SecretBox } from '#core';
import { generateSigningKey, parseSigningKey, type SigningKey } from '#signing';

/** How often a process looks whether there is another key. */
const REFRESH_MS = 30_000;
/** A receiver may hold a key set for five minutes: so long, and a little, the next key is published before it signs. */
const PUBLISHED_BEFORE_MS = 600_000;
/** What was signed with a key that was replaced may still be looked at for so long. */
const PUBLISHED_AFTER_MS = 86_400_000;
/** Somebody else's key is one to be asked for again; a few of them at once are all the processes of an installation. */
const TRIES = 5;

/**
 * The key that signs push notifications: made by whichever process needs one first, sealed in the database, and shared by all. A key
 * that this process cannot open, because it was sealed with a key that is not configured any more, is passed over.
 */
export class NotificationKeys {
  #current: { readonly key: SigningKey; readonly readAt: number } | undefined;
  #reading: Promise<SigningKey> | undefined;

  constructor(
    private readonly store: NotificationKeyStore,
    private readonly box: Pick<SecretBox, 'sealFor' | 'openFor'>,
    private readonly logger: Logger,
    /** Monotonic, milliseconds. */
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The key that signs now. Rejects with StoreUnavailableError only when it was never read: a key does not expire. */
  async signingKey(): Promise<SigningKey> {
    const current = this.#current;
    if (current && this.now() - current.readAt < REFRESH_MS) return current.key;
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    return current ? this.#reading.catch(() => this.#stale(current.key)) : this.#reading;
  }

  /**
   * Makes the next key; resolves with its id. It is published at once and signs in ten minutes, when every receiver can know it. The one
   * before stays published, for a day at least. `atOnce`, for a key that was stolen: the new one signs at once, and the others are gone.
   */
  async rotate({ atOnce }: { readonly atOnce: boolean }): Promise<string> {
    for (let tries = 1; tries <= TRIES; tries += 1) {
      const [newest] = await this.store.list();
      const made = await this.#make(newest, atOnce || !newest ? 0 : PUBLISHED_BEFORE_MS);
      if (!made) continue;
      await this.store.removeReplaced(atOnce ? 0 : PUBLISHED_AFTER_MS);
      this.#current = undefined;
      return made.kid;
    }
    throw new Error('Others are making keys of push notifications at the same time; try again');
  }

  /** For a while longer: the next call need not wait for a database that is away. */
  #stale(key: SigningKey): SigningKey {
    this.#current = { key, readAt: this.now() };
    return key;
  }

  async #read(): Promise<SigningKey> {
    for (let tries = 1; tries <= TRIES; tries += 1) {
      const stored = await this.store.list();
      const key = (await this.#opened(stored)) ?? (await this.#make(stored[0], 0));
      if (key) return this.#stale(key);
    }
    throw new Error('There is no key that push notifications can be signed with');
  }

  async #opened(stored: readonly NotificationKey[]): Promise<SigningKey | undefined> {
    for (const { generation, privateKey, signs } of stored) {
      if (!signs) continue;
      try {
        return await parseSigningKey(this.box.openFor(placeOf(generation), privateKey).toString());
      } catch (error) {
        if (!(error instanceof SealedSecretError)) throw error;
        this.logger.warn('A key of push notifications cannot be opened; another one is used', {
          generation,
          reason: error.message,
        });
      }
    }
    return undefined;
  }

  /** Undefined when another process has made one meanwhile. */
  async #make(newest: NotificationKey | undefined, signsInMs: number): Promise<SigningKey | undefined> {
    const generation = (newest?.generation ?? 0) + 1;
    const pem = generateSigningKey('ES256');
    const key = await parseSigningKey(pem);
    const privateKey = this.box.sealFor(placeOf(generation), Buffer.from(pem));
    const isOurs = await this.store.add({ generation, publicKey: JSON.stringify(key.publicKey), privateKey, signsInMs });
    if (!isOurs) return undefined;
    this.logger.info('A key of push notifications was made', { generation, kid: key.kid, signsInMs });
    return key;
  }
}

const placeOf = (generation: number): readonly string[] => ['notification-key', String(generation)];
