#!/usr/bin/env bash
# npm run container:check: builds the image and runs the fleet in it, as an orchestrator would: read-only root, no capabilities, no
# shell. OP-2: each app answers its probe, they handle a message together, each comes back when it is killed, each leaves with 0.
# Needs podman; the network is the host's, so that no bridge has to be made.
set -euo pipefail
cd "$(dirname "$0")/../.."

skip() { echo "container: skipped, $1"; exit 0; }
fail() { echo "container: FAILED, $1" >&2; exit 1; }
step() { echo "container: $* (${SECONDS} s)"; }

command -v podman >/dev/null || skip 'podman is not installed (Debian: apt-get install podman buildah runc debootstrap)'
command -v redis-server >/dev/null || skip 'redis-server is not installed'

LIMIT_MB=350
image=turnpike:check
work=$(mktemp -d)
prefix=turnpike-check-$$
apps=(ingress runner dispatcher standalone)
redis_pid=

clean_up() {
  podman rm --force --time 0 "${apps[@]/#/$prefix-}" >/dev/null 2>&1 || true
  [ -z "$redis_pid" ] || kill "$redis_pid" 2>/dev/null || true
  rm -rf "$work"
}
trap clean_up EXIT

cat >"$work/containers.conf" <<'CONF'
[containers]
default_ulimits = ["nofile=1024:4096", "nproc=4096:4096"]
netns = "host"
[engine]
runtime = "runc"
CONF
export CONTAINERS_CONF=$work/containers.conf

bash test/container/base.sh || skip 'the base image is not there and cannot be made here'
podman run --rm docker.io/library/node:24-bookworm-slim node --version >"$work/version" 2>&1 ||
  skip "podman cannot run containers here: $(tail -1 "$work/version")"

step 'building'
podman rmi --force "$image" >/dev/null 2>&1 || true
podman build --pull=never --layers=false --network host --tag "$image" . >"$work/build.log" 2>&1 || { tail -30 "$work/build.log"; fail 'the build'; }
bytes=$(podman image inspect --format '{{.Size}}' "$image")
step "the image has $((bytes / 1000000)) MB"
[ "$bytes" -lt "${LIMIT_MB}000000" ] || fail "the image is over $LIMIT_MB MB"

free_port() { node -e 'const s = net.createServer().listen(0, () => { console.log(s.address().port); s.close(); })'; }
until_true() { # what, command: asked five times a second, for a minute
  local what=$1
  shift
  for _ in {1..300}; do "$@" >/dev/null 2>&1 && return; sleep 0.2; done
  fail "waited a minute for $what"
}

redis_port=$(free_port)
redis-server --port "$redis_port" --dir "$work" --appendonly yes --maxmemory-policy noeviction >"$work/redis.log" &
redis_pid=$!
until_true redis redis-cli -p "$redis_port" ping

token=$(node -p 'crypto.randomBytes(24).toString("hex")')
http_port=$(free_port)
declare -A ops=()
start() { # app, database: what is not a shell stands in for the shells
  ops[$1]=$(free_port)
  podman run --detach --name "$prefix-$1" --restart always --read-only --cap-drop=ALL --security-opt=no-new-privileges \
    --volume /dev/null:/bin/sh:ro --volume /dev/null:/bin/bash:ro \
    --env REDIS_URL="redis://127.0.0.1:$redis_port/$2" --env TURNPIKE_ADMIN_TOKEN="$token" \
    --env PORT="$3" --env OPS_PORT="${ops[$1]}" "$image" "$1" >/dev/null
}
start ingress 0 "$http_port"
start runner 0 0
start dispatcher 0 0
start standalone 1 0

ready() { curl --silent --fail "http://127.0.0.1:${ops[$1]}/readyz"; }
answered() { # text: the scripted demo agent says something about it
  curl --silent --fail --max-time 60 "http://127.0.0.1:$http_port/api/sessions/container/invoke" \
    --header "Authorization: Bearer $token" --header 'Content-Type: application/json' --data "{\"message\": \"$1\"}" >"$work/answer"
}
in_container() { podman exec "$prefix-$1" node --eval "$2"; }

for app in "${apps[@]}"; do until_true "$app to be ready" ready "$app"; done
step 'every app answers its probe'
answered 'run 2 searches' || fail 'a message got no answer'
grep -q '"messages":\[{' "$work/answer" || fail "the answer has no message: $(cat "$work/answer")"
step 'a message was answered'

for app in "${apps[@]}"; do
  in_container "$app" 'try { fs.writeFileSync("/app/x", ""); process.exit(1); } catch (e) { process.exit(e.code === "EROFS" ? 0 : 1); }' ||
    fail "the root of $app is not read-only"
  in_container "$app" 'process.exit(process.getuid() !== 0 && /CapEff:\s+0+\n/.test(fs.readFileSync("/proc/1/status")) ? 0 : 1)' ||
    fail "$app is root, or has capabilities"
done
step 'no root, no capability, nothing to write to, no shell'

pid_of() { podman inspect --format '{{.State.Pid}}' "$prefix-$1"; }
another_pid() { local pid; pid=$(pid_of "$1") && [ "$pid" != 0 ] && [ "$pid" != "$2" ]; }
for app in "${apps[@]}"; do
  before=$(pid_of "$app")
  kill -KILL "$before"
  until_true "$app to come back" another_pid "$app" "$before"
  until_true "$app to be ready again" ready "$app"
done
answered 'after the kills' || fail 'after the kills a message got no answer'
step 'each was killed, came back by itself and answers'
for app in "${apps[@]}"; do
  ! podman logs "$prefix-$app" 2>&1 | grep --quiet "$token" || fail "the log of $app shows the admin token"
done

for app in "${apps[@]}"; do
  podman stop --time 40 "$prefix-$app" >/dev/null
  code=$(podman inspect --format '{{.State.ExitCode}}' "$prefix-$app")
  [ "$code" = 0 ] || { podman logs --tail 20 "$prefix-$app"; fail "$app left with $code on SIGTERM"; }
done
step 'each leaves with 0 on SIGTERM'
