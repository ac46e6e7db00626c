#!/usr/bin/env bash
# base.sh: where the base image of the Dockerfile is neither in podman's store nor to be pulled, makes a stand-in of its name:
# Debian with the Node of this checkout. It proves the steps of the Dockerfile, not the real base. Needs root and debootstrap.
set -euo pipefail
cd "$(dirname "$0")/../.."

image=docker.io/library/node:24-bookworm-slim
podman image exists "$image" && exit 0
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
debootstrap --variant=minbase bookworm "$root" >"$root.log" || { tail -5 "$root.log"; exit 1; }
rm -rf "$root.log" "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/* "$root"/usr/share/{doc,man,locale}/*
# As the base has it: no caches of apt in a layer.
echo 'Dir::Cache::pkgcache ""; Dir::Cache::srcpkgcache "";' >"$root/etc/apt/apt.conf.d/docker-clean"
cp "$(node -p process.execPath)" "$root/usr/local/bin/node"
mkdir -p "$root/usr/local/lib/node_modules" "$root/etc/ssl/certs"
cp -r "$(dirname "$(realpath "$(command -v npm)")")/.." "$root/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
chroot "$root" groupadd --gid 1000 node
chroot "$root" useradd --uid 1000 --gid node --create-home node
tar -C "$root" -c . | podman import --quiet \
  --change ENV=PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  --change ENV=NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt - "$image" >/dev/null
echo "container: a stand-in for $image was made of Debian and Node $(node --version)"
