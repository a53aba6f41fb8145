-- Who may use this host. The secret of a key is known to its holder alone.
CREATE TABLE "api_key" (
  "id" TEXT NOT NULL,
  "secret_hash" BYTEA NOT NULL,
  "tenant" TEXT NOT NULL,
  "principal" TEXT NOT NULL,
  "scopes" TEXT[] NOT NULL,
  "agents" TEXT[] NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "expires_at" TIMESTAMPTZ(3),
  "revoked_at" TIMESTAMPTZ(3),
  CONSTRAINT "api_key_pkey" PRIMARY KEY ("id")
);
