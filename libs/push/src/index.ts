export { HttpNotificationSender } from './http-notification-sender.js';
export type { HttpNotificationSenderParts } from './http-notification-sender.js';
export { ID_HEADER, SIGNATURE_HEADER } from './notification-headers.js';
export { NotificationKeys } from './notification-keys.js';
export { NotificationSigner } from './notification-signer.js';
export { PublishedKeys } from './published-keys.js';
