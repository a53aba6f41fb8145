import { InvalidParamsError } from '../errors.js';
import type { FieldViolation } from '../errors.js';

/** An answer that lists a fault per part of a hostile message would be larger than the message. */
const MAX_REPORTED = 100;

/** Gathers the faults of one request, so that its author learns of all of them at once. */
export class Faults {
  readonly #violations: FieldViolation[] = [];

  add(field: string, description: string): void {
    if (this.#violations.length < MAX_REPORTED) this.#violations.push({ field, description });
  }

  /** Throws InvalidParamsError when there is any. */
  throwIfAny(): void {
    if (this.#violations.length > 0) throw new InvalidParamsError(this.#violations);
  }
}
