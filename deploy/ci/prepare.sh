#!/bin/sh
# Checks the inputs of the GitHub action, and prints the places that its steps share as NAME=VALUE lines.
# AUDIT_NAME, AUDIT_PACKAGE: inputs. RUNNER_TEMP: a directory that ends with the job.
set -eu

refuse() {
  printf '::error title=hookdrift::%s\n' "$1" >&2
  exit 2
}

# The name becomes part of a path, of a cache key and of a comment.
case $AUDIT_NAME in
'' | *[!A-Za-z0-9._-]* | .*) refuse 'The input "name" takes letters, digits, dots, dashes and underscores.' ;;
esac
# Only a file: a name would be asked of a registry, and no registry carries hookdrift.
if [ -n "$AUDIT_PACKAGE" ]; then
  case $AUDIT_PACKAGE in
  *.tgz) [ -f "$AUDIT_PACKAGE" ] || refuse 'The input "package" names a file that does not exist.' ;;
  *) refuse 'The input "package" takes the path of a tarball that npm pack made (.tgz).' ;;
  esac
fi

directory=$RUNNER_TEMP/hookdrift/$AUDIT_NAME
mkdir -p -- "$directory"
printf '%s=%s\n' \
  history "$directory/history/hookdrift.db" \
  reports "$directory/reports" \
  prefix "$directory/program"
