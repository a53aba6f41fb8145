-- What a worker needs of a task's log when it claims it: the events after "after", and the message at "message", ascending, as
-- a JSON array in text; null when there is none. VOLATILE, so that each call reads with a snapshot of its own: the claim that
-- calls it may have waited for the row, and its own snapshot of this table would be older than that row.
CREATE FUNCTION "claimed_events"("id" UUID, "after" INTEGER, "message" INTEGER) RETURNS TEXT VOLATILE LANGUAGE plpgsql AS $$
DECLARE
  "found" TEXT;
BEGIN
  SELECT json_agg(json_build_array(e."sequence", e."kind", e."state", e."turn", e."ends_turn", e."payload", e."message", e."request")
                  ORDER BY e."sequence")::text
  INTO "found"
  FROM (
    SELECT * FROM "task_event" WHERE "task_id" = $1 AND "sequence" > $2
    UNION ALL
    SELECT * FROM "task_event" WHERE "task_id" = $1 AND "sequence" = $3 AND "sequence" <= $2
  ) e;
  RETURN "found";
END $$;
