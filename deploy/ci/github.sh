#!/bin/sh
# Audits on GitHub: outputs for later steps, and the job summary. It ends with 0 so that the steps after it run; the
# last step of the action fails the job.
set -eu

here=$(dirname -- "$0")
code=0
# Before the audit, whose report names it.
PATH="$AUDIT_PREFIX/node_modules/.bin:$PATH"
export PATH
sh "$here/through-proxy.sh" "${HOOKDRIFT_SERVE_URL-}" "$here/note.mjs" github || true
sh "$here/audit.sh" || code=$?
node "$here/read-report.mjs" "$AUDIT_REPORTS" "$code" >>"$GITHUB_OUTPUT"
[ ! -f "$AUDIT_HISTORY" ] || printf 'history=%s\n' "$AUDIT_HISTORY" >>"$GITHUB_OUTPUT"
if [ -n "${AUDIT_PREVIEW-}" ]; then
  node "$here/preview.mjs" github "$code" || code=$?
  printf 'job-code=%s\n' "$code" >>"$GITHUB_OUTPUT"
fi
# After a mistake in the inputs there may be no report.
[ ! -f "$AUDIT_REPORTS/hookdrift.md" ] || cat -- "$AUDIT_REPORTS/hookdrift.md" >>"$GITHUB_STEP_SUMMARY"
# Later steps may ask the history: hookdrift violations, hookdrift timeline.
printf '%s\n' "$AUDIT_PREFIX/node_modules/.bin" >>"$GITHUB_PATH"
