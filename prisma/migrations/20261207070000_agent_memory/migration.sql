-- What agents remember of a context. Keys are compared byte by byte: a prefix is a range of the primary key.
CREATE TABLE "agent_memory" (
  "scope_id" INTEGER NOT NULL,
  "context_id" TEXT NOT NULL,
  "key" TEXT COLLATE "C" NOT NULL,
  "value" TEXT NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "agent_memory_pkey" PRIMARY KEY ("scope_id", "context_id", "key")
);
CREATE INDEX "agent_memory_updated_at" ON "agent_memory" ("updated_at");

-- The last checkpoint of the turn `checkpoint_turn`, for its next attempt.
ALTER TABLE "task" ADD COLUMN "checkpoint" TEXT, ADD COLUMN "checkpoint_turn" INTEGER;
