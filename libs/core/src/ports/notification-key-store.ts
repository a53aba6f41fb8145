/** A key that push notifications are signed with. Times are milliseconds since the epoch, by the database's clock. */
export interface NotificationKey {
  /** 1 for the first; of the keys that may sign, the highest does. */
  readonly generation: number;
  /** A JWK as it stands in a key set, as JSON. */
  readonly publicKey: string;
  /** Sealed. */
  readonly privateKey: Uint8Array;
  readonly createdAt: number;
  /** Has its time come? Until then it is only published, so that receivers know it when it signs. */
  readonly signs: boolean;
}

export interface NewNotificationKey {
  readonly generation: number;
  readonly publicKey: string;
  readonly privateKey: Uint8Array;
  /** When it begins to sign, in milliseconds from now. */
  readonly signsInMs: number;
}

/** The keys that push notifications are signed with. Every method rejects with StoreUnavailableError when the database cannot be reached. */
export abstract class NotificationKeyStore {
  /** The newest first. */
  abstract list(): Promise<readonly NotificationKey[]>;

  /** False when there is one of that generation: another process was faster. */
  abstract add(key: NewNotificationKey): Promise<boolean>;

  /** Removes keys after which a newer one has signed for `ageMs`; resolves with how many. */
  abstract removeReplaced(ageMs: number): Promise<number>;
}
