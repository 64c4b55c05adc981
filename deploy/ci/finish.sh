#!/bin/sh
# Ends the GitHub job with the audit's exit code, AUDIT_CODE; AUDIT_TEXT is its verdict in a sentence. JOB_CODE: the
# worst of that and those of previews.
set -eu

# Empty when a step before the audit failed.
code=${AUDIT_CODE:-4}
[ "$code" = 0 ] || printf '::error title=hookdrift::%s\n' "${AUDIT_TEXT:-The audit did not start.}"
job=${JOB_CODE:-$code}
[ "$job" = "$code" ] || printf '::error title=hookdrift::%s\n' 'A request of this pull request does not pass: the summary of the job says which.'
exit "$job"
