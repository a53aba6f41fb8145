/** One HTTP request that is owed to a receiver. */
export interface Notification {
  readonly taskId: string;
  readonly configId: string;
  /** The same at every attempt: receivers tell by it what they have had already. Safe in a header. */
  readonly id: string;
  readonly url: string;
  /** The URL's origin. */
  readonly receiver: string;
  readonly scheme?: string;
  /** The token and the credentials, sealed. */
  readonly secrets?: Uint8Array;
  readonly contentType: string;
  readonly body: string;
}

export type SendResult =
  | { readonly outcome: 'delivered'; readonly httpStatus: number }
  | {
      readonly outcome: 'failed' | 'refused';
      readonly httpStatus?: number;
      /** A few words; nothing of what was sent or answered. */
      readonly error: string;
      /** It is the receiver that is in trouble, not this one request. */
      readonly ill: boolean;
      /** What the receiver asks to wait. */
      readonly retryAfterMs?: number;
    };

/** Sends notifications to addresses that strangers wrote. */
export abstract class NotificationSender {
  /**
   * Only an answer of 2xx is a delivery. Rejects with the signal's reason, and with StoreUnavailableError when it needs something of the
   * database that cannot be had: no attempt was made then.
   */
  abstract send(notification: Notification, signal: AbortSignal): Promise<SendResult>;
}
