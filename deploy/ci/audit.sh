#!/bin/sh
# Audits once, writes the reports as AUDIT_REPORTS/hookdrift.*, and exits with the audit's code.
# AUDIT_HISTORY: the file of the history. AUDIT_CONFIG, AUDIT_FAIL_ON and AUDIT_PROJECTS may be empty.
# Names come from people: one that begins with a dash is not an option.
set -eu

mkdir -p -- "$(dirname -- "$AUDIT_HISTORY")" "$AUDIT_REPORTS"
# A report of an earlier job must not pass for this one's.
rm -f -- "$AUDIT_REPORTS"/hookdrift.* "$AUDIT_REPORTS/preview.md"

set -- --quiet "--history=$AUDIT_HISTORY" --report "junit=$AUDIT_REPORTS/hookdrift.xml"
for format in json sarif html; do set -- "$@" --report "$format=$AUDIT_REPORTS/hookdrift.$format"; done
set -- "$@" --report "markdown=$AUDIT_REPORTS/hookdrift.md"
[ -z "${AUDIT_CONFIG-}" ] || set -- "$@" "--config=$AUDIT_CONFIG"
[ -z "${AUDIT_FAIL_ON-}" ] || set -- "$@" "--fail-on=$AUDIT_FAIL_ON"
# Words, as they are: a pattern is for hookdrift and not for the shell.
set -f
for project in ${AUDIT_PROJECTS-}; do set -- "$@" "--project=$project"; done

# At the beginning of a line or, in JSON, of a member. Read through the shell, since `grep … -- -` would read stdin.
member="^([^#]*[{,])?[[:space:]]*[\"']?seal_key[\"']?[[:space:]]*:"
has_seal_key() { { grep -Eq "$member" <"${AUDIT_CONFIG:-hookdrift.yaml}"; } 2>/dev/null; }

code=0
if [ -n "${HOOKDRIFT_SEAL_KEY-}" ] || has_seal_key; then
  hookdrift audit "$@" || code=$?
else
  # hookdrift would make a key for this job alone, and the next job could compare no secret.
  echo 'hookdrift: HOOKDRIFT_SEAL_KEY is not set. Create a key once with openssl rand -hex 32,' >&2
  echo '  store it as a secret of the pipeline, and pass it to every job.' >&2
  code=2
fi
if [ ! -s "$AUDIT_REPORTS/hookdrift.md" ]; then
  printf '**hookdrift could not audit** (exit code %s). The log of the job says why.\n' "$code" \
    >"$AUDIT_REPORTS/hookdrift.md"
fi
exit "$code"
