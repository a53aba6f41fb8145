import { PushDispatcher, SecretBox, type EventBus, type Logger, type PushHints } from '#core';
import { GuardedFetch, OutboundPolicy } from '#outbound';
import type { Config } from '#platform';
import { HttpNotificationSender, NotificationKeys, NotificationSigner } from '#push';
import type { Connections } from './connections.js';

type Settings = Pick<
  Config,
  | 'workerRoles'
  | 'encryptionKey'
  | 'previousEncryptionKey'
  | 'outboundAllow'
  | 'publicUrl'
  | 'pushTimeoutMs'
  | 'pushMaxAgeMs'
  | 'sweepMs'
  | 'leaseMs'
  | 'heartbeatMs'
>;

/** The part of a worker that delivers push notifications: the dispatcher with its connections to receivers. */
export class PushDelivery implements PushHints {
  constructor(
    private readonly dispatcher: PushDispatcher,
    private readonly fetch: GuardedFetch,
    private readonly keys: NotificationKeys,
    private readonly logger: Logger,
  ) {}

  /**
   * Undefined without the role, and without a key for the receivers' secrets. Throws AllowEntryError, whether it is or not.
   */
  static of(
    config: Settings,
    { pushes: store, notificationKeys }: Pick<Connections, 'pushes' | 'notificationKeys'>,
    bus: EventBus,
    workerId: string,
    logger: Logger,
  ): PushDelivery | undefined {
    const policy = new OutboundPolicy(config.outboundAllow);
    const { encryptionKey: key, previousEncryptionKey: previous } = config;
    if (key === undefined || !config.workerRoles.includes('push')) return undefined;
    const box = new SecretBox({ key, ...(previous === undefined ? {} : { previous }) });
    const fetch = new GuardedFetch(policy);
    const keys = new NotificationKeys(notificationKeys, box, logger);
    const signer = new NotificationSigner(keys, config.publicUrl);
    const sender = new HttpNotificationSender({ fetch, box, signer }, config.pushTimeoutMs);
    const { sweepMs, leaseMs, heartbeatMs, pushMaxAgeMs: maxAgeMs } = config;
    const times = { sweepMs, leaseMs, heartbeatMs, maxAgeMs };
    const dispatcher = new PushDispatcher({ store, sender, bus, logger }, { workerId, ...times });
    return new PushDelivery(dispatcher, fetch, keys, logger);
  }

  get lastSwept(): number {
    return this.dispatcher.lastSwept;
  }

  start(): void {
    // Receivers may ask for the key set before there is anything to deliver.
    this.keys.signingKey().catch((err: unknown) => this.logger.warn('There is no key for push notifications yet', { err }));
    this.dispatcher.start();
  }

  hint(taskId: string): boolean {
    return this.dispatcher.hint(taskId);
  }

  /** Takes nothing up any more; requests that are under way have `graceMs` to be answered. */
  async close(graceMs: number): Promise<void> {
    await this.dispatcher.close(graceMs);
    await this.fetch.close();
  }
}
