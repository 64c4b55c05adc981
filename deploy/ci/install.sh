#!/bin/sh
# Installs hookdrift into AUDIT_PREFIX: from AUDIT_PACKAGE, a tarball that `npm pack` made, or else from the checkout
# in AUDIT_SOURCE, which it builds in a copy.
set -eu

# Names come from people: an absolute one begins with no dash, so it is not an option.
absolute() { case $1 in /*) printf '%s\n' "$1" ;; *) printf '%s\n' "$PWD/$1" ;; esac; }

AUDIT_PREFIX=$(absolute "$AUDIT_PREFIX")
mkdir -p "$AUDIT_PREFIX"
package=$AUDIT_PACKAGE
if [ -z "$package" ]; then
  # A copy: the checkout may be part of the user's own, and shared by other jobs.
  copy=$AUDIT_PREFIX/source
  rm -rf "$copy"
  mkdir "$copy"
  source=$(absolute "$AUDIT_SOURCE")
  (cd "$source" && tar -cf - --exclude ./.git --exclude ./node_modules .) | (cd "$copy" && tar -xf -)
  # No package's script runs.
  (cd "$copy" && npm ci --ignore-scripts && npm run -s build && npm pack --pack-destination "$AUDIT_PREFIX" ./package)
  for file in "$AUDIT_PREFIX"/*.tgz; do package=$file; done
  rm -rf "$copy"
fi
npm install --prefix "$AUDIT_PREFIX" --omit=dev --ignore-scripts --no-save "$(absolute "$package")"
"$AUDIT_PREFIX/node_modules/.bin/hookdrift" --version
