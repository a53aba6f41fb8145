import type { PeerInterface } from './peer-interface.js';

/** An agent as it is remembered: where it can be called, and where it answered. */
export class Peer {
  #chosen: PeerInterface | undefined;

  constructor(
    readonly url: string,
    /** In the order in which they are tried; never empty. */
    readonly interfaces: readonly PeerInterface[],
    /** Undefined: there is no card that would say. */
    readonly streaming: boolean | undefined,
  ) {}

  /** The interface that answered, or all of them while none has. */
  get candidates(): readonly PeerInterface[] {
    return this.#chosen ? [this.#chosen] : this.interfaces;
  }

  answered(by: PeerInterface): void {
    this.#chosen = by;
  }
}
