import {
  NotificationSender,
  SealedSecretError,
  type Notification,
  type PushSecrets,
  type SecretBox,
  type SendResult,
} from '#core';
import { OutboundFailedError, OutboundRefusedError, OutboundTimeoutError, type GuardedFetch } from '#outbound';
import { notificationHeaders } from './notification-headers.js';
import type { NotificationSigner } from './notification-signer.js';
import { retryAfterMs } from './retry-after.js';

export interface HttpNotificationSenderParts {
  readonly fetch: Pick<GuardedFetch, 'fetch'>;
  readonly box: Pick<SecretBox, 'open'>;
  readonly signer: Pick<NotificationSigner, 'sign'>;
}

/** What a receiver answers besides its status is of no interest; so much is read, for the connection to be used again. */
const ANSWER_BYTES = 65_536;

/** Sends notifications as HTTP requests (section 4.3.3), to hosts that the outbound policy allows. */
export class HttpNotificationSender extends NotificationSender {
  constructor(
    private readonly parts: HttpNotificationSenderParts,
    /** For one request, look-up and answer included. */
    private readonly timeoutMs: number,
  ) {
    super();
  }

  override async send(notification: Notification, signal: AbortSignal): Promise<SendResult> {
    const secrets = this.#secretsOf(notification);
    if (secrets instanceof SealedSecretError) return unsendable(`Its secrets cannot be read: ${secrets.message}`);
    const headers = notificationHeaders(notification, secrets, await this.parts.signer.sign(notification));
    if (!headers) return unsendable('Its token or its credentials cannot stand in a header');
    const { url, body } = notification;
    try {
      const request = { method: 'POST', headers, body, signal, timeoutMs: this.timeoutMs, maxBytes: ANSWER_BYTES };
      const response = await this.parts.fetch.fetch(url, request);
      // Not waited for: the status says it all, and the rest may come slowly.
      response.arrayBuffer().catch(() => undefined);
      return resultOf(response);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof OutboundRefusedError) return { outcome: 'refused', error: error.message, ill: true };
      if (error instanceof OutboundTimeoutError || error instanceof OutboundFailedError) {
        return { outcome: 'failed', error: error.message, ill: true };
      }
      throw error;
    }
  }

  #secretsOf({ taskId, configId, secrets }: Notification): PushSecrets | SealedSecretError {
    try {
      return secrets === undefined ? {} : this.parts.box.open(taskId, configId, secrets);
    } catch (error) {
      if (error instanceof SealedSecretError) return error;
      throw error;
    }
  }
}

/** Of this one configuration, whatever its receiver. */
const unsendable = (error: string): SendResult => ({ outcome: 'failed', error, ill: false });

/** Statuses that tell of the receiver itself, and not of this one request. */
const isIll = (status: number): boolean => status >= 500 || status === 408 || status === 429;

function resultOf({ status, headers, ok }: Response): SendResult {
  if (ok) return { outcome: 'delivered', httpStatus: status };
  const wait = retryAfterMs(headers.get('retry-after'), Date.now());
  const redirects = status >= 300 && status < 400 ? ', and redirects are not followed' : '';
  return {
    ...{ outcome: 'failed', httpStatus: status, error: `The receiver answered ${status}${redirects}`, ill: isIll(status) },
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  };
}
