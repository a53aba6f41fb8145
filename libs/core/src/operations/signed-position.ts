import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';
import { InvalidParamsError } from '#protocol';
import type { CallContext } from '../call-context.js';

const SIGNATURE_BYTES = 16;

/** Where a page begins, as a token: opaque, signed with a key that all replicas share, and bound to the caller and the list it is of. */
export class SignedPositions {
  readonly #key: KeyObject;

  constructor(key: Buffer) {
    this.#key = createSecretKey(key);
  }

  /** @param list what tells this list from any other: it is covered, and not carried */
  write(ctx: CallContext, list: readonly unknown[], position: readonly unknown[]): string {
    const body = JSON.stringify(position);
    return Buffer.concat([this.#sign(body, ctx, list), Buffer.from(body)]).toString('base64url');
  }

  /** Undefined without a token. Throws InvalidParamsError for one that was not made here, for another caller or for another list. */
  read(ctx: CallContext, list: readonly unknown[], token: string | undefined): unknown[] | undefined {
    if (token === undefined || token === '') return undefined;
    const bytes = Buffer.from(token, 'base64url');
    const body = bytes.toString('utf8', SIGNATURE_BYTES);
    const signature = bytes.subarray(0, SIGNATURE_BYTES);
    if (bytes.length <= SIGNATURE_BYTES || !timingSafeEqual(signature, this.#sign(body, ctx, list))) {
      const description = 'is not a token of this host for these filters';
      throw new InvalidParamsError([{ field: 'pageToken', description }]);
    }
    return JSON.parse(body) as unknown[];
  }

  #sign(body: string, { tenant, principal, agentId }: CallContext, list: readonly unknown[]): Buffer {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([body, tenant, principal.id, agentId, ...list]))
      .digest()
      .subarray(0, SIGNATURE_BYTES);
  }
}
