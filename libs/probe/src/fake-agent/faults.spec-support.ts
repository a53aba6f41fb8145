import { specError, type SpecError } from '../spec-errors.js';
import type { Json } from '../wire/json.js';

/** Which faults are switched on; each bears the id of the check that is to find it. */
export type Faulty = (checkId: string) => boolean;

/** An error as the specification has it; `details` in their JSON form. */
export class FakeError extends Error {
  constructor(
    readonly kind: SpecError | 'Unauthenticated' | 'MethodNotFound',
    message: string = kind,
    readonly violations: readonly string[] = [],
  ) {
    super(message);
  }

  get code(): number {
    return this.kind === 'Unauthenticated' ? -32000 : this.kind === 'MethodNotFound' ? -32601 : specError(this.kind).code;
  }

  get http(): number {
    return this.kind === 'Unauthenticated' ? 401 : this.kind === 'MethodNotFound' ? 404 : specError(this.kind).http;
  }

  get grpc(): number {
    return this.kind === 'Unauthenticated' ? 16 : this.kind === 'MethodNotFound' ? 12 : specError(this.kind).grpc;
  }

  detailsFor(binding: string, faulty: Faulty): Json[] {
    const reason = this.kind in { Unauthenticated: 1, MethodNotFound: 1 } ? undefined : specError(this.kind as SpecError).reason;
    const hidden = faulty(binding === 'JSONRPC' ? 'errors.rpc-error-info' : 'errors.error-info');
    return [
      ...(reason !== undefined && !hidden ? [{ '@type': typeOf('ErrorInfo'), reason, domain: 'a2a-protocol.org' }] : []),
      ...(this.violations.length > 0 && !faulty('errors.field-violations')
        ? [
            {
              '@type': typeOf('BadRequest'),
              fieldViolations: this.violations.map((field) => ({ field, description: 'is wrong' })),
            },
          ]
        : []),
      ...(faulty('errors.detail-types') ? [{ hint: 'untyped' }] : []),
    ];
  }
}

const typeOf = (name: string): string => `type.googleapis.com/google.rpc.${name}`;

export const notFound = (faulty: Faulty): FakeError =>
  new FakeError('TaskNotFoundError', faulty('errors.message') ? '' : 'No such task');
