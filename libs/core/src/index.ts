export { ANYONE } from './access/caller.js';
export type { Caller } from './access/caller.js';
export { permitAdministration, permitAgent, tenantMeant } from './access/administrator.js';
export { permit } from './access/permit.js';
export { ANONYMOUS } from './call-context.js';
export type { CallContext, Principal } from './call-context.js';
export { loggerWith, SILENT } from './logger.js';
export type { LogFields, Logger } from './logger.js';
export { isTaskId } from './new-id.js';
export type { Frame, FrameStream, RequestHandler } from './request-handler.js';
export { FRAME_LIMIT_BYTES, fitFrame } from './task/fit-frame.js';
export type { TaskEvent, TaskEventKind } from './task/task-event.js';
export { AgentDirectory } from './agents/agent-directory.js';
export { fitsFilter } from './agents/agent-filter.js';
export type { AgentFilter } from './agents/agent-filter.js';
export type { AgentDirectoryOptions } from './agents/agent-directory.js';
export { AgentMemoryStore, FENCED, MEMORY_LIMITS } from './ports/agent-memory-store.js';
export { AgentRegistry, SEEN_HEARTBEATS } from './ports/agent-registry.js';
export type { AgentDefinition, AnnouncedAgent } from './ports/agent-registry.js';
export { ApiKeyExistsError, ApiKeyStore } from './ports/api-key-store.js';
export type { ApiKey, StoredApiKey } from './ports/api-key-store.js';
export { AuditLog } from './ports/audit-log.js';
export type { AuditEntry, AuditQuery, StoredAuditEntry } from './ports/audit-log.js';
export { AuditTrail, OWN_OPERATIONS } from './audit/audit-trail.js';
export type { AuditTrailOptions, NewAuditEntry } from './audit/audit-trail.js';
export { shownAuditEntry } from './audit/shown-audit.js';
export type { ShownAuditEntry } from './audit/shown-audit.js';
export { ErasureStore } from './ports/erasure-store.js';
export type { Erasable } from './ports/erasure-store.js';
export { EventBus } from './ports/event-bus.js';
export type { BusListener, BusMessage, Channel, Subscription } from './ports/event-bus.js';
export { NotificationSender } from './ports/notification-sender.js';
export type { Notification, SendResult } from './ports/notification-sender.js';
export { NotificationKeyStore } from './ports/notification-key-store.js';
export type { NewNotificationKey, NotificationKey } from './ports/notification-key-store.js';
export { PushConfigStore } from './ports/push-config-store.js';
export type {
  KeptPush,
  PushConfig,
  PushConfigDraft,
  PushConfigPage,
  PushProtection,
  PutResult,
} from './ports/push-config-store.js';
export { PushDeliveryStore } from './ports/push-delivery-store.js';
export type {
  PushAttempt,
  PushClaim,
  PushClaimRequest,
  PushFence,
  PushLog,
  PushSettled,
  PushSettlement,
  WaitingPush,
} from './ports/push-delivery-store.js';
export { PushLedger } from './ports/push-ledger.js';
export type { LedgerEntry, PushConfigQuery, PushConfigState, PushOwner, PushTarget } from './ports/push-ledger.js';
export { decisionOf, RateLimiter } from './ports/rate-limiter.js';
export type { RateDecision, RateLimit } from './ports/rate-limiter.js';
export { SharedPlaces } from './ports/shared-places.js';
export type { HeldPlaces, PlaceClaim } from './ports/shared-places.js';
export { CallerLimits } from './limits/caller-limits.js';
export type { CallerLimitSettings } from './limits/caller-limits.js';
export { CountingServer } from './limits/counting-server.js';
export { FailedCredentials } from './limits/failed-credentials.js';
export { FallbackRateLimiter } from './limits/fallback-rate-limiter.js';
export { InProcessRateLimiter } from './limits/in-process-rate-limiter.js';
export { ReplicaPlaces } from './limits/replica-places.js';
export { StreamLimits } from './limits/stream-limits.js';
export type { StreamLimitSettings } from './limits/stream-limits.js';
export { ReconcileStore } from './ports/reconcile-store.js';
export type { ExpiredLease, OverdueCancel, PendingWork, Reaped } from './ports/reconcile-store.js';
export { StoreUnavailableError, TaskStore } from './ports/task-store.js';
export type {
  AcceptFollowUp,
  AcceptNew,
  AcceptRefusal,
  AcceptResult,
  Accepted,
  CancelResult,
  ListPosition,
  ListQuery,
  ListResult,
  ReadCursor,
  StoredTask,
  TaskContent,
} from './ports/task-store.js';
export { TurnStore } from './ports/turn-store.js';
export type {
  Append,
  AppendResult,
  Claim,
  ClaimRequest,
  EndingStatus,
  Fence,
  HeartbeatAnswer,
  NewEvent,
  RecoveryPolicy,
  Released,
  ReleaseRequest,
} from './ports/turn-store.js';
export type { PushSetup, ReceiverRules } from './operations/push-configs.js';
export { EVERY_EVENT_EXTENSION } from './push/every-event.js';
export { SealedSecretError, SecretBox } from './push/sealed-secrets.js';
export type { PushSecrets, SecretBoxKeys } from './push/sealed-secrets.js';
export { WorkQueue } from './ports/work-queue.js';
export type { Consumer, ExecuteHint, HintHandler, HintOutcome } from './ports/work-queue.js';
export { renderTask } from './task/render-task.js';
export type { TaskView } from './task/render-task.js';
export { createRequestHandler } from './operations/create-request-handler.js';
export { countErasable, eraseData, erasureOf } from './operations/erase-data.js';
export type { Erased } from './operations/erase-data.js';
export type { RequestHandlerDeps } from './operations/create-request-handler.js';
export type { Agents } from './operations/accept-message.js';
export { DEFAULT_READER_TIMES, TaskReaders } from './readers/task-readers.js';
export type { TaskReadersOptions } from './readers/task-readers.js';
export { AbortedTurn } from './execution/agent-executor.js';
export type {
  AbortCause,
  AgentArtifactUpdate,
  AgentEvent,
  AgentExecutor,
  AgentMessage,
  AgentStatusUpdate,
  ExecutionContext,
} from './execution/agent-executor.js';
export type { AgentFetch, AgentFetchOptions } from './execution/agent-fetch.js';
export { AgentLimitError } from './execution/agent-memory.js';
export type { AgentMemory } from './execution/agent-memory.js';
export type { HostedAgent } from './execution/hosted-agent.js';
export { DatabaseClock } from './execution/database-clock.js';
export { EventPublisher } from './execution/event-publisher.js';
export type { PushHints } from './execution/event-publisher.js';
export { LeaseKeeper } from './execution/lease-keeper.js';
export type { LeaseHolder, LeaseKeeperOptions } from './execution/lease-keeper.js';
export { CONTRACT_VERSION, TaskRunner } from './execution/task-runner.js';
export type { DrainTimes, TaskRunnerOptions, TaskRunnerParts } from './execution/task-runner.js';
export type { TurnLimits } from './execution/turn-execution.js';
export { endingStatus, hostMessage, statusEvent, statusFrame } from './execution/status-event.js';
export { ThrottledWarning } from './execution/throttled-warning.js';
export { within } from './execution/within.js';
export { Slots } from './execution/slots.js';
export { DirectClaims } from './reconcile/direct-claims.js';
export { Reconciler } from './reconcile/reconciler.js';
export type { ReconcilerOptions, ReconcilerParts } from './reconcile/reconciler.js';
export { redeliverDead } from './push/redeliver.js';
export { shownPushAttempt, shownPushConfig } from './push/shown-push.js';
export type { ShownPushAttempt, ShownPushConfig } from './push/shown-push.js';
export { PushDispatcher } from './push/push-dispatcher.js';
export type { PushDispatcherOptions, PushDispatcherParts } from './push/push-dispatcher.js';
