-- Who did what, and what came of it; nothing of what was said. Nothing here refers to a row elsewhere: what is erased stays told of.
CREATE TABLE "audit_event" (
  "id" BIGINT GENERATED ALWAYS AS IDENTITY,
  "at" TIMESTAMPTZ(3) NOT NULL,
  "source" TEXT NOT NULL,
  "operation" TEXT NOT NULL,
  "outcome" TEXT NOT NULL,
  "tenant" TEXT,
  "principal" TEXT,
  "credential_id" TEXT,
  "agent_id" TEXT,
  "task_id" UUID,
  "context_id" TEXT,
  "subject" TEXT,
  "address" TEXT,
  "request_id" TEXT,
  "count" INTEGER NOT NULL,
  CONSTRAINT "audit_event_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "audit_event_by_task" ON "audit_event" ("task_id", "id") WHERE "task_id" IS NOT NULL;
CREATE INDEX "audit_event_by_tenant" ON "audit_event" ("tenant", "id");
