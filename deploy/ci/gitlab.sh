#!/bin/sh
# Audits on GitLab, writes a note to the merge request if there is one, and ends with the audit's exit code.
set -eu

here=$(dirname -- "$0")
code=0
# Before the audit, whose report names it.
sh "$here/through-proxy.sh" "${HOOKDRIFT_SERVE_URL-}" "$here/note.mjs" gitlab || true
sh "$here/audit.sh" || code=$?
sh "$here/through-proxy.sh" "${CI_API_V4_URL-}" "$here/comment.mjs" gitlab "$AUDIT_REPORTS/hookdrift.md" ||
  echo 'hookdrift: the note was not written.' >&2
exit "$code"
