#!/bin/sh
# Audits on GitLab, writes a note to the merge request if there is one, and ends with the audit's exit code; with
# AUDIT_PREVIEW, previews the request files of the merge request in a note of their own, and ends with the worst code.
set -eu

here=$(dirname -- "$0")
code=0
# Before the audit, whose report names it.
sh "$here/through-proxy.sh" "${HOOKDRIFT_SERVE_URL-}" "$here/note.mjs" gitlab || true
sh "$here/audit.sh" || code=$?
sh "$here/through-proxy.sh" "${CI_API_V4_URL-}" "$here/comment.mjs" gitlab "$AUDIT_REPORTS/hookdrift.md" ||
  echo 'hookdrift: the note was not written.' >&2
if [ -n "${AUDIT_PREVIEW-}" ]; then
  node "$here/preview.mjs" gitlab "$code" || code=$?
fi
# Outside of a merge request there is none.
if [ -f "$AUDIT_REPORTS/preview.md" ]; then
  AUDIT_NAME=$AUDIT_NAME/preview sh "$here/through-proxy.sh" "${CI_API_V4_URL-}" \
    "$here/comment.mjs" gitlab "$AUDIT_REPORTS/preview.md" || echo 'hookdrift: the note was not written.' >&2
fi
exit "$code"
