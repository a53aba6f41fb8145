-- Buckets of requests, where there is no Redis to count them. Losing them in a crash fills them, so they are not logged.
CREATE UNLOGGED TABLE "rate_limit" (
  "key" TEXT NOT NULL,
  "full_at" TIMESTAMPTZ(6) NOT NULL,
  CONSTRAINT "rate_limit_pkey" PRIMARY KEY ("key")
);
