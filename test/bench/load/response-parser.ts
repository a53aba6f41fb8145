export interface RawResponse {
  readonly status: number;
  /** Without the chunk sizes of a chunked body. */
  readonly body: Buffer;
}

type Framing = { readonly length: number } | 'chunked' | 'until-close';

const HEAD_END = Buffer.from('\r\n\r\n');
const LINE_END = Buffer.from('\r\n');
const NOTHING = Buffer.alloc(0);

/** Reads HTTP/1.1 responses, one after the other, from the bytes of a connection. Trailers are not expected. */
export class ResponseParser {
  #bytes: Buffer = NOTHING;
  #status = 0;
  #framing: Framing | undefined;
  #pieces: Buffer[] = [];

  /** The response that these bytes complete. Nothing of a next one may follow it: there is no pipelining. */
  push(bytes: Buffer): RawResponse | undefined {
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes]);
    if (this.#framing === undefined && !this.#head()) return undefined;
    if (this.#framing === 'chunked') return this.#chunks();
    if (typeof this.#framing === 'object' && this.#bytes.length >= this.#framing.length)
      return this.#done(this.#bytes.subarray(0, this.#framing.length));
    return undefined;
  }

  /** The connection has ended: the response that only this ends. */
  end(): RawResponse | undefined {
    return this.#framing === 'until-close' ? this.#done(this.#bytes) : undefined;
  }

  #head(): boolean {
    const end = this.#bytes.indexOf(HEAD_END);
    if (end < 0) return false;
    const head = this.#bytes.toString('latin1', 0, end).toLowerCase();
    this.#bytes = this.#bytes.subarray(end + HEAD_END.length);
    this.#status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/.exec(head)?.[1];
    if (head.includes('\r\ntransfer-encoding: chunked')) this.#framing = 'chunked';
    else this.#framing = length === undefined ? 'until-close' : { length: Number(length) };
    return true;
  }

  #chunks(): RawResponse | undefined {
    let at = 0;
    for (;;) {
      const lineEnd = this.#bytes.indexOf(LINE_END, at);
      const size = lineEnd < 0 ? NaN : parseInt(this.#bytes.toString('latin1', at, lineEnd), 16);
      const end = lineEnd + 2 + size;
      if (Number.isNaN(size) || this.#bytes.length < end + 2) break;
      if (size === 0) return this.#done(this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces));
      this.#pieces.push(this.#bytes.subarray(lineEnd + 2, end));
      at = end + 2;
    }
    this.#bytes = this.#bytes.subarray(at);
    return undefined;
  }

  #done(body: Buffer): RawResponse {
    const response = { status: this.#status, body };
    this.#bytes = NOTHING;
    this.#framing = undefined;
    this.#pieces = [];
    return response;
  }
}
