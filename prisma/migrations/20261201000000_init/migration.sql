-- Whose task it is, as one small number for every other table.
CREATE TABLE "task_scope" (
  "id" INTEGER GENERATED ALWAYS AS IDENTITY,
  "tenant" TEXT NOT NULL,
  "owner" TEXT NOT NULL,
  "agent_id" TEXT NOT NULL,
  CONSTRAINT "task_scope_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "task_scope_tenant_owner_agent_id_key" ON "task_scope" ("tenant", "owner", "agent_id");

-- Room for HOT updates: claims and appends change no indexed column but state and status_timestamp.
CREATE TABLE "task" (
  "id" UUID NOT NULL,
  "scope_id" INTEGER NOT NULL,
  "context_id" TEXT NOT NULL,
  "origin" TEXT NOT NULL,
  "listed" BOOLEAN NOT NULL,
  "contract" INTEGER NOT NULL DEFAULT 1,
  "state" SMALLINT NOT NULL,
  "status" TEXT NOT NULL,
  "status_timestamp" BIGINT NOT NULL,
  "metadata" TEXT,
  "sequence" INTEGER NOT NULL,
  "accepted" INTEGER NOT NULL,
  "ended" INTEGER NOT NULL DEFAULT 0,
  "inbox" INTEGER[] NOT NULL,
  "attempt" INTEGER NOT NULL DEFAULT 0,
  "append_no" BIGINT NOT NULL DEFAULT 0,
  "append_epoch" INTEGER NOT NULL DEFAULT 0,
  "append_first" INTEGER NOT NULL DEFAULT 0,
  "append_state" SMALLINT NOT NULL DEFAULT 0,
  "lease_owner" TEXT,
  "lease_epoch" INTEGER NOT NULL DEFAULT 0,
  "lease_expires_at" TIMESTAMPTZ(3),
  "recovery" SMALLINT NOT NULL DEFAULT 0,
  "max_attempts" INTEGER NOT NULL DEFAULT 1,
  "cancel_requested_at" TIMESTAMPTZ(3),
  "cancel_metadata" TEXT,
  "hinted_at" TIMESTAMPTZ(3) NOT NULL,
  "hints" INTEGER NOT NULL DEFAULT 0,
  "artifacts" TEXT,
  "history" TEXT,
  "snapshot_sequence" INTEGER NOT NULL DEFAULT 0,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "task_pkey" PRIMARY KEY ("id")
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
CREATE INDEX "task_by_status" ON "task" ("scope_id", "state", "status_timestamp" DESC, "id" DESC) WHERE "listed";
CREATE INDEX "task_by_context" ON "task" ("scope_id", "context_id", "status_timestamp" DESC, "id" DESC) WHERE "listed";
CREATE INDEX "task_pending" ON "task" ("id") WHERE "accepted" > "ended" AND "state" NOT IN (3, 4, 5, 7);
CREATE INDEX "task_unlisted" ON "task" ("id") WHERE NOT "listed";

-- Nothing follows a terminal state, whoever writes.
CREATE FUNCTION "task_is_final"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'task % is in a terminal state', OLD.id USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER "task_stays_final" BEFORE UPDATE OF "state", "sequence", "status" ON "task" FOR EACH ROW
  WHEN (OLD."state" IN (3, 4, 5, 7) AND (NEW."state" <> OLD."state" OR NEW."sequence" <> OLD."sequence" OR NEW."status" <> OLD."status"))
  EXECUTE FUNCTION "task_is_final"();

CREATE TABLE "task_event" (
  "task_id" UUID NOT NULL,
  "sequence" INTEGER NOT NULL,
  "kind" SMALLINT NOT NULL,
  "state" SMALLINT NOT NULL,
  "turn" INTEGER NOT NULL,
  "ends_turn" BOOLEAN NOT NULL,
  "attempt" INTEGER NOT NULL DEFAULT 0,
  "recorded_at" TIMESTAMPTZ(3) NOT NULL,
  "payload" TEXT NOT NULL,
  "message" TEXT,
  "request" TEXT,
  CONSTRAINT "task_event_pkey" PRIMARY KEY ("task_id", "sequence")
);

CREATE TABLE "task_count" (
  "scope_id" INTEGER NOT NULL,
  "state" SMALLINT NOT NULL,
  "slot" SMALLINT NOT NULL,
  "n" BIGINT NOT NULL,
  CONSTRAINT "task_count_pkey" PRIMARY KEY ("scope_id", "state", "slot")
) WITH (fillfactor = 20);

CREATE TABLE "idempotency_key" (
  "scope_id" INTEGER NOT NULL,
  "key" TEXT NOT NULL,
  "task_id" UUID NOT NULL,
  "turn" INTEGER NOT NULL,
  "request_hash" TEXT NOT NULL,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "idempotency_key_pkey" PRIMARY KEY ("scope_id", "key")
);
CREATE INDEX "idempotency_key_expires_at_idx" ON "idempotency_key" ("expires_at");

CREATE TABLE "agent" (
  "id" TEXT NOT NULL,
  "definition" TEXT NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "agent_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "worker" (
  "id" TEXT NOT NULL,
  "agents" TEXT[] NOT NULL,
  "started_at" TIMESTAMPTZ(3) NOT NULL,
  "last_seen_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "worker_pkey" PRIMARY KEY ("id")
);

-- Keys that all replicas of this installation share.
CREATE TABLE "host_secret" (
  "name" TEXT NOT NULL,
  "value" TEXT NOT NULL,
  CONSTRAINT "host_secret_pkey" PRIMARY KEY ("name")
);
INSERT INTO "host_secret" ("name", "value")
VALUES ('page_token', replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''));
