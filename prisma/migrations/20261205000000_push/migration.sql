-- Whom to tell of a task's events. `cursor` is the last event that was delivered or is not for this receiver: what follows it in the
-- log is owed. Secrets are encrypted with a key that the database does not have.
CREATE TABLE "push_config" (
  "task_id" UUID NOT NULL,
  "id" TEXT NOT NULL,
  "scope_id" INTEGER NOT NULL,
  "protocol_version" TEXT NOT NULL,
  "url" TEXT NOT NULL,
  "receiver" TEXT NOT NULL,
  "scheme" TEXT,
  "secrets" BYTEA,
  "every_event" BOOLEAN NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "cursor" INTEGER NOT NULL,
  "finished" BOOLEAN NOT NULL DEFAULT false,
  "due_at" TIMESTAMPTZ(3) NOT NULL,
  "failures" INTEGER NOT NULL DEFAULT 0,
  "failing_since" TIMESTAMPTZ(3),
  "dead_at" TIMESTAMPTZ(3),
  "lease_owner" TEXT,
  "lease_epoch" INTEGER NOT NULL DEFAULT 0,
  "lease_expires_at" TIMESTAMPTZ(3),
  CONSTRAINT "push_config_pkey" PRIMARY KEY ("task_id", "id")
) WITH (fillfactor = 70);
CREATE INDEX "push_config_open" ON "push_config" ("task_id", "id") WHERE NOT "finished" AND "dead_at" IS NULL;
CREATE INDEX "push_config_dead" ON "push_config" ("dead_at") WHERE "dead_at" IS NOT NULL;

-- Every attempt to deliver an event, as it ended.
CREATE TABLE "push_delivery" (
  "id" BIGINT GENERATED ALWAYS AS IDENTITY,
  "task_id" UUID NOT NULL,
  "config_id" TEXT NOT NULL,
  "sequence" INTEGER NOT NULL,
  "attempt" INTEGER NOT NULL,
  "outcome" TEXT NOT NULL,
  "http_status" SMALLINT,
  "error" TEXT,
  "started_at" TIMESTAMPTZ(3) NOT NULL,
  "duration_ms" INTEGER NOT NULL,
  CONSTRAINT "push_delivery_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "push_delivery_by_config" ON "push_delivery" ("task_id", "config_id", "id");

-- Has the task a configuration? Writers of events tell the dispatchers then.
ALTER TABLE "task" ADD COLUMN "pushes" BOOLEAN NOT NULL DEFAULT false;
