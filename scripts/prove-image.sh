#!/usr/bin/env bash
# Proves what the image holds without a container engine: the RUN lines of the Dockerfile in clean folders, then migrate, an API
# and a worker from the production-only install, and one message through them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [ "${1:-}" != inside ]; then
  exec node scripts/with-servers.mjs bash scripts/prove-image.sh inside
fi

work=$(mktemp -d)
pids=()
clean_up() {
  [ ${#pids[@]} = 0 ] || kill -TERM "${pids[@]}" 2>/dev/null || true
  wait
  rm -rf "$work"
}
trap clean_up EXIT

# run_stage NAME: the RUN lines of a stage, in the folder of that name.
run_stage() {
  awk -v stage="$1" '/^FROM/ { here = ($4 == stage) } here && /^RUN / { sub(/^RUN /, ""); print }' deploy/docker/Dockerfile |
    (cd "$work/$1" && bash -euo pipefail -x -s)
}

mkdir -p "$work/build" "$work/dependencies" "$work/image"
git ls-files -z --cached --others --exclude-standard -- ':!test' ':!docs' | while IFS= read -r -d '' file; do
  [ -e "$file" ] && printf '%s\0' "$file"
done | tar --null --files-from=- -cf - | tar -xf - -C "$work/build"
cp package.json package-lock.json .npmrc "$work/dependencies"
run_stage build
run_stage dependencies
mv "$work/dependencies/node_modules" "$work/build/dist" "$work/image"
cp -r package.json prisma proto deploy/docker/healthcheck.mjs "$work/image"
[ ! -e "$work/image/node_modules/typescript" ] || { echo 'development packages are in the image'; exit 1; }

cd "$work/image"
export NODE_ENV=production HOST=127.0.0.1 LOG_LEVEL=warn
free_port() { node -e "const s=require('net').createServer().listen(0,'127.0.0.1',()=>{console.log(s.address().port);s.close()})"; }
PORT=$(free_port)
GRPC_PORT=$(free_port)
WORKER_HEALTH_PORT=$(free_port)
export PORT GRPC_PORT WORKER_HEALTH_PORT
node dist/apps/cli/src/main.js migrate
node dist/apps/cli/src/main.js api &
pids+=($!)
node dist/apps/cli/src/main.js worker &
pids+=($!)

answer=''
for _ in $(seq 60); do
  answer=$(curl -s -m 10 "http://127.0.0.1:$PORT/agents/echo" -H 'content-type: application/json' -H 'a2a-version: 1.0' \
    -d '{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"hello"}]}}}') || true
  grep -q '"TASK_STATE_COMPLETED"' <<<"$answer" && break
  sleep 1
done
echo "$answer"
grep -q '"TASK_STATE_COMPLETED"' <<<"$answer"
node healthcheck.mjs
kill -TERM "${pids[@]}"
for pid in "${pids[@]}"; do wait "$pid"; done
pids=()
echo 'the image installs, migrates, answers and stops'
