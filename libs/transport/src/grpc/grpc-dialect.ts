import { V1, type Dialect } from '../dialect.js';
import type { Host } from '../host.js';
import type { CallRequest } from '../http.js';
import { asksForV03, requireVersion } from '../requested-version.js';
import { addressed, type Addressed } from './addressee.js';
import { SERVICE_V03 } from './grpc-service.js';
import { failureOf, type GrpcFailure } from './grpc-status.js';

/** How one version of A2A is spoken over gRPC. What names extensions is metadata there. */
export interface GrpcDialect extends Dialect<GrpcFailure> {
  /** Throws an A2AError when the request asks for another version than that of the service, or it is not served. */
  requireVersion(host: Host, request: CallRequest): void;
  /** Whom a request's message is for. Throws InvalidParamsError. */
  addressed(message: unknown): Addressed;
}

/** The service of 0.3 is another one, so no switch makes 0.3 a version of this one. */
const V1_ONLY = Object.freeze({ serveV03: false });

export const GRPC_V1: GrpcDialect = Object.freeze({
  ...V1,
  errorBody: failureOf,
  requireVersion(host: Host, request: CallRequest) {
    if (host.serveV03 && asksForV03(request)) requireVersion(host, request, `. The service of A2A 0.3 is ${SERVICE_V03.name}`);
    requireVersion(V1_ONLY, request);
  },
  addressed,
});
