import type { Rule } from '../engine/rule.ts'
import { authenticationLost } from './authentication-lost.ts'
import { filterRemoved } from './filter-removed.ts'
import { filterWidened } from './filter-widened.ts'
import { flapping } from './flapping.ts'
import { functionChanged } from './function-changed.ts'
import { outsideWindow } from './outside-window.ts'
import { projectWeakened } from './project-weakened.ts'
import { rateLimitLost } from './rate-limit-lost.ts'
import { requestIdHeader } from './request-id-header.ts'
import { secretChanged } from './secret-changed.ts'
import { unexpected } from './unexpected.ts'
import { urlHostChanged } from './url-host-changed.ts'
import { verificationWeakened } from './verification-weakened.ts'

/** Rules about changes: a file each. */
export const driftRules: readonly Rule[] = [
  authenticationLost,
  filterRemoved,
  filterWidened,
  flapping,
  functionChanged,
  outsideWindow,
  projectWeakened,
  rateLimitLost,
  requestIdHeader,
  secretChanged,
  unexpected,
  urlHostChanged,
  verificationWeakened,
]
