import { OPERATIONS, type OperationName } from '#protocol';

/** The service of one version of A2A, and where it is described. */
export interface GrpcService {
  readonly package: string;
  /** With the package. */
  readonly name: string;
  /** Below the folder of the descriptions; the path by which protobuf tools know the file. */
  readonly file: string;
  /** What it calls the operations that it has. */
  readonly methods: ReadonlyMap<OperationName, string>;
}

const V1_METHODS = (Object.keys(OPERATIONS) as OperationName[]).map((name) => [name, OPERATIONS[name].method] as const);

export const SERVICE_V1: GrpcService = Object.freeze({
  package: 'lf.a2a.v1',
  name: 'lf.a2a.v1.A2AService',
  file: 'lf/a2a/v1/a2a.proto',
  methods: new Map(V1_METHODS),
});

const OTHER_NAMES_IN_V03: Partial<Record<OperationName, string>> = {
  subscribeToTask: 'TaskSubscription',
  listTaskPushNotificationConfigs: 'ListTaskPushNotificationConfig',
  getExtendedAgentCard: 'GetAgentCard',
};

/** Tasks cannot be listed there. */
export const SERVICE_V03: GrpcService = Object.freeze({
  package: 'a2a.v1',
  name: 'a2a.v1.A2AService',
  file: 'a2a/v1/a2a.proto',
  methods: new Map(
    V1_METHODS.filter(([operation]) => operation !== 'listTasks').map(([operation, name]) => [
      operation,
      OTHER_NAMES_IN_V03[operation] ?? name,
    ]),
  ),
});
