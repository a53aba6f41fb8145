-- Keys that push notifications are signed with. The private half is encrypted with a key that the database does not have. Two processes
-- that make one at the same time make the same generation: one of them has made it.
CREATE TABLE "notification_key" (
  "generation" INTEGER NOT NULL,
  "public_key" TEXT NOT NULL,
  "private_key" BYTEA NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "signs_from" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "notification_key_pkey" PRIMARY KEY ("generation")
);
