-- Places that processes hold, where there is no Redis to count them. Losing them in a crash is mended by what each says next, so they are not logged.
CREATE UNLOGGED TABLE "place" (
  "key" TEXT NOT NULL,
  "holders" JSONB NOT NULL,
  "expires_at" TIMESTAMPTZ(6) NOT NULL,
  CONSTRAINT "place_pkey" PRIMARY KEY ("key")
) WITH (fillfactor = 50);
